/** From names and texts to the words a search compares. Pure; any script. */
import { stem } from './search-stem.ts';

/** Longer texts are cut: what a tool is for stands at the beginning. */
const MAX_TEXT = 8_000;
const STOP_WORDS: ReadonlySet<string> = new Set(
  `a an and any are as at be been but by can could did do does for from had has have he her his how i if
  in into is it its just let like may me might mine my need of off on or our out please she should so some such than that the
  their them then there these they this those to too up us use used using very want was we were what when where
  which who whom whose will with would you your yours shall also am being about`
    .split(/\s+/)
    .filter((word) => word !== ''),
);
/** Scripts written without spaces. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;
const WORD = /[\p{L}\p{M}]+|\p{N}+/gu;

/** Stems of a name or text without stop words, in order: split at case changes, digits and all that is no letter. */
export function wordsOf(text: string): readonly string[] {
  const words: string[] = [];
  for (const word of splitWords(text)) {
    const found = meant.get(word) ?? meaningOf(word);
    if (found !== '') words.push(found);
  }
  return words;
}

/** Stems by word as written, empty for stop words: the same few thousand words come again and again. */
const meant = new Map<string, string>();
const MAX_MEANT = 50_000;

function meaningOf(word: string): string {
  const found = STOP_WORDS.has(word) ? '' : stem(word);
  if (meant.size >= MAX_MEANT) meant.clear();
  meant.set(word, found);
  return found;
}

/**
 * Words in lower case as written, stop words too. Text of a script without spaces becomes pairs of
 * characters, so that it is found without a dictionary.
 */
export function splitWords(text: string): readonly string[] {
  const cut = text.length > MAX_TEXT ? text.slice(0, MAX_TEXT) : text;
  if (isPlain(cut)) return splitPlain(cut);
  const spaced = cut
    .normalize('NFKC')
    .replace(/(\p{Lu}{2,})s(?!\p{L})/gu, '$1')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .replace(/['’](?:s|re|ve|ll|d|m|t)\b/g, ' ')
    .toLowerCase();
  return (spaced.match(WORD) ?? []).flatMap(withPairs);
}

/** The same for ASCII, which most texts are: several times faster. `PDFs` is one word. */
function splitPlain(text: string): readonly string[] {
  const spaced = text
    .replace(/([A-Z]{2,})s(?![A-Za-z])/g, '$1')
    .replace(/([a-z])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$1$3 $2');
  const short = spaced.includes("'") ? spaced.replace(/'(?:s|re|ve|ll|d|m|t)\b/g, ' ') : spaced;
  return short.toLowerCase().match(/[a-z]+|[0-9]+/g) ?? [];
}

export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}

/** Runs of characters of scripts without spaces, for a look-up in a glossary. */
export function unspacedRuns(text: string): readonly string[] {
  return isPlain(text) ? [] : (text.slice(0, MAX_TEXT).normalize('NFKC').match(UNSPACED) ?? []);
}

/** Accents off: `résumé` → `resume`. */
export function fold(word: string): string {
  return isPlain(word) ? word : word.normalize('NFD').replace(/\p{M}+/gu, '');
}

function isPlain(text: string): boolean {
  return /^[\x20-\x7e\s]*$/.test(text);
}

function withPairs(word: string): readonly string[] {
  if (isPlain(word)) return [word];
  const parts: string[] = [];
  let at = 0;
  for (const run of word.matchAll(UNSPACED)) {
    if (run.index > at) parts.push(fold(word.slice(at, run.index)));
    parts.push(...pairsOf([...run[0]]));
    at = run.index + run[0].length;
  }
  if (at < word.length) parts.push(fold(word.slice(at)));
  return parts;
}

function pairsOf(characters: readonly string[]): readonly string[] {
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, index) => `${characters[index] ?? ''}${character}`);
}
