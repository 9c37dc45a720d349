/** Text of a server as a person may see it: secrets masked, escaped, bounded, and never at the start of a line. */
import { scrubSecrets } from '../base/redact.ts';
import { escapeForTerminal, shorten, wrap } from '../base/text.ts';

/** What a server may say at once in a question. */
export const MAX_QUOTE_CHARACTERS = 1000;
const MARK = '  | ';

/** Lines of at most `columns`, each marked as quoted. Empty for blank text. */
export function quoteLines(
  text: string,
  columns: number,
  maxCharacters = MAX_QUOTE_CHARACTERS,
): readonly string[] {
  if (text.trim() === '') return [];
  const clean = escapeForTerminal(shorten(scrubSecrets(text.trim()), maxCharacters));
  const lines = wrap(clean.replaceAll('\t', '  '), columns - MARK.length);
  // Blank lines would push the question off the screen.
  const full = lines.filter((line, at) => line !== '' || lines[at - 1] !== '');
  return full.map((line) => `${MARK}${line}`.trimEnd());
}

/** The same on one line, for the middle of a sentence of ours. */
export function quoteInline(text: string, maxCharacters = 200): string {
  const line = scrubSecrets(text).replace(/\s+/g, ' ').trim();
  return escapeForTerminal(shorten(line, maxCharacters));
}

/**
 * A sentence of ours on lines of at most `columns`; `indent` stands before each, `hang` before the second
 * and further ones as well.
 */
export function ourLines(text: string, columns: number, indent = '', hang = ''): readonly string[] {
  const lines = wrap(text, columns - indent.length - hang.length);
  return lines.map((line, at) => `${indent}${at === 0 ? '' : hang}${line}`);
}
