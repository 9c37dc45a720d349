/** One entry of `servers:`. Descriptions feed the example config, the JSON Schema and error texts. */
import * as v from 'valibot';
import {
  bool,
  duration,
  nonEmptyText,
  PLAIN_NAME,
  PLAIN_NAME_TEXT,
  properText,
  text,
  variableName,
  wholeNumber,
} from './atoms.ts';
import { authSchema } from './auth.ts';
import { exposureSchema, toolExposureSchema } from './exposure.ts';

export const permissionModeSchema = v.picklist(['ask', 'auto'], 'ask or auto');

const toolTimeoutSchema = v.strictObject({
  idle: v.optional(v.pipe(duration(), v.description('limit of silence for this tool'))),
  max: v.optional(v.pipe(duration(), v.description('absolute limit for this tool'))),
});

const timeoutSchema = v.strictObject({
  connect: v.optional(
    v.pipe(duration(), v.description('connect and list tools; default 15s, 60s for a command')),
  ),
  idle: v.optional(
    v.pipe(duration(), v.description('silence within a call, reset by progress; default 60s')),
  ),
  max: v.optional(v.pipe(duration(), v.description('a whole call; default 15m'))),
  tools: v.optional(
    v.pipe(v.record(v.string(), toolTimeoutSchema), v.description('by original tool name')),
  ),
});

const expectSchema = v.strictObject({
  tools: v.optional(
    v.pipe(v.array(nonEmptyText()), v.description('original names that have to be there')),
  ),
  minTools: v.optional(v.pipe(wholeNumber(1), v.description('at least so many tools'))),
  serverVersion: v.optional(
    v.pipe(nonEmptyText(), v.description('what the server calls its version, or a glob')),
  ),
});

const tlsSchema = v.strictObject({
  ca: v.optional(v.pipe(nonEmptyText(), v.description('issuers to trust in place of the usual'))),
  cert: v.optional(
    v.pipe(nonEmptyText(), v.description('own certificate, where one is asked for')),
  ),
  key: v.optional(v.pipe(nonEmptyText(), v.description('key of cert, without a passphrase'))),
});

