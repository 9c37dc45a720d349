/** Text for people: cutting at code points, width, wrapping, terminal escaping, spelling. */
import { replaceUnsafe } from './characters.ts';

/** Made when it is first needed: commands without a terminal do without. */
let graphemes: Intl.Segmenter | undefined;

/** Without one there is no pair to look for. */
const HIGH_SURROGATE = /[\ud800-\udbff]/;

/** Number of code points. */
export function countCharacters(text: string): number {
  if (!HIGH_SURROGATE.test(text)) return text.length;
  let pairs = 0;
  for (let index = 0; index < text.length; index += 1) {
    if ((text.charCodeAt(index) & 0xfc00) === 0xd800 && isLow(text, index + 1)) {
      pairs += 1;
      index += 1;
    }
  }
  return text.length - pairs;
}

/** The first `maxCharacters` code points; the same string when it is not longer. */
export function cutToCharacters(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  return text.slice(0, offsetOfCharacter(text, Math.max(0, maxCharacters)));
}

/** The last `maxCharacters` code points. */
export function lastCharacters(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  let index = text.length;
  for (let left = maxCharacters; left > 0 && index > 0; left -= 1) {
    index -= isLow(text, index - 1) && isHigh(text, index - 2) ? 2 : 1;
  }
  return text.slice(index);
}

/** The text on at most `maxCharacters` code points, with `…` where it was cut. */
export function shorten(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters || countCharacters(text) <= maxCharacters) return text;
  return `${cutToCharacters(text, Math.max(0, maxCharacters - 1))}…`;
}

/** Makes control, bidi and invisible characters visible as `\u{202e}`; keeps `\n` and `\t`. */
export function escapeForTerminal(text: string): string {
  return replaceUnsafe(text, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** A whole number with commas: 1,372. Making an Intl.NumberFormat costs 1 ms at start (Bun 1.4.5). */
export function groupDigits(value: number): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** Columns on a terminal; wide characters count two. */
export function displayWidth(text: string): number {
  return Bun.stringWidth(text);
}

/** Lines of at most `width` columns, broken at spaces where possible. Existing line ends stay. `width` below 1 counts as 1. */
export function wrap(text: string, width: number): string[] {
  const columns = Math.max(1, width);
  return text.split('\n').flatMap((line) => wrapLine(line, columns));
}

/** The beginning of the text in at most `columns` columns, with `…` where it was cut. Never cuts a cluster. */
export function cutToWidth(text: string, columns: number): string {
  // No cluster takes more room than its units, so a short text needs no look at its clusters.
  if (text.length * 2 <= columns || displayWidth(text) <= columns) return text;
  let kept = '';
  let used = 0;
  graphemes ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  for (const { segment } of graphemes.segment(text)) {
    const width = displayWidth(segment);
    if (used + width > columns - 1) break;
    kept += segment;
    used += width;
  }
  return `${kept}…`;
}

/** The text filled up with spaces to `columns`. */
export function padTo(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - displayWidth(text)));
}

/**
 * Lines wider than `columns` broken at spaces, each further part below the text of its line and never at the
 * start of one. A word that is wider than that, such as an address, stays whole. Escape sequences are no width.
 */
export function foldAtSpaces(text: string, columns: number): string {
  return text
    .split('\n')
    .flatMap((line) => foldLine(line, columns))
    .join('\n');
}

/**
 * Up to `limit` candidates that `word` may have meant, best first: small edit distance or one
 * containing the other. Case does not count. Ties keep the order of the candidates.
 */
export function nearestMatches(
  word: string,
  candidates: readonly string[],
  limit = 3,
): readonly string[] {
  const wanted = word.toLowerCase().slice(0, MAX_SPELLING_LENGTH);
  const unique = [...new Set(candidates)];
  const scored = unique.flatMap((candidate) => {
    const score = spellingScore(wanted, candidate.toLowerCase().slice(0, MAX_SPELLING_LENGTH));
    return score === undefined ? [] : [{ candidate, score }];
  });
  scored.sort((a, b) => a.score - b.score);
  return scored.slice(0, limit).map(({ candidate }) => candidate);
}

const MAX_SPELLING_LENGTH = 128;

