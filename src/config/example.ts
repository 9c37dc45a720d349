/**
 * The text of `config.example.yaml`, from the schema: every key with its description. As it stands
 * it runs without network and model. Lines with one `#` are options, lines with two are prose.
 */
import type * as v from 'valibot';
import { InternalError } from '../base/errors.ts';
import { modelSchema } from './schema/model.ts';
import { mcpSchema, rootSchema } from './schema/root.ts';
import { serverSchema } from './schema/server.ts';

/** The whole file, with a newline at the end. Removing every `# ` before an option gives a valid file, too. */
export function exampleConfig(): string {
  const lines = [
    ...HEADER,
    'model:',
    ...block(modelSchema.entries, MODEL_VALUES, ['provider'], 1),
    '',
    'mcp:',
    ...block(mcpSchema.entries, MCP_VALUES, ['permissions', 'naming', 'patience'], 1, ['servers']),
    '',
    ...block(ROOT_ENTRIES, ROOT_VALUES, [], 0),
    '',
    'servers:',
    '  ## A tool source inside usher: reads files below the working directory.',
    '  - name: workspace',
    '    builtin: workspace',
    '',
    '  ## A server on the network. The keys after tls go with every kind of server.',
    ...item(HTTP_KEYS, HTTP_VALUES),
    '',
    '  ## Servers with a sign-in (usher mcp login tracker), a token of a program, a login of logins:.',
    ...SIGN_IN_SERVERS.map((line) => nested('  # ', line)),
    '',
    '  ## A program on this machine, spoken to over its stdin and stdout.',
    ...item(STDIO_KEYS, STDIO_VALUES),
  ];
  return `${lines.join('\n')}\n`;
}

type Entries = Readonly<Record<string, v.GenericSchema<unknown, unknown>>>;
/** YAML text of a value, or the lines of a block below the key. */
type Values = Readonly<Record<string, string | readonly string[]>>;

const HEADER = [
  '## Configuration of usher. Save it where `usher config path` says, or name it with --config FILE.',
  '## It runs as it stands: no network, no model; the router answers with the files of this folder.',
  '## Lines with one # are options, shown with a value. `usher config check` names every mistake.',
  `## Durations: 250ms, 30s, 5m, 1h. \${VAR} and \${VAR:-default} take a variable; $\${ stands for \${.`,
  '',
];
const DESCRIPTION_COLUMN = 44;

const MODEL_VALUES: Values = {
  provider: 'offline',
  name: 'qwen3',
  baseUrl: 'http://localhost:11434/v1',
  apiKeyEnv: 'OPENAI_API_KEY',
  maxTokens: '4096',
  temperature: '0.2',
  headers: ['X-Team: docs'],
  contextTokens: '32768',
  system: '"Answer in one paragraph."',
  allowPrivate: 'false',
  timeout: ['firstByte: 300s', 'idle: 120s'],
};

const MCP_VALUES: Values = {
  permissions: 'ask',
  naming: 'server_tool',
  discovery: 'eager',
  exposure: 'direct',
  patience: '2s',
};

const { defaultTools, rules, hooks, artifacts, search, logins } = rootSchema.entries;
const ROOT_ENTRIES = { defaultTools, rules, hooks, artifacts, search, logins };

