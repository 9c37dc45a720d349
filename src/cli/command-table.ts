/** Every command there is with its flags, as data: the parser, the help page and the README test read this. */
import type { FlagName } from './flags.ts';

/** Flags that every command takes. */
const COMMON = ['quiet', 'verbose', 'no-color', 'no-input', 'help'] as const;
const CONNECTING = ['config', 'approve', 'server', 'patience', 'timeout'] as const;
/** Which tools, and how they are asked about. */
const SELECTING = ['tool', 'no-tool', 'no-builtin-tools', 'permissions', 'yes'] as const;
const SIGNING_IN = ['no-browser', 'print-url', 'code', 'device'] as const;
/** Flags that tell about a sign-in. */
export const OAUTH = [
  'client-id',
  'client-secret-env',
  'client-metadata-url',
  'client-name',
  'grant',
  'private-key',
  'alg',
  'idp',
  'assertion',
  'dpop',
  'oauth-scope',
  'callback-port',
  'auth-server-metadata-url',
] as const;
const BARE_URL = ['header', 'bearer-env', ...OAUTH] as const;

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
      ...SELECTING,
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
      ...SELECTING,
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
      'limit',
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
      ...SELECTING,
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
      'list | get NAME | add NAME [URL | -- PROGRAM ARG ...] | add-json NAME JSON | remove|enable|disable NAME | login|logout NAME|URL | approve|reject NAME ... | reset | lock [NAME ...] | doctor [SERVER|URL]',
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
      ...SIGNING_IN,
      'output',
      'json',
      ...COMMON,
    ],
    examples: [
      'usher mcp add docs https://mcp.example.com/mcp --bearer-env DOCS_TOKEN',
      'usher mcp add files -- npx -y @modelcontextprotocol/server-filesystem .',
      'usher mcp get docs',
      'usher mcp login docs',
      'usher mcp list --check',
      'usher mcp lock',
      'usher mcp doctor https://mcp.example.com/mcp',
    ],
  },
  login: {
    usage: 'NAME',
    help: 'sign in to a login that logins: describes; for a server: usher mcp login',
    flags: ['config', 'timeout', ...SIGNING_IN, 'oauth-scope', 'output', 'json', ...COMMON],
    examples: ['usher login work', 'usher login work --device'],
  },
  logout: {
    usage: 'NAME',
    help: 'revoke and forget what usher login keeps',
    flags: ['config', 'timeout', 'output', 'json', ...COMMON],
    examples: ['usher logout work'],
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
    usage: '[COMMAND | mcp ACTION | TOPIC]',
    help: 'help on a command, an action of mcp, or a topic',
    flags: [...COMMON],
    examples: ['usher help call', 'usher help mcp add', 'usher help permissions'],
  },
} as const satisfies Readonly<Record<string, Command>>;

export type CommandName = keyof typeof COMMANDS;

export function isCommandName(name: string): name is CommandName {
  return name !== '' && Object.hasOwn(COMMANDS, name);
}
