/** What a person allowed for the session. Bound to the server's identity and the tool's definition: a changed tool is asked for again. */
import { stableStringify } from '../base/json.ts';
import type { RegisteredTool } from '../tools/types.ts';

export interface Grants {
  add(tool: RegisteredTool): void;
  has(tool: RegisteredTool): boolean;
}

export function createGrants(): Grants {
  const granted = new Set<string>();
  return {
    add(tool) {
      granted.add(grantKey(tool));
    },
    has: (tool) => granted.has(grantKey(tool)),
  };
}

function grantKey({ source, server, name, definition }: RegisteredTool): string {
  const { description, inputSchema, outputSchema, annotations } = definition;
  const definitionText = stableStringify([
    description ?? null,
    inputSchema,
    outputSchema ?? null,
    { ...annotations },
  ]);
  return [server, source.identity, name, Bun.hash(definitionText).toString(16)].join('\0');
}
