/** Answers roots/list with the working directory. Source: MCP 2025-11-25, client features, roots. */
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { JsonObject } from '../../base/json.ts';

/** `cwd` is absolute. */
export function listRoots(cwd: string): JsonObject {
  return { roots: [{ uri: pathToFileURL(cwd).href, name: basename(cwd) || cwd }] };
}
