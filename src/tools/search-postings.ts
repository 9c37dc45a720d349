/** Which tools have which words: the store below the index. Slots are places in the list of tools. */
import type { SearchDocument } from './search-document.ts';
import type { RegisteredTool } from './types.ts';

export interface Entry {
  readonly tool: RegisteredTool;
  readonly document: SearchDocument;
  readonly about: string | undefined;
}

/** Slots that have a word, and the word's weight in each. */
export interface Posting {
  readonly slots: number[];
  readonly weights: number[];
}

export interface Postings {
  readonly entries: readonly Entry[];
  readonly words: ReadonlyMap<string, Posting>;
  /** Words of names alone; the weight is the word's share of the name. */
  readonly names: ReadonlyMap<string, Posting>;
  /** Slots by what a tool is called, in lower case, and by the words of its name. */
  readonly spellings: ReadonlyMap<string, readonly number[]>;
  add(entry: Entry): void;
}

/** A store with these entries. */
export function createPostings(given: readonly Entry[]): Postings {
  const entries: Entry[] = [];
  const words = new Map<string, Posting>();
  const names = new Map<string, Posting>();
  const spellings = new Map<string, number[]>();
  const add = (entry: Entry) => {
    const slot = entries.length;
    entries.push(entry);
    const { weights, nameWords } = entry.document;
    for (const [word, weight] of weights) note(words, word, slot, weight);
    for (const word of nameWords) note(names, word, slot, 1 / nameWords.length);
    for (const spelling of spellingsOf(entry)) {
      const known = spellings.get(spelling);
      if (known === undefined) spellings.set(spelling, [slot]);
      else known.push(slot);
    }
  };
  for (const entry of given) add(entry);
  return { entries, words, names, spellings, add };
}

/** How the words of a name stand in `spellings`, told apart from a name as written. */
export function wordsSpelling(words: readonly string[]): string {
  return ` ${words.join(' ')}`;
}

function note(postings: Map<string, Posting>, word: string, slot: number, weight: number): void {
  const posting = postings.get(word);
  if (posting === undefined) {
    postings.set(word, { slots: [slot], weights: [weight] });
    return;
  }
  posting.slots.push(slot);
  posting.weights.push(weight);
}

function spellingsOf({ tool, document }: Entry): ReadonlySet<string> {
  const { server, name, publicName } = tool;
  const written = [name, publicName, `${server}/${name}`, `${server}.${name}`];
  return new Set([
    ...written.map((spelling) => spelling.toLowerCase()),
    wordsSpelling(document.nameWords),
  ]);
}
