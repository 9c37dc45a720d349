/** Text of a server made harmless before a model or a terminal sees it. */
import { replaceUnsafe, stripSequences } from '../base/characters.ts';

const REPLACEMENT = '\ufffd';

/**
 * The text without terminal sequences, control characters (`\n` and `\t` stay), bidi overrides and invisible
 * characters. Emoji joined by ZWJ and right-to-left text stay as they are. NUL is removed; lone surrogates,
 * U+FFFE and U+FFFF become U+FFFD; line and paragraph separators become `\n`.
 */
export function sanitizeText(text: string): string {
  return replaceUnsafe(stripSequences(text), (character) => {
    switch (character) {
      case '\u2028':
      case '\u2029':
        return '\n';
      case '\ufffe':
      case '\uffff':
        return REPLACEMENT;
      default:
        return '';
    }
  });
}

/** As `sanitizeText`, on one line of at most `maxCharacters`, for names and types inside a marker. */
export function sanitizeLabel(text: string, maxCharacters: number): string {
  const line = sanitizeText(text.slice(0, 4 * maxCharacters))
    .replace(/\s+/g, ' ')
    .trim();
  const characters = [...line];
  return characters.length <= maxCharacters
    ? line
    : `${characters.slice(0, maxCharacters - 1).join('')}…`;
}
