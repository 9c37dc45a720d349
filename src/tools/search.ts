/**
 * Ranked search over tools: the one door to the index for `tool_search`, scripts, `usher search` and the
 * router. Nothing is indexed before the first search.
 */
import { createSearchIndex, type FoundTool, type SearchIndex } from './search-index.ts';
import type { RegisteredTool } from './types.ts';

export interface ToolSearch {
  /**
   * The best `limit` tools of the list that `accept` takes (default: all), best first; tools without a common word are left out. Equal scores are
   * ordered by public name. A query that is a tool's name puts it first. Of a list that changed since the last
   * search only the difference is read.
   */
  find(
    tools: readonly RegisteredTool[],
    query: string,
    limit: number,
    accept?: (tool: RegisteredTool) => boolean,
  ): readonly FoundTool[];
}

/** A search that keeps its index in step with the lists it is given. `aboutServers`: a text on each, by name. */
export function createToolSearch(aboutServers?: () => ReadonlyMap<string, string>): ToolSearch {
  let index: SearchIndex | undefined;
  return {
    find(tools, query, limit, accept) {
      index ??= createSearchIndex();
      index.sync(tools, aboutServers?.());
      return index.search(query, limit, accept);
    },
  };
}

const kept = new WeakMap<readonly RegisteredTool[], SearchIndex>();

/** Like `ToolSearch.find` without a text on servers; a list that is searched again is not read again. */
export function searchTools(
  tools: readonly RegisteredTool[],
  query: string,
  limit: number,
): readonly FoundTool[] {
  let index = kept.get(tools);
  if (index === undefined) {
    index = createSearchIndex();
    index.sync(tools);
    kept.set(tools, index);
  }
  return index.search(query, limit);
}