export const serverSchema = v.strictObject({
  name: v.pipe(
    text(),
    v.regex(PLAIN_NAME, PLAIN_NAME_TEXT),
    v.description('how the server is called in tool names, rules and messages'),
  ),
  url: v.optional(
    v.pipe(properText('a URL'), v.description(`where the server listens; \${VAR} expands`)),
  ),
  command: v.optional(
    v.pipe(properText('an executable'), v.description('an executable, never a shell line')),
  ),
  args: v.optional(v.pipe(v.array(text()), v.description(`arguments, no shell; \${VAR} expands`))),
  env: v.optional(
    v.pipe(
      v.record(v.string(), v.nullable(text())),
      v.description(
        `variables for the command; \${VAR} expands; an empty value (~) leaves it unset`,
      ),
    ),
  ),
  envPass: v.optional(
    v.pipe(v.array(variableName()), v.description('NAMES of own variables handed on')),
  ),
  cwd: v.optional(
    v.pipe(
      nonEmptyText(),
      v.description(`working directory of the command, against usher's own; \${VAR} expands`),
    ),
  ),
  builtin: v.optional(
    v.pipe(v.picklist(['workspace'], 'workspace'), v.description('a tool source inside usher')),
  ),
  transport: v.optional(
    v.pipe(
      v.picklist(['http', 'sse', 'ws'], 'http, sse or ws'),
      v.description(
        'http: Streamable HTTP (default), falls back to sse; sse: legacy HTTP+SSE; ws: WebSocket',
      ),
    ),
  ),
  headers: v.optional(
    v.pipe(
      v.record(v.string(), text()),
      v.description(`sent with every request to url; \${VAR} expands`),
    ),
  ),
  headersCommand: v.optional(
    v.pipe(
      v.array(nonEmptyText()),
      v.minLength(1, 'a program and its arguments'),
      v.description(
        `program that prints headers as a JSON object, no shell, 5s; \${VAR} expands, envPass goes with it`,
      ),
    ),
  ),
  auth: v.optional(
    v.pipe(
      authSchema,
      v.description('credentials: a variable, a sign-in (oauth), a program, a login'),
    ),
  ),
  tools: v.optional(
    v.pipe(
      v.array(nonEmptyText()),
      v.description('allowlist of original names, globs, !exclusions; [] = none; absent = all'),
    ),
  ),
  expect: v.optional(
    v.pipe(expectSchema, v.description('what has to be there at the start; else exit 4')),
  ),
  permissions: v.optional(
    v.pipe(permissionModeSchema, v.description('ask or auto, in place of mcp.permissions')),
  ),
  toolPermissions: v.optional(
    v.pipe(
      v.record(v.string(), v.picklist(['ask', 'auto', 'deny'], 'ask, auto or deny')),
      v.description('by original tool name or glob; an exact name wins'),
    ),
  ),
  trustAnnotations: v.optional(
    v.pipe(bool(), v.description('believe readOnlyHint of this server; default false')),
  ),
  enabled: v.optional(v.pipe(bool(), v.description('default true'))),
  required: v.optional(v.pipe(bool(), v.description('no run without this server; default false'))),
  description: v.optional(v.pipe(text(), v.description('what the server is for'))),
  exposure: v.optional(
    v.pipe(
      exposureSchema,
      v.description(
        'direct: declared to the model; deferred: once searched for; codemode: by scripts; hidden',
      ),
    ),
  ),
  toolExposure: v.optional(
    v.pipe(
      toolExposureSchema,
      v.description('by original tool name or glob; an exact name wins, then the first glob'),
    ),
  ),
  maxToolTokens: v.optional(
    v.pipe(
      wholeNumber(1),
      v.description('beyond it all are deferred, and a tool that is so alone is hidden'),
    ),
  ),
  binary: v.optional(
    v.pipe(
      v.picklist(['drop', 'keep'], 'drop or keep'),
      v.description('tools that need binary data: drop (default) or keep'),
    ),
  ),
  instructions: v.optional(
    v.pipe(
      v.picklist(['off', 'summary', 'full'], 'off, summary or full'),
      v.description("the server's own words to the model: full (default), summary or off"),
    ),
  ),
  sampling: v.optional(
    v.pipe(
      v.picklist(['off', 'ask'], 'off or ask'),
      v.description('ask: the server may ask your model, a person allows each; default off'),
    ),
  ),
  allowPrivate: v.optional(
    v.pipe(bool(), v.description('allow http and private addresses; default false')),
  ),
  strictUrl: v.optional(
    v.pipe(bool(), v.description('refuse a url with a query string; default false')),
  ),
  redirects: v.optional(
    v.pipe(
      v.picklist(['same-origin', 'refuse'], 'same-origin or refuse'),
      v.description('follows 307 and 308 within the origin (default); or refuse: follows none'),
    ),
  ),
  proxy: v.optional(
    v.pipe(
      properText('a proxy URL or none'),
      v.description(`URL, or none; default HTTPS_PROXY, NO_PROXY …; \${VAR} expands`),
    ),
  ),
  tls: v.optional(v.pipe(tlsSchema, v.description("PEM files, against this file's folder"))),
  protocol: v.optional(
    v.pipe(
      v.picklist(['auto', 'legacy', '2026-07-28'], 'auto, legacy or 2026-07-28'),
      v.description('auto (default), legacy or 2026-07-28; a pinned one is never fallen back from'),
    ),
  ),
  restartOnTimeout: v.optional(
    v.pipe(
      bool(),
      v.description('end a command that stays silent after a timed-out call; default true'),
    ),
  ),
  timeout: v.optional(v.pipe(timeoutSchema, v.description('limits of this server'))),
});

/** A server entry as the schema returns it: durations in milliseconds, `${VAR}` not yet expanded. */
export type ServerEntry = v.InferOutput<typeof serverSchema>;
export type PermissionMode = v.InferOutput<typeof permissionModeSchema>;
