/**
 * An index of tools for ranked search, kept in step with a changing list. Pure: same tools and query, same
 * answer, in whatever order the tools came. Scoring: BM25 over weighted fields, one score per thing asked for
 * (its best form), then coverage. Source: Robertson and Zaragoza 2009, section 3.6 (fields).
 */
import { documentOf, type SearchDocument } from './search-document.ts';
import { conceptsOf, type QueryConcept } from './search-query.ts';
import { createVocabulary, type SpellingVocabulary } from './search-spelling.ts';
import { wordsOf } from './search-words.ts';
import type { RegisteredTool } from './types.ts';

export interface FoundTool {
  readonly tool: RegisteredTool;
  readonly score: number;
}

export interface SearchIndex {
  /** Takes over a list: only what is new or changed is read. `aboutServer`: a text on each server. */
  sync(
    tools: readonly RegisteredTool[],
    aboutServer?: (server: string) => string | undefined,
  ): void;
  /** The best `limit` tools that `accept` takes, best first; without a common word none. Ties go by public name. */
  search(
    query: string,
    limit: number,
    accept?: (tool: RegisteredTool) => boolean,
  ): readonly FoundTool[];
}

const TUNING = {
  /** How soon more of the same word stops counting. */
  saturation: 1.5,
  /** How much a share of the query that is not met costs. */
  coverage: 0.9,
  /** What it adds when the words of a tool's name were all asked for. */
  name: 0.5,
};

const EXACT_NAME_BONUS = 1000;
const MAX_QUERY = 2_000;

interface Entry {
  readonly tool: RegisteredTool;
  readonly document: SearchDocument;
  readonly about: string | undefined;
}

interface Posting {
  readonly slots: number[];
  readonly weights: number[];
}

/** An empty index. */
export function createSearchIndex(): SearchIndex {
  let slots: (Entry | undefined)[] = [];
  let byName = new Map<string, number>();
  let postings = new Map<string, Posting>();
  let alive = 0;
  let vocabulary: SpellingVocabulary = createVocabulary(postings);

  const insert = (entry: Entry) => {
    const slot = slots.length;
    slots.push(entry);
    byName.set(entry.tool.publicName, slot);
    alive += 1;
    for (const [word, weight] of entry.document.weights) {
      const posting = postings.get(word);
      if (posting === undefined) postings.set(word, { slots: [slot], weights: [weight] });
      else {
        posting.slots.push(slot);
        posting.weights.push(weight);
      }
    }
  };
  const rebuild = () => {
    const kept = slots.filter((entry) => entry !== undefined);
    slots = [];
    byName = new Map();
    postings = new Map();
    alive = 0;
    for (const entry of kept) insert(entry);
  };

  return {
    sync(tools, aboutServer) {
      const wanted = new Map(tools.map((tool) => [tool.publicName, tool]));
      let changed = false;
      for (const [name, slot] of byName) {
        const tool = wanted.get(name);
        const entry = slots[slot];
        const isSame =
          tool !== undefined &&
          entry?.tool.definition === tool.definition &&
          entry.about === aboutServer?.(tool.server);
        if (isSame) {
          if (entry.tool !== tool) slots[slot] = { ...entry, tool };
          continue;
        }
        slots[slot] = undefined;
        byName.delete(name);
        alive -= 1;
        changed = true;
      }
      for (const tool of tools) {
        if (byName.has(tool.publicName)) continue;
        const about = aboutServer?.(tool.server);
        insert({ tool, about, document: documentOf(tool, about) });
        changed = true;
      }
      if (!changed) return;
      // Words of tools that are gone must not count any more.
      if (alive < slots.length) rebuild();
      vocabulary = createVocabulary(postings);
    },
    search(query, limit, accept = () => true) {
      const text = query.slice(0, MAX_QUERY);
      const concepts = conceptsOf(text, vocabulary);
      const scores = scoreAll(concepts, postings, slots.length);
      const exact = exactMatch(text, slots);
      const found: FoundTool[] = [];
      slots.forEach((entry, slot) => {
        if (entry === undefined || !accept(entry.tool)) return;
        const bonus = exact(entry) ? EXACT_NAME_BONUS : 0;
        const score = (scores[slot] ?? 0) + bonus;
        if (score > 0) found.push({ tool: entry.tool, score });
      });
      const best = takeBest(found, Math.max(0, limit) + NAME_WINDOW);
      const asked = askedWords(concepts);
      const named = best.map(({ tool, score }) => {
        const slot = byName.get(tool.publicName) ?? -1;
        const share = shareAsked(slots[slot]?.document.nameWords ?? [], asked);
        return { tool, score: score * (1 + TUNING.name * share) };
      });
      return takeBest(named, limit);
    },
  };
}

