/**
 * A small ranked search over tools (BM25). Pure: no index is kept between calls.
 * Source: Robertson and Zaragoza 2009, k1 = 1.2, b = 0.75.
 */
import { isJsonObject } from '../base/json.ts';
import type { RegisteredTool } from './types.ts';

export interface FoundTool {
  readonly tool: RegisteredTool;
  readonly score: number;
}

const K1 = 1.2;
const B = 0.75;
const WEIGHTS = { name: 4, title: 2, server: 1.5, description: 1, parameter: 0.75 } as const;
const EXACT_NAME_BONUS = 100;
const MAX_TEXT = 8_000;
const MAX_QUERY_WORDS = 64;
const STOP_WORDS: ReadonlySet<string> = new Set(
  'a an and are as at be by do for from how i in is it me my of on or please that the this to want what which with you'.split(
    ' ',
  ),
);

interface ToolDocument {
  readonly tool: RegisteredTool;
  /** Weighted number of each word. */
  readonly counts: ReadonlyMap<string, number>;
  readonly length: number;
}

/**
 * The best `limit` tools for the query, best first; tools without a common word are left out. Equal
 * scores are ordered by public name. A query that is exactly a tool's name puts it first.
 */
export function searchTools(
  tools: readonly RegisteredTool[],
  query: string,
  limit: number,
): readonly FoundTool[] {
  const words = [...new Set(wordsOf(query))].slice(0, MAX_QUERY_WORDS);
  const documents = tools.map(documentOf);
  const averageLength =
    documents.reduce((sum, document) => sum + document.length, 0) / Math.max(1, documents.length);
  const weights = new Map(words.map((word) => [word, inverseFrequency(word, documents)]));
  const exact = query.trim().toLowerCase();
  const found = documents.flatMap((document): FoundTool[] => {
    const score =
      scoreOf(document, weights, averageLength) +
      (isNamed(document.tool, exact) ? EXACT_NAME_BONUS : 0);
    return score > 0 ? [{ tool: document.tool, score }] : [];
  });
  found.sort((a, b) => b.score - a.score || (a.tool.publicName < b.tool.publicName ? -1 : 1));
  return found.slice(0, Math.max(0, limit));
}

/** Words of a name or text, lower case: split at case changes, digits and everything that is no letter. */
export function wordsOf(text: string): readonly string[] {
  const spaced = text
    .slice(0, MAX_TEXT)
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .replace(/(\p{L})(\p{N})/gu, '$1 $2')
    .replace(/(\p{N})(\p{L})/gu, '$1 $2')
    .toLowerCase();
  const words = spaced.match(/[\p{L}\p{M}]+|\p{N}+/gu) ?? [];
  return words.filter((word) => !STOP_WORDS.has(word)).map(stem);
}

/** Plural and verb endings off, so that `issues` finds `issue` and `listing` finds `list`. */
function stem(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (word.length > 5 && word.endsWith('ing')) return word.slice(0, -3);
  if (word.length > 4 && /(?:ches|shes|sses|xes)$/.test(word)) return word.slice(0, -2);
  if (word.length > 3 && word.endsWith('s') && !word.endsWith('ss')) return word.slice(0, -1);
  return word;
}

function documentOf(tool: RegisteredTool): ToolDocument {
  const counts = new Map<string, number>();
  let length = 0;
  const add = (text: string | undefined, weight: number) => {
    for (const word of wordsOf(text ?? '')) {
      counts.set(word, (counts.get(word) ?? 0) + weight);
      length += 1;
    }
  };
  const { definition } = tool;
  add(tool.name, WEIGHTS.name);
  add(definition.title ?? definition.annotations.title, WEIGHTS.title);
  add(tool.server, WEIGHTS.server);
  add(definition.description, WEIGHTS.description);
  const properties = definition.inputSchema['properties'];
  if (isJsonObject(properties)) {
    for (const name of Object.keys(properties)) add(name, WEIGHTS.parameter);
  }
  return { tool, counts, length };
}

function inverseFrequency(word: string, documents: readonly ToolDocument[]): number {
  const having = documents.filter((document) => document.counts.has(word)).length;
  return Math.log(1 + (documents.length - having + 0.5) / (having + 0.5));
}

function scoreOf(
  document: ToolDocument,
  weights: ReadonlyMap<string, number>,
  averageLength: number,
): number {
  const norm = K1 * (1 - B + (B * document.length) / Math.max(1, averageLength));
  let score = 0;
  for (const [word, weight] of weights) {
    const count = document.counts.get(word) ?? 0;
    if (count > 0) score += (weight * count * (K1 + 1)) / (count + norm);
  }
  return score;
}

function isNamed(tool: RegisteredTool, exact: string): boolean {
  const spellings = [tool.name, tool.publicName, `${tool.server}/${tool.name}`];
  return spellings.some((spelling) => spelling.toLowerCase() === exact);
}
