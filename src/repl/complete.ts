/** What Tab offers: commands, server names and `server/tool`. Pure. */

export interface Completion {
  /** Where the completed word starts; it ends at the cursor. */
  readonly from: number;
  /** What stands there now. */
  readonly text: string;
  /** Shown when more than one fits and nothing could be added. */
  readonly choices: readonly string[];
}

export interface Words {
  /** With their slash. */
  readonly commands: readonly string[];
  readonly servers: readonly string[];
  /** `server/tool`, original names. */
  readonly tools: readonly string[];
}

/** Commands followed by a server's name. */
const TAKES_SERVER = new Set(['tools', 'resources', 'prompts']);
/** More choices than this are not listed, only counted. */
const MAX_CHOICES = 60;

/** Completes the word before the cursor; unchanged when nothing fits. */
export function completeWord(text: string, cursor: number, words: Words): Completion {
  const before = text.slice(0, cursor);
  const from = before.search(/\S*$/);
  const word = before.slice(from);
  const fitting = candidatesFor(before, from, words).filter((one) => one.startsWith(word));
  const [only, ...others] = fitting;
  if (only === undefined || (word === '' && from === 0)) return { from, text: word, choices: [] };
  if (others.length === 0) return { from, text: `${only} `, choices: [] };
  const shared = sharedStart(fitting);
  return { from, text: shared, choices: shared === word ? listed(fitting) : [] };
}

function candidatesFor(before: string, from: number, words: Words): readonly string[] {
  if (from === 0 && before.startsWith('/')) return words.commands;
  const command = /^\/(\w+)\s+(\w*)/.exec(before);
  if (command === null) return before.slice(from).includes('/') ? words.tools : words.servers;
  const isArgument = before.slice(0, from).trim().split(/\s+/).length;
  if (TAKES_SERVER.has(command[1] ?? '')) return isArgument === 1 ? words.servers : [];
  if (command[1] === 'mcp') {
    if (isArgument === 1) return ['reconnect'];
    return isArgument === 2 && command[2] === 'reconnect' ? words.servers : [];
  }
  return [];
}

function sharedStart(words: readonly string[]): string {
  const [first = '', ...rest] = words;
  let length = first.length;
  for (const word of rest) {
    while (!word.startsWith(first.slice(0, length))) length -= 1;
  }
  return first.slice(0, length);
}

function listed(words: readonly string[]): readonly string[] {
  if (words.length <= MAX_CHOICES) return words;
  return [...words.slice(0, MAX_CHOICES), `… ${words.length - MAX_CHOICES} more`];
}