const ROOT_VALUES: Values = {
  defaultTools: '["+mcp_meta", -workspace/find_files]',
  rules: [
    '- deny: "*/delete_*" # tools that are never called, also not in auto',
    '- ask: files/write_file # tools that are always asked for',
    '  when: { path: "secrets/*" } # only where all these arguments fit',
    '- allow: [remote/search, "remote/get_*"] # tools that are called without a question',
    '  when: { repo: ["acme/*", me/notes], options.force: false }',
    '  examples: # checked whenever the file is read',
    '    - { call: remote/search, args: { repo: acme/x, options: { force: false } }, expect: allow }',
    '    - { call: remote/search, args: { repo: other/x }, expect: none }',
  ],
  hooks: [
    'tool_call: # asked before each call, no shell, 5s each',
    '  - [my-gate, --strict]',
    'tool_result: # may change each result before anyone sees it, no shell, 5s each',
    '  - [my-filter]',
  ],
  artifacts: [
    'dir: artifacts # relative to this file; default: in the state directory',
    'keep: 30d # age, or number of files; never more than 1 GiB in all',
  ],
  search: [
    'embeddings: # ranks by meaning too; without it searching needs no network',
    '  baseUrl: http://localhost:11434/v1 # API root of an OpenAI-compatible endpoint',
    '  model: nomic-embed-text # as the endpoint spells it',
    '  apiKeyEnv: EMBEDDINGS_API_KEY # NAME of the variable with the key',
  ],
  logins: [
    'work: # a name of your own; the keys of auth: {type: oauth} below go with it',
    '  issuer: https://login.example.com # the authorization server, or authServerMetadataUrl',
    '  resource: https://api.example.com # what the tokens are for, as a URI (RFC 8707)',
    '  allowPrivate: false # allow http and private addresses; default false',
    'robot: # without a person: a client with a key, or clientSecretEnv',
    '  issuer: https://login.example.com',
    '  grant: client_credentials # how tokens are got; default authorization_code, with a person',
    '  clientId: usher-robot',
    "  privateKeyFile: robot-key.pem # against this file's folder",
    '  algorithm: ES256 # of that key',
    'ci: # what the platform says about this job is exchanged for a token',
    '  issuer: https://login.example.com',
    '  grant: jwt-bearer',
    '  clientId: usher-ci',
    '  assertionFile: job.jwt # read anew each time',
    'staff: # the identity provider of a company vouches for you',
    '  issuer: https://login.example.com',
    '  grant: enterprise',
    '  clientId: usher-staff',
    '  idpFile: idp.json # JSON: tokenEndpoint, clientId, idTokenEnv or idTokenFile of the provider',
  ],
};

const HTTP_KEYS = [
  'name',
  'url',
  'transport',
  'headers',
  'headersCommand',
  'auth',
  'allowPrivate',
  'strictUrl',
  'redirects',
  'proxy',
  'tls',
  'tools',
  'expect',
  'permissions',
  'toolPermissions',
  'trustAnnotations',
  'enabled',
  'required',
  'description',
  'exposure',
  'toolExposure',
  'maxToolTokens',
  'binary',
  'instructions',
  'sampling',
  'protocol',
  'timeout',
] as const;

const HTTP_VALUES: Values = {
  name: 'remote',
  url: 'https://mcp.example.com/mcp',
  transport: 'http',
  headers: [`X-Team: "\${TEAM:-docs}"`],
  headersCommand: '[my-token-helper, --json]',
  auth: [
    'type: bearer # or apiKey, with header: X-API-Key; oauth, command, provider: see below',
    'tokenEnv: REMOTE_TOKEN # NAME of the variable with the token',
  ],
  allowPrivate: 'false',
  strictUrl: 'false',
  redirects: 'same-origin',
  proxy: 'none',
  tls: ['ca: team-ca.pem # PEM file with the issuers to trust in place of the usual'],
  tools: '[search, "read_*", "!read_secret"]',
  expect: [
    'tools: [search] # original names that have to be there',
    'minTools: 3 # at least so many tools',
    'serverVersion: "1.*" # what the server calls its version, or a glob',
  ],
  permissions: 'ask',
  toolPermissions: ['search: auto', 'delete: deny'],
  trustAnnotations: 'false',
  enabled: 'true',
  required: 'false',
  description: 'what this server is for',
  exposure: 'direct',
  toolExposure: ['"get_*": deferred', 'find: direct'],
  maxToolTokens: '20000',
  binary: 'drop',
  instructions: 'full',
  sampling: 'off',
  protocol: 'auto',
  timeout: [
    'connect: 15s # connect and list tools; 60s for a command',
    'idle: 60s # silence within a call, reset by progress',
    'max: 15m # a whole call',
    'tools: # by original tool name',
    '  search: { idle: 5m, max: 1h }',
  ],
};

