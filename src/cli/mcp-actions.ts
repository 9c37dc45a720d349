/** The actions of `usher mcp`, as data: the command checks flags by it, the help page reads it. */
import { type Command, OAUTH } from './command-table.ts';
import type { FlagName } from './flags.ts';

const SCOPE = ['scope', 'project'] as const;

export const MCP_ACTIONS = {
  list: {
    usage: '',
    help: 'the configured servers: kind, state, and the file that each stands in',
    flags: ['check', 'approve', 'timeout'],
    examples: ['usher mcp list --check'],
  },
  get: {
    usage: 'NAME',
    help: 'what holds for one server, and which line of which file says so',
    flags: ['approve'],
    examples: ['usher mcp get docs'],
  },
  add: {
    usage: 'NAME [URL | -- PROGRAM ARG ...]',
    help: 'write one server into a configuration file; nothing is connected to',
    flags: [
      ...SCOPE,
      'command',
      'arg',
      'args',
      'env',
      'cwd',
      'header',
      'bearer-env',
      ...OAUTH,
      'transport',
      'exposure',
      'description',
      'allow-private',
    ],
    examples: [
      'usher mcp add docs https://mcp.example.com/mcp --bearer-env DOCS_TOKEN',
      'usher mcp add files -- npx -y @modelcontextprotocol/server-filesystem .',
    ],
  },
  'add-json': {
    usage: 'NAME JSON',
    help: 'write one server, given as JSON in our spelling or as other hosts write it',
    flags: SCOPE,
    examples: [`usher mcp add-json files '{"command": "npx", "args": ["-y", "package"]}'`],
  },
  remove: {
    usage: 'NAME',
    help: 'take one server out of its file; a sign-in that nothing uses any more is revoked',
    flags: SCOPE,
    examples: ['usher mcp remove docs'],
  },
  enable: {
    usage: 'NAME',
    help: 'let a server start again',
    flags: SCOPE,
    examples: ['usher mcp enable docs'],
  },
  disable: {
    usage: 'NAME',
    help: 'keep a server from starting; one of a project is switched in .usher/local.yaml',
    flags: SCOPE,
    examples: ['usher mcp disable docs'],
  },
  login: {
    usage: 'NAME|URL',
    help: 'sign in to a server; usher help login tells how',
    flags: ['no-browser', 'print-url', 'code', 'device', ...OAUTH, 'header', 'approve', 'timeout'],
    examples: ['usher mcp login docs', 'usher mcp login docs --device'],
  },
  logout: {
    usage: 'NAME|URL',
    help: 'revoke and forget the sign-in to a server',
    flags: [...OAUTH, 'approve', 'timeout'],
    examples: ['usher mcp logout docs'],
  },
  approve: {
    usage: 'NAME ...',
    help: 'let servers of a project file start, until their entries change; usher help trust tells more',
    flags: ['diff', 'timeout'],
    examples: ['usher mcp approve docs', 'usher mcp approve --diff docs'],
  },
  reject: {
    usage: 'NAME ...',
    help: 'never start servers of a project file, until their entries change',
    flags: [],
    examples: ['usher mcp reject docs'],
  },
  reset: {
    usage: '',
    help: 'forget all decisions about the servers of this project',
    flags: [],
    examples: ['usher mcp reset'],
  },
  lock: {
    usage: '[NAME ...]',
    help: 'write what the tools of servers are now into usher.lock; what changes later is withheld',
    flags: ['diff', 'approve', 'timeout'],
    examples: ['usher mcp lock', 'usher mcp lock --diff'],
  },
  doctor: {
    usage: '[SERVER|URL]',
    help: 'connect step by step and say what is wrong, and what helps (default: every server)',
    flags: ['header', 'bearer-env', ...OAUTH, 'approve', 'timeout'],
    examples: ['usher mcp doctor docs', 'usher mcp doctor https://mcp.example.com/mcp'],
  },
} as const satisfies Readonly<Record<string, Command>>;

export type McpAction = keyof typeof MCP_ACTIONS;

/** Flags that go with every action. */
export const MCP_EVERYWHERE: readonly FlagName[] = [
  'config',
  'output',
  'json',
  'quiet',
  'verbose',
  'no-color',
  'no-input',
];

export function isMcpAction(word: string): word is McpAction {
  return Object.hasOwn(MCP_ACTIONS, word);
}

export function mcpActions(): readonly McpAction[] {
  return Object.keys(MCP_ACTIONS).filter(isMcpAction);
}

/** Those of the action alone. */
export function flagsOfAction(action: McpAction): readonly FlagName[] {
  return MCP_ACTIONS[action].flags;
}
