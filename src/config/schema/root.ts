/** The whole file. The only declaration of its shape; types, example and JSON Schema derive from it. */
import * as v from 'valibot';
import { artifactsSchema } from './artifacts.ts';
import { duration, text } from './atoms.ts';
import { loginsSchema } from './auth.ts';
import { exposureSchema, searchSchema } from './exposure.ts';
import { modelSchema } from './model.ts';
import { hooksSchema, ruleSchema } from './rules.ts';
import { permissionModeSchema, serverSchema } from './server.ts';

export const mcpSchema = v.strictObject({
  permissions: v.optional(
    v.pipe(permissionModeSchema, v.description('for every server: ask (default) or auto')),
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
      exposureSchema,
      v.description(
        'for every server: direct (default), deferred, codemode, hidden; auto: deferred when many',
      ),
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
      v.array(v.pipe(text(), v.check(isToolChange, '+mcp_meta, +codemode or -PATTERN'))),
      v.description(
        '+mcp_meta: tools by original names; +codemode: scripts; -PATTERN: leaves tools out',
      ),
    ),
  ),
  rules: v.optional(
    v.pipe(
      v.array(ruleSchema),
      v.maxLength(1000, 'at most 1000 rules'),
      v.description('deny before ask before allow, whatever their order; deny holds always'),
    ),
  ),
  hooks: v.optional(
    v.pipe(hooksSchema, v.description('programs of yours on the way of each call')),
  ),
  artifacts: v.optional(
    v.pipe(artifactsSchema, v.description('files made of binary and long results')),
  ),
  search: v.optional(v.pipe(searchSchema, v.description('how tools are found'))),
  logins: v.optional(
    v.pipe(
      loginsSchema,
      v.description('sign-ins by name, for servers with auth: {type: provider}'),
    ),
  ),
  servers: v.optional(v.pipe(v.array(serverSchema), v.description('the servers, one item each'))),
});

export type McpEntry = v.InferOutput<typeof mcpSchema>;

/** Anything else would change nothing, and nobody would notice. */
function isToolChange(entry: string): boolean {
  return ['+mcp_meta', '+codemode'].includes(entry) || /^-[^\s-]\S*$/.test(entry);
}
