/** Related words by stem, read from the thesaurus at first use. */
import { stem } from './search-stem.ts';
import { THESAURUS } from './search-thesaurus.ts';
import { TRADES } from './search-trades.ts';

export interface RelatedWord {
  readonly word: string;
  readonly weight: number;
}

/** Two spellings of one thing. */
const SAME_WEIGHT = 0.9;
/** One thing that another may mean. */
const LIKE_WEIGHT = 0.65;
/** Longest phrase, words. */
export const MAX_PHRASE = 3;

/** They may matter, but seldom do. */
const WEAK_WORDS: ReadonlySet<string> = new Set(
  `ask away back begin big boss bring call case charge chose colleague come company day everything exact exactly far few finish first
  friend full give go good got great grandmother group hand happen help here hope idea instead keep know last late leave left
  little live long look lot love make many matter mean minute moment month more morning most much myself name necessary new next nice
  now number old once one open other own part people piece place point possible project put quick quickly real really right second see
  set show side simple single small somebody someone something still stuff sure take team tell thing think three time today together
  tomorrow touch try turn two useful way week well whole without word work world worth write wrong year yesterday yet every everybody
  anything anyone nowadays always never again after before between during while because since until only just even also both each per
  then than over under off up down out through around across along upon within four five six seven eight nine ten`
    .split(/\s+/)
    .filter((word) => word !== ''),
);

/** True for a word, as written in lower case, that says little about what tool is wanted. */
export function isWeakWord(word: string): boolean {
  return WEAK_WORDS.has(word);
}

let lexicon: ReadonlyMap<string, readonly RelatedWord[]> | undefined;

/** Words that a stem, or a phrase of stems joined with `_`, may stand for; not itself. */
export function relatedWords(word: string): readonly RelatedWord[] {
  lexicon ??= readThesaurus(THESAURUS + TRADES);
  return lexicon.get(word) ?? [];
}

function readThesaurus(text: string): ReadonlyMap<string, readonly RelatedWord[]> {
  const found = new Map<string, Map<string, number>>();
  const relate = (from: string, to: string, weight: number) => {
    if (from === to) return;
    const words = found.get(from) ?? new Map<string, number>();
    words.set(to, Math.max(words.get(to) ?? 0, weight));
    found.set(from, words);
  };
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [left = '', right] = line.split(' > ');
    if (right === undefined) {
      const same = line.split(' = ').map(stemAll);
      for (const from of same) for (const to of same) relate(from, to, SAME_WEIGHT);
      continue;
    }
    for (const from of left.split(' ').map(stemAll)) {
      for (const to of right.split(' ').map(stemAll)) relate(from, to, LIKE_WEIGHT);
    }
  }
  return new Map(
    [...found].map(([from, words]) => [
      from,
      [...words].map(([word, weight]) => ({ word, weight })),
    ]),
  );
}

function stemAll(written: string): string {
  return written.trim().split('_').map(stem).join('_');
}
