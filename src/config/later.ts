/**
 * What the format has and this version has not. Such a key is an error, never ignored in silence:
 * it may be a safety rule.
 */

export type Block = 'root' | 'mcp' | 'model' | 'server';

/** True for a key of a later version, in the block where it belongs. */
export function isLaterKey(block: Block, key: string): boolean {
  return LATER_KEYS[block].has(key);
}

/** True for a value of a later version; `key` is the key it stands under. */
export function isLaterValue(block: Block, key: string, value: string): boolean {
  return (block === 'mcp' || block === 'server') && LATER_VALUES[block][key]?.has(value) === true;
}

export const NOT_AVAILABLE = 'is not available in this version';

const SECRET_CLIENT =
  'a secret never stands in the file; put it into a variable and write auth: { type: oauth, clientId: …, clientSecretEnv: NAME_OF_VARIABLE }';

/** What other hosts call things, with the spelling here. */
export const FOREIGN_KEYS: Readonly<Record<Block, Readonly<Record<string, string>>>> = {
  root: {
    mcpServers: 'unknown key; write a list: servers: [{ name: …, command: … }]',
    context_servers: 'unknown key; write a list: servers: [{ name: …, command: … }]',
    permissions: 'unknown key; the default mode is mcp.permissions',
  },
  mcp: {},
  model: {},
  server: {
    type: 'unknown key; url or command decides it, remove this line',
    disabled: 'unknown key; write enabled: false',
    alwaysAllow: 'unknown key; write toolPermissions: { TOOL: auto }',
    autoApprove: 'unknown key; write toolPermissions: { TOOL: auto }',
    trust: 'unknown key; write permissions: auto',
    includeTools: 'unknown key; write tools: [NAME]',
    excludeTools: 'unknown key; write tools: ["!NAME"]',
    enabledTools: 'unknown key; write tools: [NAME]',
    disabledTools: 'unknown key; write tools: ["!NAME"]',
    httpUrl: 'unknown key; write url',
    serverUrl: 'unknown key; write url',
    headersHelper: 'unknown key; write headersCommand: [PROGRAM, ARGUMENT]',
    oauth: 'unknown key; write auth: { type: oauth }',
    clientSecret: SECRET_CLIENT,
    client_secret: SECRET_CLIENT,
  },
};

const LATER_KEYS: Readonly<Record<Block, ReadonlySet<string>>> = {
  root: new Set(['lsp', 'serve', 'extensions']),
  mcp: new Set(['limits']),
  model: new Set(),
  server: new Set(),
};

const LATER_VALUES: Readonly<
  Record<'mcp' | 'server', Readonly<Record<string, ReadonlySet<string> | undefined>>>
> = {
  mcp: { discovery: new Set(['background']) },
  server: {},
};
