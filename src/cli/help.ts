/** Help pages from the same data the parser uses, made for the terminal's width; and topics in prose. */
import { UsageError } from '../base/errors.ts';
import { foldAtSpaces, nearestMatches } from '../base/text.ts';
import { COMMANDS, type Command, type CommandName, isCommandName } from './command-table.ts';
import { commandRows, flagRows, headOf, layRows, usageLines } from './help-layout.ts';
import { isMcpAction, MCP_ACTIONS, MCP_EVERYWHERE, mcpActions } from './mcp-actions.ts';
import { TOPICS } from './topics.ts';

/** Where stdout is no terminal. */
const DEFAULT_COLUMNS = 80;

/**
 * The help page of a command; `''` is the page of the program. Of `mcp` with the name of an action that action's
 * page; other words do not count. `columns`: the terminal's width; default 80.
 */
export function renderHelp(
  name: CommandName,
  words: readonly string[] = [],
  columns: number = DEFAULT_COLUMNS,
): string {
  const [action = ''] = words;
  if (name === 'mcp' && isMcpAction(action)) {
    const own: Command = MCP_ACTIONS[action];
    const flags = [...own.flags, ...MCP_EVERYWHERE, 'help' as const];
    return page(`mcp ${action}`, { ...own, flags }, [], columns, action);
  }
  switch (name) {
    case '':
      return page(
        '',
        COMMANDS[name],
        [...commandsBlock(columns), ...topicsBlock(columns)],
        columns,
      );
    case 'help':
      return page(name, COMMANDS[name], ['', ...topicsBlock(columns)], columns);
    case 'mcp':
      return page(name, COMMANDS[name], actionsBlock(columns), columns);
    default:
      return page(name, COMMANDS[name], [], columns);
  }
}

/**
 * The page of a command or topic, of both where they share the name, or of `mcp ACTION`. Throws UsageError for
 * none of these. `columns`: the terminal's width; prose stays whole without.
 */
export function renderTopic([topic, action]: readonly string[], columns?: number): string {
  if (topic === undefined) return renderHelp('', [], columns);
  if (topic === 'mcp' && action !== undefined && !isMcpAction(action)) {
    throw unknownTopic(`mcp ${action}`, action, mcpActions());
  }
  const pages = [
    ...(isCommandName(topic)
      ? [renderHelp(topic, action === undefined ? [] : [action], columns)]
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

/** What it does, how it is used, `blocks`, its flags and examples. */
function page(
  name: string,
  { usage, help, flags, examples }: Command,
  blocks: readonly string[],
  columns: number,
  action?: string,
): string {
  const lines = [
    ...headOf(name, help, columns),
    '',
    ...usageLines(name, usage, columns),
    ...blocks,
    ...titled('OPTIONS', layRows(flagRows(flags, action), columns)),
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

function commandsBlock(columns: number): readonly string[] {
  const names = Object.keys(COMMANDS).filter(isCommandName);
  return titled('COMMANDS', [
    ...layRows(commandRows(names.map((name) => [name, COMMANDS[name].help])), columns),
    '',
    ...foldAtSpaces('usher COMMAND --help tells more about a command.', columns).split('\n'),
  ]);
}

function topicsBlock(columns: number): readonly string[] {
  const text = `usher help TOPIC tells about: ${Object.keys(TOPICS).join(', ')}.`;
  return foldAtSpaces(text, columns).split('\n');
}

function actionsBlock(columns: number): readonly string[] {
  const rows = mcpActions().map((action) => [action, MCP_ACTIONS[action].help] as const);
  return titled('ACTIONS', [
    ...layRows(commandRows(rows), columns),
    '',
    ...foldAtSpaces('usher mcp ACTION --help shows the flags of one action.', columns).split('\n'),
  ]);
}
