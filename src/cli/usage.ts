/** One line that says how a command is used. */
import { COMMANDS, type CommandName } from './command-table.ts';

export function usageLine(name: CommandName): string {
  return `usher ${name === '' ? '' : `${name} `}${COMMANDS[name].usage}, or: usher ${name === '' ? '' : `${name} `}--help`;
}
