/** The whole file. The only declaration of its shape; types, example and JSON Schema derive from it. */
import * as v from 'valibot';
import { duration, text } from './atoms.ts';
import { modelSchema } from './model.ts';
import { permissionModeSchema, serverSchema } from './server.ts';

export const mcpSchema = v.strictObject({
  permissions: v.optional(
    v.pipe(permissionModeSchema, v.description('default for every server; default ask')),
  ),
  naming: v.optional(
    v.pipe(
      v.picklist(['server_tool', 'mcp'], 'server_tool or mcp'),
      v.description('github_search_code (default) or mcp__github__search_code'),
    ),
  ),
  discovery: v.optional(
    v.pipe(v.picklist(['eager'], 'eager'), v.description('all servers are asked at the start')),
  ),
  exposure: v.optional(
    v.pipe(
      v.picklist(['direct', 'hidden'], 'direct or hidden'),
      v.description('default for every server; default direct'),
    ),
  ),
  patience: v.optional(
    v.pipe(
      duration(0),
      v.description('at a terminal: wait after the last ready server; default 2s'),
    ),
  ),
  servers: v.optional(
    v.pipe(v.array(serverSchema), v.description('another place for the list of servers')),
  ),
});

export const rootSchema = v.strictObject({
  model: v.optional(v.pipe(modelSchema, v.description('who answers; absent: offline'))),
  mcp: v.optional(v.pipe(mcpSchema, v.description('defaults for all servers'))),
  defaultTools: v.optional(
    v.pipe(
      v.array(v.pipe(text(), v.check(isToolChange, '+mcp_meta or -PATTERN'))),
      v.description('+mcp_meta: tools by original names; -PATTERN: leaves tools out'),
    ),
  ),
  servers: v.optional(v.pipe(v.array(serverSchema), v.description('the servers, one item each'))),
});

export type McpEntry = v.InferOutput<typeof mcpSchema>;

/** Anything else would change nothing, and nobody would notice. */
function isToolChange(entry: string): boolean {
  return entry === '+mcp_meta' || /^-[^\s-]\S*$/.test(entry);
}
