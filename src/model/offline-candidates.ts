/** Says what the router found, as lines to copy. */
import type { JsonValue } from '../base/json.ts';
import { shellWord } from '../base/shell.ts';
import { escapeForTerminal } from '../base/text.ts';
import type { RegisteredTool } from '../tools/types.ts';
import type { FilledCall } from './offline-fill.ts';
import { propertiesOf, typesOf } from './offline-literal.ts';

/** The message for a prompt that fits no tool clearly. `offered` = number of tools there are. */
export function describeCandidates(
  candidates: readonly { readonly tool: RegisteredTool; readonly filled: FilledCall }[],
  offered: number,
): string {
  if (offered === 0) return 'the offline router has no tools to choose from; nothing was called';
  if (candidates.length === 0) {
    return 'the offline router found no tool for this prompt; nothing was called. `usher tools` lists them';
  }
  const lines = candidates.map(({ tool, filled }) => `  ${callLine(tool, filled)}`);
  return `the offline router found no single clear and safe tool; nothing was called. Closest:\n${lines.join('\n')}`;
}

/** `usher call server/tool key=value …`; what is missing stands there in capitals. */
export function callLine(tool: RegisteredTool, { args, missing }: FilledCall): string {
  const properties = propertiesOf(tool);
  const given = Object.entries(args).map(([name, value]) => pair(name, value, properties[name]));
  const wanted = missing.map((name) => word(`${name}=${name.toUpperCase()}`));
  return ['usher call', word(`${tool.server}/${tool.name}`), ...given, ...wanted].join(' ');
}

/** `:=` where plain text would be read as another type. */
function pair(name: string, value: JsonValue | undefined, property: JsonValue | undefined): string {
  if (typeof value === 'string') return word(`${name}=${value}`);
  const isTyped = typesOf(property).length > 0 && typeof value !== 'object';
  return word(`${name}${isTyped ? '=' : ':='}${JSON.stringify(value)}`);
}

/** One word of a POSIX shell, safe to show: names and values may come from a server or a pipe. */
function word(text: string): string {
  return shellWord(escapeForTerminal(text.replace(/\s+/g, ' ')));
}
