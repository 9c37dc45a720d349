/** Words of an index a typing slip away from one that it does not have. */
import type { Vocabulary } from './search-query.ts';

export type SpellingVocabulary = Vocabulary;

/** Shorter words have too many neighbours. */
const MIN_TYPO_LENGTH = 4;
/** From this length on two slips are believed. */
const TWO_SLIPS = 8;
const MAX_SIMILAR = 2;

/** Looks at the keys of `words`; they are put in order at the first slip only. */
export function createVocabulary(words: ReadonlyMap<string, unknown>): SpellingVocabulary {
  let byShape: Map<string, string[]> | undefined;
  const known = new Map<string, readonly string[]>();
  return {
    has: (word) => words.has(word),
    similar(word) {
      if (word.length < MIN_TYPO_LENGTH || !/^[a-z]+$/.test(word)) return [];
      const cached = known.get(word);
      if (cached !== undefined) return cached;
      byShape ??= shapesOf(words.keys());
      const found = nearest(word, byShape);
      known.set(word, found);
      return found;
    },
  };
}

function shapesOf(words: Iterable<string>): Map<string, string[]> {
  const shapes = new Map<string, string[]>();
  for (const word of words) {
    if (word.length < MIN_TYPO_LENGTH - 1) continue;
    const key = `${word[0]}${word.length}`;
    const group = shapes.get(key);
    if (group === undefined) shapes.set(key, [word]);
    else group.push(word);
  }
  return shapes;
}

function nearest(word: string, shapes: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const slips = word.length >= TWO_SLIPS ? 2 : 1;
  const found: { readonly word: string; readonly distance: number }[] = [];
  for (let length = word.length - slips; length <= word.length + slips; length += 1) {
    // The first letter is seldom wrong; swapped with the second it is still there.
    for (const first of new Set([word[0], word[1]])) {
      for (const other of shapes.get(`${first}${length}`) ?? []) {
        const distance = slipsBetween(word, other, slips);
        if (distance <= slips) found.push({ word: other, distance });
      }
    }
  }
  found.sort((a, b) => a.distance - b.distance || (a.word < b.word ? -1 : 1));
  const closest = found[0]?.distance;
  return found
    .filter(({ distance }) => distance === closest)
    .slice(0, MAX_SIMILAR)
    .map((one) => one.word);
}

/** Letters put in, left out, changed or swapped with their neighbour; more than `most` is `most + 1`. */
export function slipsBetween(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    let lowest = i;
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1];
      let cost = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (isSame ? 0 : 1),
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      }
      row.push(cost);
      lowest = Math.min(lowest, cost);
    }
    if (lowest > most) return most + 1;
    before = last;
    last = row;
  }
  return last[b.length] ?? most + 1;
}
