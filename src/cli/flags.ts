/** Every flag and command there is, as data: the parser, the help page and the README test read this. */

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
    help: 'replaces every configured mode, not deny rules',
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
  diff: { kind: 'switch', help: 'mcp lock, mcp approve: what changed since tools were locked' },
  quiet: { kind: 'switch', short: 'q', help: 'no banner, no progress; warnings and errors only' },
  verbose: { kind: 'count', short: 'v', help: 'details on stderr; twice: messages as well' },
  'no-color': { kind: 'switch', help: 'no colours (also NO_COLOR, TERM=dumb)' },
  'no-input': { kind: 'switch', help: 'never ask: what needs a person is denied' },
  help: { kind: 'switch', short: 'h', help: 'show help' },
  version: { kind: 'switch', short: 'V', help: 'show the version' },
} as const satisfies Readonly<Record<string, Flag>>;

export type FlagName = keyof typeof FLAGS;

/** Flags that every command takes. */
const COMMON = ['quiet', 'verbose', 'no-color', 'no-input', 'help'] as const;
const CONNECTING = ['config', 'approve', 'server', 'patience', 'timeout'] as const;
const BARE_URL = ['header', 'bearer-env'] as const;

const LISTING = [
  ...CONNECTING,
  'elicit',
  ...BARE_URL,
  'output',
  'json',
  'strict',
  ...COMMON,
] as const;
const READING = [
  'config',
  'approve',
  'timeout',
  'elicit',
  ...BARE_URL,
  'output',
  'json',
  'artifacts',
  ...COMMON,
] as const;

export interface Command {
  /** What follows the command's name on the usage line. */
  readonly usage: string;
  readonly help: string;
  readonly flags: readonly FlagName[];
  readonly examples: readonly string[];
}