/** Lower is nearer; `undefined` when it is another word. */
function spellingScore(wanted: string, candidate: string): number | undefined {
  if (wanted === candidate) return 0;
  const shorter = Math.min(wanted.length, candidate.length);
  const contains = shorter >= 3 && (isPartOf(wanted, candidate) || isPartOf(candidate, wanted));
  const longest = Math.max(wanted.length, candidate.length);
  // Slips seldom touch the first letter; two words that differ there as well are two words.
  const bound = wanted[0] === candidate[0] ? Math.max(1, Math.floor(longest / 3)) : 1;
  const isFar = Math.abs(wanted.length - candidate.length) > bound;
  const distance = isFar ? Number.POSITIVE_INFINITY : editDistance(wanted, candidate);
  const isNear = distance <= bound && distance < shorter;
  if (isNear && contains) return Math.min(distance, 1.5);
  if (isNear) return distance;
  return contains
    ? 1.5 + Math.abs(wanted.length - candidate.length) / MAX_SPELLING_LENGTH
    : undefined;
}

/** Stands in the other word as a word of its own (`issue` in `get_issues`), or makes up half of it. */
function isPartOf(part: string, whole: string): boolean {
  const at = whole.indexOf(part);
  if (at === -1) return false;
  return part.length * 2 >= whole.length || at === 0 || /[^a-z0-9]/.test(whole[at - 1] ?? '');
}

/** Edits (insert, delete, replace, swap of neighbours) from one word to the other. */
function editDistance(from: string, to: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1];
      let best = Math.min(
        at(previous, column) + 1,
        at(current, column - 1) + 1,
        at(previous, column - 1) + (same ? 0 : 1),
      );
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (row > 1 && column > 1 && swapped)
        best = Math.min(best, at(beforePrevious, column - 2) + 1);
      current.push(best);
    }
    beforePrevious = previous;
    previous = current;
  }
  return at(previous, to.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}

function wrapLine(line: string, columns: number): string[] {
  if (displayWidth(line) <= columns) return [line];
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(/(?<= )/)) {
    if (displayWidth(current + word.trimEnd()) <= columns) {
      current += word;
      continue;
    }
    if (current.trim() !== '') lines.push(current.trimEnd());
    const pieces = breakWord(word, columns);
    current = pieces.pop() ?? '';
    lines.push(...pieces);
  }
  if (current !== '') lines.push(current.trimEnd());
  return lines;
}

function breakWord(word: string, columns: number): string[] {
  if (displayWidth(word) <= columns) return [word];
  const pieces: string[] = [];
  let piece = '';
  let width = 0;
  for (const character of word) {
    const characterWidth = displayWidth(character);
    if (piece !== '' && width + characterWidth > columns) {
      pieces.push(piece);
      piece = '';
      width = 0;
    }
    piece += character;
    width += characterWidth;
  }
  pieces.push(piece);
  return pieces;
}

function foldLine(line: string, columns: number): readonly string[] {
  if (line.length * 2 <= columns || displayWidth(line) <= columns) return [line];
  const [mark = ''] = /^(?: {2}\| )? */.exec(line) ?? [];
  const lead = mark === '' ? '  ' : mark;
  const lines: string[] = [];
  let current = '';
  for (const word of line.slice(mark.length).split(/(?<= )(?=[^ ])/)) {
    const start = lines.length === 0 ? mark : lead;
    const isFull = displayWidth(start + current + word.trimEnd()) > columns;
    if (isFull && current !== '') {
      lines.push(start + current.trimEnd());
      current = word;
    } else current += word;
  }
  return [...lines, (lines.length === 0 ? mark : lead) + current];
}

function offsetOfCharacter(text: string, characters: number): number {
  let index = 0;
  for (let left = characters; left > 0 && index < text.length; left -= 1) {
    index += isHigh(text, index) && isLow(text, index + 1) ? 2 : 1;
  }
  return index;
}

function isHigh(text: string, index: number): boolean {
  return (text.charCodeAt(index) & 0xfc00) === 0xd800;
}

function isLow(text: string, index: number): boolean {
  return (text.charCodeAt(index) & 0xfc00) === 0xdc00;
}
