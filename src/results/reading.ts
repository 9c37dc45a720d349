/** Pieces of a long text: by position, or around a literal text. Positions count code points. Pure. */
import { countCharacters, cutToCharacters, groupDigits } from '../base/text.ts';

/** Below the bound of a result, so that a piece is never cut itself. */
export const MAX_SLICE = 40_000;
export const DEFAULT_SLICE = 20_000;
export const MAX_CONTEXT = 2_000;
export const DEFAULT_CONTEXT = 200;
const MAX_PLACES = 50;

/** `limit` characters from `offset`, below a line that says which they are and where to go on. */
export function sliceText(text: string, offset: number, limit: number): string {
  const total = countCharacters(text);
  if (offset >= total) {
    return `[nothing at offset ${offset}: the result has ${groupDigits(total)} characters]`;
  }
  const start = cutToCharacters(text, offset).length;
  const piece = cutToCharacters(text.slice(start), Math.min(limit, MAX_SLICE));
  const end = offset + countCharacters(piece);
  const next = end < total ? `; go on with offset ${end}` : '; this is the end';
  const range = `${groupDigits(offset)} to ${groupDigits(end)} of ${groupDigits(total)}`;
  return `[characters ${range}${next}]\n${piece}`;
}

/**
 * Every place of `wanted`, letters A to Z in either case, with `context` characters around it; places
 * that overlap are shown once. At most 50 places and 40,000 characters, and the number of all.
 */
export function grepText(text: string, wanted: string, context: number): string {
  const around = Math.min(context, MAX_CONTEXT);
  const folded = foldCase(text);
  const needle = foldCase(wanted);
  const windows: { readonly from: number; to: number }[] = [];
  let matches = 0;
  let shown = 0;
  let length = 0;
  for (
    let at = folded.indexOf(needle);
    at !== -1;
    at = folded.indexOf(needle, at + needle.length)
  ) {
    matches += 1;
    // Once one is left out, so are all that follow.
    if (shown < matches - 1) continue;
    const last = windows.at(-1);
    const from = wholeStart(text, Math.max(0, at - around));
    const to = wholeStart(text, Math.min(text.length, at + needle.length + around));
    const isJoined = last !== undefined && from <= last.to;
    const more = to - (isJoined ? last.to : from);
    if (length + more > MAX_SLICE || (!isJoined && windows.length === MAX_PLACES)) continue;
    shown += 1;
    length += more;
    if (isJoined) last.to = to;
    else windows.push({ from, to });
  }
  if (matches === 0) return '[no match]';
  const rest = shown < matches ? `, the first ${groupDigits(shown)} are shown` : '';
  return [`[matches: ${groupDigits(matches)}${rest}]`, ...windowTexts(text, windows)].join('\n');
}

function windowTexts(
  text: string,
  windows: readonly { readonly from: number; readonly to: number }[],
): readonly string[] {
  let index = 0;
  let offset = 0;
  return windows.map(({ from, to }) => {
    offset += countCharacters(text.slice(index, from));
    index = from;
    return `[offset ${offset}]\n${text.slice(from, to)}`;
  });
}

/** Only letters whose other case has the same length: positions stay. */
function foldCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Not between the halves of one character. */
function wholeStart(text: string, index: number): number {
  const isInside =
    (text.charCodeAt(index) & 0xfc00) === 0xdc00 &&
    (text.charCodeAt(index - 1) & 0xfc00) === 0xd800;
  return isInside ? index - 1 : index;
}