const SIGN_IN_SERVERS = [
  '- name: tracker',
  '  url: https://tracker.example.com/mcp',
  '  auth: # no key beside type is needed where the server registers clients',
  '    type: oauth',
  '    clientId: usher-tracker # a client registered beforehand',
  '    clientSecretEnv: TRACKER_SECRET # NAME of the variable with its secret',
  '    scope: issues.read issues.write # default what the server asks for',
  '    callbackPort: 8765 # default a free one; or callbackUrl, sent as it is',
  '    dpop: true # bind tokens to a key of ours; default where the server asks',
  '- name: wiki',
  '  url: https://wiki.example.com/mcp',
  '  auth:',
  '    type: oauth',
  '    clientName: usher of the docs team # how usher registers itself; default usher',
  '    clientRegistration: dcr # by metadata document (cimd) or dynamically; default auto',
  '    callbackUrl: http://localhost:8766/callback # http on a loopback host',
  '    authServerMetadataUrl: https://login.example.com/.well-known/openid-configuration',
  '- name: board',
  '  url: https://board.example.com/mcp',
  '  auth:',
  '    type: oauth',
  '    clientMetadataUrl: https://example.com/usher.json # a metadata document of your own',
  '- name: reports',
  '  url: https://reports.example.com/mcp',
  '  auth:',
  '    type: command',
  '    command: [my-token-helper, reports] # prints the token, or an OAuth answer in JSON; no shell, 30s',
  '- name: mail',
  '  url: https://mail.example.com/mcp',
  '  auth: { type: provider, provider: work } # never in a project file; https or this machine only',
];

const STDIO_KEYS = [
  'name',
  'command',
  'args',
  'env',
  'envPass',
  'cwd',
  'restartOnTimeout',
] as const;

const STDIO_VALUES: Values = {
  name: 'files',
  command: 'npx',
  args: '[-y, "@modelcontextprotocol/server-filesystem", .]',
  env: ['LOG_LEVEL: warn'],
  envPass: '[SSH_AUTH_SOCK]',
  cwd: '.',
  restartOnTimeout: 'true',
};

/** The keys of a block, those in `live` without `#`. */
function block(
  entries: Entries,
  values: Values,
  live: readonly string[],
  depth: number,
  without: readonly string[] = [],
): readonly string[] {
  return Object.entries(entries)
    .filter(([key]) => !without.includes(key))
    .flatMap(([key, schema]) => {
      const mark = `${'  '.repeat(depth)}${live.includes(key) ? '' : '# '}`;
      return keyLines(key, schema, values[key], mark, mark);
    });
}

/** One commented item of the server list. */
function item(keys: readonly (keyof typeof serverSchema.entries)[], values: Values) {
  return keys.flatMap((key, index) =>
    keyLines(
      key,
      serverSchema.entries[key],
      values[key],
      index === 0 ? '  # - ' : '  #   ',
      '  #   ',
    ),
  );
}

function keyLines(
  key: string,
  schema: v.GenericSchema<unknown, unknown>,
  value: Values[string] | undefined,
  first: string,
  rest: string,
): readonly string[] {
  if (value === undefined) throw new InternalError(`the example has no value for ${key}`);
  const description = descriptionOf(schema);
  if (typeof value === 'string') return [withNote(`${first}${key}: ${value}`, description)];
  return [
    withNote(`${first}${key}:`, description),
    ...value.map((line) => nested(`${rest}  `, line)),
  ];
}

/** A line below a key; a note of its own follows ` # `. */
function nested(indent: string, line: string): string {
  const [text = '', note] = line.split(' # ');
  return note === undefined ? indent + text : withNote(indent + text, note);
}

function withNote(line: string, description: string): string {
  return `${line.padEnd(DESCRIPTION_COLUMN)} # ${description}`;
}

/** The description in a schema's pipe, also below `optional`. */
function descriptionOf(schema: v.GenericSchema<unknown, unknown>): string {
  const inner: unknown = 'wrapped' in schema ? schema.wrapped : schema;
  const pipe: unknown =
    typeof inner === 'object' && inner !== null && 'pipe' in inner ? inner.pipe : undefined;
  for (const step of Array.isArray(pipe) ? pipe : []) {
    if (typeof step?.description === 'string' && step.type === 'description')
      return step.description;
  }
  throw new InternalError('a key of the schema has no description');
}