export const COMMANDS = {
  '': {
    usage: '--prompt TEXT',
    help: 'answer one prompt with the tools of your MCP servers',
    flags: [
      'prompt',
      ...CONNECTING,
      'model',
      'tool',
      'no-tool',
      'no-builtin-tools',
      'permissions',
      'yes',
      'on-denied',
      'elicit',
      'output',
      'json',
      'max-turns',
      'max-tokens',
      'strict',
      'stdin',
      'artifacts',
      'session',
      'continue',
      'ephemeral',
      ...COMMON,
      'version',
    ],
    examples: [
      'usher --prompt "which files changed last week?"',
      'git diff | usher -p "summarise this"',
      'usher -p "open issues?" --yes github/list_issues --output json',
    ],
  },
  tools: {
    usage: '[SERVER|URL]',
    help: 'list what is offered to the model, and why the rest is not',
    flags: [
      ...CONNECTING,
      'tool',
      'no-tool',
      'no-builtin-tools',
      'permissions',
      'yes',
      'elicit',
      ...BARE_URL,
      'output',
      'json',
      'all',
      'why',
      'strict',
      ...COMMON,
    ],
    examples: [
      'usher tools',
      'usher tools github --why',
      'usher tools https://mcp.example.com/mcp --json',
    ],
  },
  search: {
    usage: 'QUERY',
    help: 'tools that fit a request, best first',
    flags: [
      ...CONNECTING,
      'tool',
      'no-tool',
      'no-builtin-tools',
      'elicit',
      'output',
      'json',
      'batch',
      'strict',
      ...COMMON,
    ],
    examples: ['usher search "rename a file"', 'usher search --batch < queries.jsonl'],
  },
  call: {
    usage: 'SERVER|URL TOOL [JSON | KEY=VALUE ... | -]',
    help: 'call one tool; no model needed',
    flags: [
      'config',
      'approve',
      'timeout',
      'elicit',
      ...BARE_URL,
      'output',
      'json',
      'check',
      'artifacts',
      ...COMMON,
    ],
    examples: [
      'usher call workspace read_file path=README.md',
      'usher call workspace/read_file \'{"path":"README.md"}\'',
      'echo \'{"path":"README.md"}\' | usher call workspace read_file -',
    ],
  },
  run: {
    usage: 'FILE|- [-- ARG ...]',
    help: 'run a script that calls tools; no model needed',
    flags: [
      ...CONNECTING,
      'tool',
      'no-tool',
      'no-builtin-tools',
      'permissions',
      'yes',
      'on-denied',
      'elicit',
      'output',
      'json',
      'stdin',
      'check',
      'artifacts',
      ...COMMON,
    ],
    examples: [
      'usher run report.js -- 2026-01 > report.md',
      'git log --oneline | usher run label.js --yes github/add_labels',
      'usher run --check deploy.js --permissions auto',
    ],
  },
  mcp: {
    usage:
      'list | get NAME | add NAME [URL | -- PROGRAM ARG ...] | add-json NAME JSON | remove|enable|disable NAME | approve|reject NAME ... | reset | lock [NAME ...] | doctor [SERVER|URL]',
    help: 'show, change, approve or examine the configured servers',
    flags: [
      'config',
      'approve',
      'timeout',
      'check',
      'diff',
      'scope',
      'project',
      'command',
      'arg',
      'args',
      'env',
      'cwd',
      ...BARE_URL,
      'transport',
      'exposure',
      'description',
      'allow-private',
      'output',
      'json',
      ...COMMON,
    ],
    examples: [
      'usher mcp add docs https://mcp.example.com/mcp --bearer-env DOCS_TOKEN',
      'usher mcp add files -- npx -y @modelcontextprotocol/server-filesystem .',
      'usher mcp get docs',
      'usher mcp list --check',
      'usher mcp lock',
      'usher mcp doctor https://mcp.example.com/mcp',
    ],
  },
  resources: {
    usage: '[SERVER|URL]',
    help: 'list what servers offer for reading',
    flags: LISTING,
    examples: ['usher resources', 'usher resources https://mcp.example.com/mcp --json'],
  },
  read: {
    usage: 'SERVER|URL URI',
    help: 'print one resource; binary content is saved, its path printed',
    flags: READING,
    examples: ['usher read docs docs://guide > guide.md'],
  },
  prompts: {
    usage: '[SERVER|URL]',
    help: 'list the prepared texts of servers; required arguments have a star',
    flags: LISTING,
    examples: ['usher prompts', 'usher prompts docs --json'],
  },
  prompt: {
    usage: 'SERVER|URL NAME [JSON | KEY=VALUE ... | -]',
    help: 'have a server fill in one of its prompts',
    flags: READING,
    examples: ['usher prompt docs review language=en', 'usher prompt docs/review | usher -p -'],
  },
  skills: {
    usage: '[SERVER|URL]',
    help: 'list the skills of servers; no file of a skill is read',
    flags: LISTING,
    examples: ['usher skills', 'usher skills https://mcp.example.com/mcp'],
  },
  skill: {
    usage: 'SERVER|URL URI|NAME',
    help: 'print the SKILL.md of one skill and verify all its files',
    flags: READING,
    examples: ['usher skill docs skill://pdf-processing/SKILL.md'],
  },
  config: {
    usage: 'check|path|schema|example',
    help: 'check the configuration, show where it is, its JSON Schema, or an example',
    flags: ['config', 'approve', 'output', 'json', ...COMMON],
    examples: ['usher config check', 'usher config example > ~/.config/usher/config.yaml'],
  },
  sessions: {
    usage: 'list | show ID | resume ID | prune [ID ...|AGE]',
    help: 'saved conversations: list, print, go on at the terminal, remove (default: older than 30d)',
    flags: ['config', 'output', 'json', ...COMMON],
    examples: ['usher sessions list', 'usher sessions prune 7d'],
  },
  audit: {
    usage: 'verify|show [FILE|SESSION]',
    help: 'check the records of tool calls, or print one (default: verify all, show the newest)',
    flags: ['output', 'json', ...COMMON],
    examples: ['usher audit verify', 'usher audit show --json | jq .entries'],
  },
  help: {
    usage: '[TOPIC]',
    help: 'help on a command, or on: exit-codes, stdin, permissions, records, elicit',
    flags: [...COMMON],
    examples: ['usher help call'],
  },
} as const satisfies Readonly<Record<string, Command>>;

export type CommandName = keyof typeof COMMANDS;

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

export function isCommandName(name: string): name is CommandName {
  return name !== '' && Object.hasOwn(COMMANDS, name);
}
