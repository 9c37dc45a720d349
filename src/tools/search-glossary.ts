/** General words of other languages in English, both for what people type and for how tools are described. */

import { SPACED_GLOSSARY, UNSPACED_GLOSSARY } from './search-glossary-words.ts';
import { stem } from './search-stem.ts';
import { unspacedRuns } from './search-words.ts';

/** Longest entry of a script without spaces, characters. */
const MAX_ENTRY = 6;

let unspaced: ReadonlyMap<string, readonly string[]> | undefined;
let spaced: ReadonlyMap<string, readonly string[]> | undefined;

/** Stems of the English words for what a text says in a script without spaces; longest entries first. */
export function glossaryWords(text: string): readonly string[] {
  const runs = unspacedRuns(text);
  if (runs.length === 0) return [];
  unspaced ??= readGlossary(UNSPACED_GLOSSARY);
  const glossary = unspaced;
  return runs.flatMap((run) => lookUp([...run], glossary));
}

/**
 * English words for those words (lower case, accents off) that are of another language: a word that is no
 * word of the tools, or any once most of the others are foreign, too. An empty list: a word without meaning
 * of its own.
 */
export function foreignForms(
  words: readonly string[],
  isKnown: (word: string) => boolean,
): ReadonlyMap<string, readonly string[]> {
  spaced ??= readGlossary(SPACED_GLOSSARY);
  const glossary = spaced;
  const candidates = words.filter((word) => glossary.has(word));
  const strange = words.filter((word) => !isKnown(word));
  const isForeign = candidates.length >= 2 && candidates.length + strange.length > words.length;
  const found = candidates.filter((word) => isForeign || !isKnown(word));
  return new Map(found.map((word) => [word, glossary.get(word) ?? []]));
}

function readGlossary(text: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const line of text.split('\n')) {
    const [left, right] = line.split(':');
    if (left === undefined || right === undefined) continue;
    const words = right
      .split(' ')
      .filter((word) => word !== '')
      .map(stem);
    for (const key of left.split(' ')) {
      if (key !== '') found.set(key, [...(found.get(key) ?? []), ...words]);
    }
  }
  return found;
}

function lookUp(
  characters: readonly string[],
  glossary: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const found: string[] = [];
  for (let at = 0; at < characters.length; ) {
    let length = Math.min(MAX_ENTRY, characters.length - at);
    while (length > 0 && !glossary.has(characters.slice(at, at + length).join(''))) length -= 1;
    if (length > 0) found.push(...(glossary.get(characters.slice(at, at + length).join('')) ?? []));
    at += Math.max(1, length);
  }
  return found;
}
