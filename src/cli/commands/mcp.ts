/** `usher mcp`: which action, and which flags go with it. Each action is loaded when it runs. */
import { UsageError } from '../../base/errors.ts';
import type { ExitCode } from '../../base/exit.ts';
import { nearestMatches } from '../../base/text.ts';
import { OAUTH } from '../command-table.ts';
import type { Context } from '../context.ts';
import type { FlagName } from '../flags.ts';
import type { ParsedLine } from '../parse.ts';
import { noMoreWords, oneWord } from '../words.ts';

const SCOPE = ['scope', 'project'] as const;

/** Every action with the flags that only some actions take. */
const ACTIONS = {
  list: ['check', 'approve', 'timeout'],
  get: ['approve'],
  add: [
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
  'add-json': SCOPE,
  remove: SCOPE,
  enable: SCOPE,
  disable: SCOPE,
  login: ['no-browser', 'print-url', 'code', 'device', ...OAUTH, 'header', 'approve', 'timeout'],
  logout: [...OAUTH, 'approve', 'timeout'],
  approve: ['diff', 'timeout'],
  reject: [],
  reset: [],
  lock: ['diff', 'approve', 'timeout'],
  doctor: ['header', 'bearer-env', ...OAUTH, 'approve', 'timeout'],
} as const satisfies Readonly<Record<string, readonly FlagName[]>>;

type Action = keyof typeof ACTIONS;

/** Flags that go with every action. */
const EVERYWHERE: readonly FlagName[] = [
  'config',
  'output',
  'json',
  'quiet',
  'verbose',
  'no-color',
  'no-input',
];

export async function runMcp(context: Context, line: ParsedLine): Promise<ExitCode> {
  const [word, ...rest] = line.words;
  const action = actionOf(word);
  checkFlags(action, line);
  switch (action) {
    case 'list': {
      noMoreWords(rest, 'mcp list');
      return (await import('./mcp-list.ts')).runList(context);
    }
    case 'get':
      return (await import('./mcp-get.ts')).runGet(context, oneWord(rest, 'mcp get'));
    case 'add':
      return (await import('./mcp-add.ts')).runAdd(context, rest, line.dashed);
    case 'add-json':
      return (await import('./mcp-add.ts')).runAddJson(context, rest);
    case 'remove':
    case 'enable':
    case 'disable':
      return (await import('./mcp-change.ts')).runChange(context, action, oneWord(rest, 'mcp'));
    case 'login':
      return (await import('./login.ts')).runServerLogin(context, rest);
    case 'logout':
      return (await import('./login.ts')).runServerLogout(context, rest);
    case 'lock':
      return (await import('./mcp-lock.ts')).runLock(context, rest);
    case 'approve':
      if (context.options.diff)
        return (await import('./mcp-lock.ts')).runApproveDiff(context, rest);
      return (await import('./mcp-trust.ts')).runDecide(context, action, rest);
    case 'reject':
      return (await import('./mcp-trust.ts')).runDecide(context, action, rest);
    case 'reset': {
      noMoreWords(rest, 'mcp reset');
      return (await import('./mcp-trust.ts')).runReset(context);
    }
    case 'doctor':
      return (await import('./mcp-doctor.ts')).runDoctor(context, rest);
  }
}

function actionOf(word: string | undefined): Action {
  const names = Object.keys(ACTIONS).filter(isAction);
  if (word !== undefined && isAction(word)) return word;
  const [nearest] = nearestMatches(word ?? '', names, 1);
  throw new UsageError(
    word === undefined ? 'mcp: which action?' : `mcp: unknown action "${word}"`,
    { hint: nearest === undefined ? names.join(', ') : `did you mean ${nearest}?` },
  );
}

function isAction(word: string): word is Action {
  return Object.hasOwn(ACTIONS, word);
}

function flagsOf(action: Action): readonly FlagName[] {
  return ACTIONS[action];
}

function checkFlags(action: Action, { flags }: ParsedLine): void {
  const allowed: readonly FlagName[] = [...EVERYWHERE, ...flagsOf(action)];
  for (const name of flags.keys()) {
    if (allowed.includes(name)) continue;
    const others = Object.keys(ACTIONS)
      .filter(isAction)
      .filter((other) => flagsOf(other).includes(name));
    throw new UsageError(`--${name} does not go with usher mcp ${action}`, {
      hint: `it goes with usher mcp ${others.join(', ')}`,
    });
  }
}
