/** Answers roots/list with the working directory. Source: MCP 2025-11-25, client features, roots. */
import { basename } from 'node:path';
import type { JsonObject } from '../../base/json.ts';
import { nodeUrl } from '../../base/lazy-node.ts';

/** `cwd` is absolute. */
export function listRoots(cwd: string): JsonObject {
  return { roots: [{ uri: nodeUrl().pathToFileURL(cwd).href, name: basename(cwd) || cwd }] };
}
