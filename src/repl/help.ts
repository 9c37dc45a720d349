/** What /help prints, laid out for the width of the terminal. */
import { wrap } from '../base/text.ts';

const INTRODUCTION = 'Type a prompt and press Enter. Alt-Enter or a paste makes several lines.';

const COMMANDS: readonly (readonly [usage: string, about: string])[] = [
  ['/tools [SERVER]', 'tools that the model may use, and why the others are hidden'],
  ['/mcp', 'servers: state, protocol, tools, last error'],
  ['/mcp reconnect NAME', 'connect a server again'],
  ['/mcp login NAME', 'sign in to a server in the browser, and connect it'],
  ['/permissions [SERVER]', 'what a call of the model meets, which rule says so, what you allowed'],
  ['/permissions forget SERVER/TOOL', 'take back what you allowed, for this session and for good'],
  ['/resources [SERVER]', 'what servers offer for reading'],
  ['/prompts [SERVER]', 'prepared texts of servers; required arguments have a star'],
  ['/SERVER:PROMPT k=v …', 'have the server fill it in, and run it'],
  ['/help', 'this text'],
  ['/exit', 'leave (also Ctrl-D)'],
];

const KEYS =
  'Ctrl-C cancels what is running; a second one ends usher at once. Tab completes names.';

const INDENT = 2;
const NAME_COLUMNS = 23;
/** Below this the text stands under its command. */
const MIN_COLUMNS = 60;
const NARROW_INDENT = 6;

/** No line is wider than the terminal, and none is broken inside a word that fits on one. */
export function helpLines(columns: number): readonly string[] {
  // In its last column some terminals break the line already.
  const width = Math.max(1, columns - 1);
  return [
    ...wrap(INTRODUCTION, width),
    '',
    ...COMMANDS.flatMap(([usage, about]) => commandLines(usage, about, width)),
    '',
    ...wrap(KEYS, width),
  ];
}

function commandLines(usage: string, about: string, width: number): readonly string[] {
  const isNarrow = width < MIN_COLUMNS;
  const indent = isNarrow ? NARROW_INDENT : INDENT + NAME_COLUMNS;
  const texts = wrap(about, width - indent).map((line) => ' '.repeat(indent) + line);
  const [first = '', ...rest] = texts;
  const isOwnLine = isNarrow || usage.length > NAME_COLUMNS - 2;
  const name = ' '.repeat(INDENT) + usage;
  if (isOwnLine) return [...wrap(name, width), ...texts];
  return [name.padEnd(indent) + first.slice(indent), ...rest];
}
