/** Help pages from the same data the parser uses, made for the terminal's width; and topics in prose. */
import { UsageError } from '../base/errors.ts';
import { foldAtSpaces, nearestMatches } from '../base/text.ts';
import { COMMANDS, type Command, type CommandName, isCommandName } from './command-table.ts';
import { headOf, layRows, usageLines } from './help-layout.ts';
import { type Below, usageRows } from './help-usage.ts';
import { isMcpAction, MCP_ACTIONS, MCP_EVERYWHERE, mcpActions } from './mcp-actions.ts';
import { TOPICS } from './topics.ts';

/** Where stdout is no terminal. */
const DEFAULT_COLUMNS = 80;

/**
 * The help page of a command; `''` is the page of the program. Of `mcp` with the name of an action that action's
 * page; other words do not count. `columns`: the terminal's width; default 80.
 */
export async function renderHelp(
  name: CommandName,
  words: readonly string[] = [],
  columns: number = DEFAULT_COLUMNS,
): Promise<string> {
  const [action = ''] = words;
  if (name === 'mcp' && isMcpAction(action)) {
    const own: Command = MCP_ACTIONS[action];
    const flags = [...own.flags, ...MCP_EVERYWHERE, 'help' as const];
    return page(`mcp ${action}`, { ...own, flags }, columns, { action });
  }
  switch (name) {
    case '': {
      const names = Object.keys(COMMANDS).filter(isCommandName);
      const below = names.map((one) => [one, COMMANDS[one].help] as const);
      const more = ['usher COMMAND --help tells more about a command.', topicsText()];
      return page('', COMMANDS[name], columns, { title: 'COMMANDS', below, more });
    }
    case 'help':
      return page(name, COMMANDS[name], columns, { more: [topicsText()] });
    case 'mcp': {
      const below = mcpActions().map((one) => [one, MCP_ACTIONS[one].help] as const);
      const more = ['usher mcp ACTION --help shows the flags of one action.'];
      return page(name, COMMANDS[name], columns, { title: 'ACTIONS', below, more });
    }
    default:
      return page(name, COMMANDS[name], columns, {});
  }
}

/**
 * The page of a command or topic, of both where they share the name, or of `mcp ACTION`. Throws UsageError for
 * none of these. `columns`: the terminal's width; prose stays whole without.
 */
export async function renderTopic(
  [topic, action]: readonly string[],
  columns?: number,
): Promise<string> {
  if (topic === undefined) return renderHelp('', [], columns);
  if (topic === 'mcp' && action !== undefined && !isMcpAction(action)) {
    throw unknownTopic(`mcp ${action}`, action, mcpActions());
  }
  const pages = [
    ...(isCommandName(topic)
      ? [await renderHelp(topic, action === undefined ? [] : [action], columns)]
      : []),
    ...(Object.hasOwn(TOPICS, topic) ? [prose(TOPICS[topic] ?? '', columns)] : []),
  ];
  if (pages.length > 0) return pages.join('\n');
  const known = [...Object.keys(COMMANDS).filter((name) => name !== ''), ...Object.keys(TOPICS)];
  throw unknownTopic(topic, topic, [...new Set(known)]);
}

/** Whole in a pipe. */
function prose(text: string, columns: number | undefined): string {
  return columns === undefined ? text : foldAtSpaces(text, columns);
}

function unknownTopic(shown: string, word: string, known: readonly string[]): UsageError {
  const [nearest] = nearestMatches(word, known, 1);
  return new UsageError(`no help on "${shown}"`, {
    hint: nearest === undefined ? `topics: ${known.join(', ')}` : `did you mean ${nearest}?`,
  });
}

interface PageParts {
  readonly action?: string;
  /** Over what stands below. */
  readonly title?: string;
  readonly below?: Below;
  /** Sentences below that. */
  readonly more?: readonly string[];
}

/** What it does, how it is used, what stands below it, its flags and examples. */
async function page(
  name: string,
  { usage, help, flags, examples }: Command,
  columns: number,
  { action, title = '', below = [], more = [] }: PageParts,
): Promise<string> {
  const { options, commands } = await usageRows(flags, below, action);
  const sentences = more.flatMap((text) => foldAtSpaces(text, columns).split('\n'));
  const lines = [
    ...headOf(name, help, columns),
    '',
    ...usageLines(name, usage, columns),
    ...titled(title, layRows(commands, columns)),
    ...(sentences.length === 0 ? [] : ['', ...sentences]),
    ...titled('OPTIONS', layRows(options, columns)),
    ...titled(
      'EXAMPLES',
      examples.map((example) => `  ${example}`),
    ),
  ];
  return `${lines.join('\n')}\n`;
}

function titled(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', title, '', ...lines];
}

function topicsText(): string {
  return `usher help TOPIC tells about: ${Object.keys(TOPICS).join(', ')}.`;
}
