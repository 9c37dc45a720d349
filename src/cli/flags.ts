/** Every flag there is, as data: the parser, the help page and the README test read this. */

/** `switch`: no value; `count`: may be repeated; `list`: repeatable or comma-separated; `each`: repeatable, taken whole; `value`: once. */
export type FlagKind = 'switch' | 'count' | 'value' | 'list' | 'each';

export interface Flag {
  readonly kind: FlagKind;
  readonly short?: string;
  /** How the value is called in help. */
  readonly hint?: string;
  /** The only values allowed. */
  readonly choices?: readonly string[];
  readonly help: string;
}

export const FLAGS = {
  prompt: {
    kind: 'value',
    short: 'p',
    hint: 'TEXT',
    help: 'one run; - reads the prompt from stdin',
  },
  config: { kind: 'value', hint: 'FILE', help: 'read this file alone (or $USHER_CONFIG)' },
  model: { kind: 'value', hint: 'PROVIDER/NAME', help: 'replaces model: of the config' },
  server: { kind: 'list', hint: 'NAME', help: 'start only these servers; each is then required' },
  tool: { kind: 'list', hint: 'PATTERN', help: 'offer only these tools (server/tool, globs)' },
  'no-tool': { kind: 'list', hint: 'PATTERN', help: 'do not offer these tools' },
  'no-builtin-tools': { kind: 'switch', help: 'leave out the built-in servers' },
  permissions: {
    kind: 'value',
    choices: ['ask', 'auto'],
    help: 'replaces every configured mode, not rules and toolPermissions',
  },
  yes: { kind: 'list', hint: 'TOOL', help: 'allow these tools for this run' },
  'on-denied': {
    kind: 'value',
    choices: ['fail', 'continue'],
    help: 'exit 5 when a call was denied, or 0 (default fail)',
  },
  output: {
    kind: 'value',
    choices: ['text', 'json', 'stream-json'],
    help: 'form of the result on stdout (default text)',
  },
  json: { kind: 'switch', help: 'same as --output json' },
  'max-turns': {
    kind: 'value',
    hint: 'N',
    help: 'model requests of a run (default: 50 with calls, one to answer)',
  },
  'max-tokens': { kind: 'value', hint: 'N', help: 'input and output tokens of the whole run' },
  timeout: {
    kind: 'value',
    hint: 'DURATION',
    help: 'limit of the whole run, such as 90s (default none)',
  },
  patience: {
    kind: 'value',
    hint: 'DURATION',
    help: 'wait for slow servers, after the last ready one',
  },
  elicit: {
    kind: 'value',
    hint: 'accept|decline|FILE',
    help: 'answers what servers ask: with their defaults, with no, or from a YAML file',
  },
  strict: { kind: 'switch', help: 'exit 4 when any server failed' },
  stdin: {
    kind: 'value',
    choices: ['auto', 'wait', 'off'],
    help: 'stdin beside -p TEXT: taken if it starts within 1 s, to its end, never (default auto)',
  },
  artifacts: {
    kind: 'value',
    choices: ['on', 'off'],
    help: 'save binary results as files (default on)',
  },
  session: {
    kind: 'value',
    hint: 'ID',
    help: 'save the conversation under this name, or go on with it',
  },
  continue: { kind: 'switch', help: 'go on with the newest session of this directory' },
  ephemeral: { kind: 'switch', help: 'save nothing: no session, no record, no files' },
  header: {
    kind: 'each',
    hint: '"NAME: VALUE"',
    help: 'sent to a bare URL, or to the server of mcp add; variables expand',
  },
  'bearer-env': {
    kind: 'value',
    hint: 'NAME',
    help: 'variable that holds the token for a bare URL or mcp add',
  },
  'client-id': {
    kind: 'value',
    hint: 'ID',
    help: 'sign-in to a bare URL, mcp add: a client that was registered beforehand',
  },
  'client-secret-env': {
    kind: 'value',
    hint: 'NAME',
    help: 'with --client-id: variable that holds its secret',
  },
  'client-metadata-url': {
    kind: 'value',
    hint: 'URL',
    help: 'sign-in: a client metadata document of your own, where servers take one',
  },
  'client-name': { kind: 'value', hint: 'NAME', help: 'sign-in: the name to register with' },
  grant: {
    kind: 'value',
    choices: [
      'authorization_code',
      'device_code',
      'client_credentials',
      'jwt-bearer',
      'enterprise',
    ],
    help: 'sign-in: how tokens are got (default authorization_code)',
  },
  'private-key': {
    kind: 'value',
    hint: 'FILE',
    help: 'sign-in: PEM file; the client proves itself by signed JWTs',
  },
  alg: { kind: 'value', hint: 'NAME', help: 'with --private-key: its algorithm (default ES256)' },
  idp: {
    kind: 'value',
    hint: 'FILE',
    help: 'with --grant enterprise: JSON about the identity provider',
  },
  assertion: { kind: 'value', hint: 'FILE', help: 'with --grant jwt-bearer: the assertion' },
  dpop: { kind: 'switch', help: 'sign-in: bind tokens to a key of ours' },
  'oauth-scope': {
    kind: 'value',
    hint: '"SCOPE ..."',
    help: 'login: ask for these scopes as well; bare URL, mcp add: for these',
  },
  'callback-port': {
    kind: 'value',
    hint: 'PORT',
    help: 'sign-in: port of the callback (default a free one)',
  },
  'auth-server-metadata-url': {
    kind: 'value',
    hint: 'URL',
    help: 'sign-in: where the authorization server describes itself',
  },
  approve: {
    kind: 'list',
    hint: 'NAME',
    help: 'let these servers of project files run this time (also USHER_MCP_ALLOWLIST)',
  },
  scope: {
    kind: 'value',
    choices: ['user', 'project', 'local'],
    help: 'which file is meant: your own (default), usher.yaml or .mcp.json, .usher/local.yaml',
  },
  project: { kind: 'switch', short: 'l', help: 'same as --scope project' },
  command: {
    kind: 'value',
    hint: 'PROGRAM',
    help: 'mcp add: the program; also -- PROGRAM ARG ...',
  },
  arg: { kind: 'each', hint: 'TEXT', help: 'mcp add: one argument of the program' },
  args: { kind: 'value', hint: '"A,B"', help: 'mcp add: arguments, cut at commas' },
  env: { kind: 'each', hint: 'NAME=VALUE', help: 'mcp add: a variable for the program' },
  cwd: { kind: 'value', hint: 'FOLDER', help: 'mcp add: where the program runs' },
  transport: {
    kind: 'value',
    choices: ['http', 'sse', 'ws'],
    help: 'mcp add: how a URL is spoken to',
  },
  exposure: { kind: 'value', hint: 'MODE', help: 'mcp add: how models see its tools' },
  description: { kind: 'value', hint: 'TEXT', help: 'mcp add: what the server is for' },
  'allow-private': { kind: 'switch', help: 'mcp add: allow http and private addresses' },
  'no-browser': {
    kind: 'switch',
    help: 'login: open no browser; open the address yourself, and paste what comes of it',
  },
  'print-url': {
    kind: 'switch',
    help: 'login: print the address to sign in at and end; --code finishes it',
  },
  code: {
    kind: 'value',
    hint: 'CODE|URL|-',
    help: 'login: finish what --print-url began; - reads it from stdin',
  },
  device: { kind: 'switch', help: 'login: with a code that you type in on another device' },
  all: { kind: 'switch', help: 'hidden tools as well, with the reason' },
  why: { kind: 'switch', help: 'whether a model may call each tool, and what says so' },
  check: {
    kind: 'switch',
    help: 'call, run: check the arguments before anything is sent; mcp list: connect to every server',
  },
  batch: {
    kind: 'switch',
    help: 'search: {"id", "query", "limit"} per line on stdin, {"id", "results"} per line on stdout',
  },
  limit: {
    kind: 'value',
    hint: 'N',
    help: 'search: this many tools at most, 1 to 1000 (default 10)',
  },
  diff: { kind: 'switch', help: 'mcp lock, mcp approve: what changed since tools were locked' },
  quiet: { kind: 'switch', short: 'q', help: 'no banner, no progress; warnings and errors only' },
  verbose: { kind: 'count', short: 'v', help: 'details on stderr; twice: messages as well' },
  'no-color': { kind: 'switch', help: 'no colours (also NO_COLOR, TERM=dumb)' },
  'no-input': { kind: 'switch', help: 'never ask: what needs a person is denied' },
  help: { kind: 'switch', short: 'h', help: 'show help' },
  version: { kind: 'switch', short: 'V', help: 'show the version' },
} as const satisfies Readonly<Record<string, Flag>>;

export type FlagName = keyof typeof FLAGS;

/** A flag by its long name. */
export function findFlag(name: string): Flag | undefined {
  return isFlagName(name) ? FLAGS[name] : undefined;
}

export function isFlagName(name: string): name is FlagName {
  return Object.hasOwn(FLAGS, name);
}

/** The long name of a one-letter flag. */
export function longName(short: string): FlagName | undefined {
  return Object.keys(FLAGS)
    .filter(isFlagName)
    .find((name) => findFlag(name)?.short === short);
}
