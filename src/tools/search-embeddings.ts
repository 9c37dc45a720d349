/**
 * Ranks tools by meaning with an OpenAI-compatible embeddings endpoint, and joins such a ranking with another.
 * The endpoint sees names and descriptions of tools and what was searched for, nothing else.
 */
import * as v from 'valibot';
import { startLimit } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { LimitError, ProviderError } from '../base/errors.ts';
import { discardBody, type Fetch, readText, sendRequest } from '../base/http.ts';
import { tryParseJson } from '../base/json.ts';
import type { FoundTool } from './search-index.ts';
import type { RegisteredTool, ToolDefinition } from './types.ts';

export interface EmbeddingEndpoint {
  /** API root; `/embeddings` is added. */
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey: string | undefined;
}

/** Best first, of the tools given. Rejects with AppError, or with the signal's reason. */
export type RankByMeaning = (
  tools: readonly RegisteredTool[],
  query: string,
  signal: AbortSignal,
) => Promise<readonly RegisteredTool[]>;

const BATCH = 64;
const MAX_TEXT = 1000;
const LIMIT_MS = 20_000;
/** How slowly a place counts less. Source: Cormack, Clarke and Büttcher 2009, reciprocal rank fusion. */
const FUSION = 60;

const replySchema = v.object({
  data: v.array(v.object({ index: v.number(), embedding: v.array(v.number()) })),
});

/** A ranker that asks for each tool's text once. */
export function createMeaningRanker(
  endpoint: EmbeddingEndpoint,
  { fetch, clock }: { readonly fetch: Fetch; readonly clock: Clock },
): RankByMeaning {
  const known = new WeakMap<ToolDefinition, readonly number[]>();
  return async (tools, query, signal) => {
    const limit = startLimit(
      clock,
      LIMIT_MS,
      () => new LimitError('the embeddings endpoint took longer than 20s'),
    );
    const both = AbortSignal.any([signal, limit.signal]);
    try {
      const fresh = tools.filter(({ definition }) => !known.has(definition));
      for (let at = 0; at < fresh.length; at += BATCH) {
        const some = fresh.slice(at, at + BATCH);
        const vectors = await embed(endpoint, some.map(textOf), fetch, both);
        some.forEach(({ definition }, index) => {
          known.set(definition, vectors[index] ?? []);
        });
      }
      const [wanted = []] = await embed(endpoint, [query.slice(0, MAX_TEXT)], fetch, both);
      const near = tools.map((tool) => ({
        tool,
        likeness: likeness(wanted, known.get(tool.definition) ?? []),
      }));
      near.sort(
        (a, b) => b.likeness - a.likeness || (a.tool.publicName < b.tool.publicName ? -1 : 1),
      );
      return near.map(({ tool }) => tool);
    } finally {
      limit.dispose();
    }
  };
}

/** Both rankings as one: what either puts first comes first. Ties go by public name. */
export function fuseRankings(
  words: readonly FoundTool[],
  meaning: readonly RegisteredTool[],
  limit: number,
): readonly FoundTool[] {
  const scores = new Map<RegisteredTool, number>();
  const count = (tool: RegisteredTool, place: number) => {
    scores.set(tool, (scores.get(tool) ?? 0) + 1 / (FUSION + place + 1));
  };
  words.forEach(({ tool }, place) => {
    count(tool, place);
  });
  meaning.slice(0, Math.max(words.length, 3 * limit)).forEach(count);
  return [...scores]
    .map(([tool, score]) => ({ tool, score }))
    .sort((a, b) => b.score - a.score || (a.tool.publicName < b.tool.publicName ? -1 : 1))
    .slice(0, Math.max(0, limit));
}

function textOf({ server, name, definition }: RegisteredTool): string {
  return `${server} ${name}: ${definition.description ?? definition.title ?? ''}`.slice(
    0,
    MAX_TEXT,
  );
}

async function embed(
  { baseUrl, model, apiKey }: EmbeddingEndpoint,
  input: readonly string[],
  fetch: Fetch,
  signal: AbortSignal,
): Promise<readonly (readonly number[])[]> {
  const response = await sendRequest(fetch, `${baseUrl.replace(/\/+$/, '')}/embeddings`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    },
    body: JSON.stringify({ model, input }),
    signal,
  });
  if (!(response instanceof Response)) {
    throw new ProviderError('the embeddings endpoint sends elsewhere, which is not followed');
  }
  if (!response.ok) {
    await discardBody(response);
    throw new ProviderError(`the embeddings endpoint answered ${response.status}`);
  }
  const parsed = v.safeParse(replySchema, tryParseJson(await readText(response)));
  if (!parsed.success || parsed.output.data.length !== input.length) {
    throw new ProviderError('the embeddings endpoint did not answer with embeddings');
  }
  const vectors: (readonly number[])[] = [];
  for (const { index, embedding } of parsed.output.data) vectors[index] = embedding;
  return vectors;
}

/** The cosine of the angle; 0 for vectors that cannot be compared. */
function likeness(a: readonly number[], b: readonly number[]): number {
  if (a.length === 0 || a.length !== b.length) return 0;
  let [product, left, right] = [0, 0, 0];
  for (let at = 0; at < a.length; at += 1) {
    const [x, y] = [a[at] ?? 0, b[at] ?? 0];
    product += x * y;
    left += x * x;
    right += y * y;
  }
  return left === 0 || right === 0 ? 0 : product / Math.sqrt(left * right);
}
