/**
 * An index of tools for ranked search, kept in step with a changing list. Pure: same tools and query, same
 * answer, in whatever order the tools came.
 */
import { documentOf } from './search-document.ts';
import { createPostings, type Entry, type Postings, wordsSpelling } from './search-postings.ts';
import { conceptsOf, type Vocabulary } from './search-query.ts';
import { scoreTools } from './search-score.ts';
import { createVocabulary } from './search-spelling.ts';
import { wordsOf } from './search-words.ts';
import type { RegisteredTool } from './types.ts';

export interface FoundTool {
  readonly tool: RegisteredTool;
  readonly score: number;
}

export interface SearchIndex {
  /** Takes over a list: only what is new or changed is read. `about`: a text on each server, by name. */
  sync(tools: readonly RegisteredTool[], about?: ReadonlyMap<string, string>): void;
  /** The best `limit` tools that `accept` takes, best first; without a common word none. Ties go by public name. */
  search(
    query: string,
    limit: number,
    accept?: (tool: RegisteredTool) => boolean,
  ): readonly FoundTool[];
}

const EXACT_NAME_BONUS = 1000;
const MAX_QUERY = 2_000;
const NOTHING: ReadonlyMap<string, string> = new Map();

/** An empty index. */
export function createSearchIndex(): SearchIndex {
  let postings: Postings = createPostings([]);
  let vocabulary: Vocabulary = createVocabulary(postings.words);
  let current: readonly RegisteredTool[] = [];
  let told = NOTHING;

  return {
    sync(tools, about = NOTHING) {
      if (tools === current && isSame(about, told)) return;
      const next = follow(postings, tools, about);
      if (next.changed) vocabulary = createVocabulary(next.postings.words);
      postings = next.postings;
      current = tools;
      told = about;
    },
    search(query, limit, accept) {
      const text = query.slice(0, MAX_QUERY);
      const { score, slots } = scoreTools(conceptsOf(text, vocabulary), postings);
      const named = namedBy(text, postings);
      for (const slot of named) score[slot] = (score[slot] ?? 0) + EXACT_NAME_BONUS;
      const found = named.length === 0 ? slots : [...new Set([...named, ...slots])];
      return takeBest(postings.entries, found, score, limit, accept);
    },
  };
}

/** The same postings with what is new, or others without what is gone: words of it must not count any more. */
function follow(
  postings: Postings,
  tools: readonly RegisteredTool[],
  about: ReadonlyMap<string, string>,
): { readonly postings: Postings; readonly changed: boolean } {
  const known = new Map(postings.entries.map((entry) => [entry.tool.publicName, entry]));
  const kept: Entry[] = [];
  const fresh: Entry[] = [];
  let isMoved = false;
  for (const tool of tools) {
    const text = about.get(tool.server);
    const entry = known.get(tool.publicName);
    const isKept = entry?.tool.definition === tool.definition && entry.about === text;
    if (entry !== undefined && isKept) {
      kept.push(entry.tool === tool ? entry : { ...entry, tool });
      isMoved ||= entry.tool !== tool;
    } else fresh.push({ tool, about: text, document: documentOf(tool, text) });
  }
  const isWhole = kept.length === postings.entries.length && !isMoved;
  if (!isWhole) return { postings: createPostings([...kept, ...fresh]), changed: true };
  for (const entry of fresh) postings.add(entry);
  return { postings, changed: fresh.length > 0 };
}

function isSame(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  if (a.size !== b.size) return false;
  for (const [key, value] of a) if (b.get(key) !== value) return false;
  return true;
}

/** Slots of the tools whose name the query is, in whatever spelling. */
function namedBy(query: string, { spellings }: Postings): readonly number[] {
  const words = wordsOf(query);
  return [
    ...(spellings.get(query.trim().toLowerCase()) ?? []),
    ...(words.length === 0 ? [] : (spellings.get(wordsSpelling([...new Set(words)])) ?? [])),
  ].filter((slot, at, all) => all.indexOf(slot) === at);
}

function takeBest(
  entries: readonly Entry[],
  found: readonly number[],
  scores: Float64Array,
  limit: number,
  accept?: (tool: RegisteredTool) => boolean,
): readonly FoundTool[] {
  const taken =
    accept === undefined
      ? found
      : found.filter((slot) => {
          const entry = entries[slot];
          return entry !== undefined && accept(entry.tool);
        });
  const least = leastOf(taken, scores, limit);
  const best: FoundTool[] = [];
  for (const slot of taken) {
    const score = scores[slot] ?? 0;
    const entry = score < least ? undefined : entries[slot];
    if (entry !== undefined) best.push({ tool: entry.tool, score });
  }
  best.sort((a, b) => b.score - a.score || (a.tool.publicName < b.tool.publicName ? -1 : 1));
  return best.slice(0, Math.max(0, limit));
}

/** The score that the last of the best has: only so many are sorted by name. */
function leastOf(slots: readonly number[], scores: Float64Array, limit: number): number {
  if (slots.length <= limit || limit < 1) return 0;
  const sorted = new Float64Array(slots.length);
  let at = 0;
  for (const slot of slots) {
    sorted[at] = scores[slot] ?? 0;
    at += 1;
  }
  sorted.sort();
  return sorted[sorted.length - Math.floor(limit)] ?? 0;
}