/** Names are looked at for so many more than are asked for. */
const NAME_WINDOW = 40;

/** Every word that was asked for with the weight of its best form. */
function askedWords(concepts: readonly QueryConcept[]): ReadonlyMap<string, number> {
  const asked = new Map<string, number>();
  for (const { word, weight } of concepts.flatMap(({ forms }) => forms)) {
    asked.set(word, Math.max(weight, asked.get(word) ?? 0));
  }
  return asked;
}

function shareAsked(words: readonly string[], asked: ReadonlyMap<string, number>): number {
  const met = words.reduce((sum, word) => sum + (asked.get(word) ?? 0), 0);
  return met / Math.max(1, words.length);
}

function scoreAll(
  concepts: readonly QueryConcept[],
  postings: ReadonlyMap<string, Posting>,
  size: number,
): Float64Array {
  const total = new Float64Array(size);
  const covered = new Float64Array(size);
  const best = new Float64Array(size);
  let possible = 0;
  for (const { forms, weight } of concepts) {
    const touched: number[] = [];
    let strongest = 0;
    for (const form of forms) {
      const posting = postings.get(form.word);
      if (posting === undefined) continue;
      const having = posting.slots.length;
      const rarity = Math.log(1 + (size - having + 0.5) / (having + 0.5)) * form.weight;
      strongest = Math.max(strongest, rarity);
      for (let at = 0; at < having; at += 1) {
        const slot = posting.slots[at] ?? 0;
        const count = posting.weights[at] ?? 0;
        const score = (rarity * count * (TUNING.saturation + 1)) / (count + TUNING.saturation);
        const before = best[slot] ?? 0;
        if (before === 0) touched.push(slot);
        if (score > before) best[slot] = score;
      }
    }
    possible += strongest * weight;
    for (const slot of touched) {
      const score = best[slot] ?? 0;
      total[slot] = (total[slot] ?? 0) + score * weight;
      covered[slot] = (covered[slot] ?? 0) + Math.min(score, strongest) * weight;
      best[slot] = 0;
    }
  }
  if (possible === 0) return total;
  for (let slot = 0; slot < size; slot += 1) {
    const sum = total[slot] ?? 0;
    if (sum > 0) total[slot] = sum * ((covered[slot] ?? 0) / possible) ** TUNING.coverage;
  }
  return total;
}

/** Tells whether a query is one tool's name, in whatever spelling. */
function exactMatch(
  query: string,
  slots: readonly (Entry | undefined)[],
): (entry: Entry) => boolean {
  const wanted = query.trim().toLowerCase();
  const isOneWord = wanted !== '' && !/\s/.test(wanted);
  const words = wordsOf(query).join(' ');
  if (slots.length === 0) return () => false;
  return ({ tool, document }) => {
    if (isOneWord) {
      const { server, name, publicName } = tool;
      const spellings = [name, publicName, `${server}/${name}`, `${server}.${name}`];
      if (spellings.some((spelling) => spelling.toLowerCase() === wanted)) return true;
    }
    return words !== '' && document.nameWords.join(' ') === words;
  };
}

function takeBest(found: readonly FoundTool[], limit: number): readonly FoundTool[] {
  return [...found]
    .sort((a, b) => b.score - a.score || (a.tool.publicName < b.tool.publicName ? -1 : 1))
    .slice(0, Math.max(0, limit));
}
