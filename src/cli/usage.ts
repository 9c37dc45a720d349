/** How a command is used, for the end of a usage error. */
import { COMMANDS, type CommandName } from './command-table.ts';
import type { Screen } from './screen.ts';

/**
 * The usage of the action that `words` (behind the command) begin with, or of the whole command, broken
 * between actions to lines of at most `columns` where that can be done.
 */
export function usageText(name: CommandName, words: readonly string[], columns: number): string {
  const command = name === '' ? 'usher' : `usher ${name}`;
  const actions = alternatives(COMMANDS[name].usage);
  const own = actions.find((action) => takesWord(action, words[0]));
  const [first = '', ...more] = own === undefined ? actions : [own];
  const pieces = [`usage: ${command} ${first}`, ...more.map((action) => `| ${action}`)];
  // The actions of mcp have pages of their own.
  const page = name === 'mcp' && own !== undefined ? `${command} ${words[0]}` : command;
  const help = `or: ${page} --help`;
  const lines: string[] = [];
  for (const [index, piece] of [...pieces, help].entries()) {
    const last = lines.at(-1);
    const joined = `${last}${index === pieces.length ? ', ' : ' '}${piece}`;
    if (last === undefined) lines.push(piece);
    else if (joined.length <= columns) lines.splice(-1, 1, joined);
    else lines.push(`  ${piece}`);
  }
  return lines.join('\n');
}

/** The log sets further lines of a message in by two. */
export function usageColumns(screen: Pick<Screen, 'columns'>): number {
  return screen.columns() - 2;
}

/** The parts between bars that stand in no brackets. */
function alternatives(usage: string): readonly string[] {
  const parts: string[] = [];
  for (const part of usage.split(' | ')) {
    const last = parts.at(-1);
    if (last !== undefined && last.split('[').length > last.split(']').length) {
      parts.splice(-1, 1, `${last} | ${part}`);
    } else parts.push(part);
  }
  return parts;
}

/** `remove|enable|disable NAME` is of three words. */
function takesWord(action: string, word: string | undefined): boolean {
  const [head = ''] = action.split(' ');
  return word !== undefined && /^[a-z]/.test(word) && head.split('|').includes(word);
}
