/** Reads the whole list of tools, page by page, within bounds. Source: MCP 2025-11-25, pagination. */
import { toAppError } from '../base/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import type { ToolDefinition } from '../tools/types.ts';
import { readParamHeaders } from '../transport/param-headers.ts';
import { adaptTool } from './adapt.ts';
import { isMethodNotFound } from './errors.ts';
import { ttlOf } from './result-cache.ts';
import type { DroppedTool } from './types.ts';

export interface ToolListing {
  /** In the server's order; each name once. */
  readonly tools: readonly ToolDefinition[];
  readonly dropped: readonly DroppedTool[];
  /** Why the list is not whole, one line each. */
  readonly notices: readonly string[];
  /** How long the whole list may be kept, in milliseconds; 0: not at all. */
  readonly ttlMs: number;
  /** It is the same for everybody. */
  readonly isPublic: boolean;
}

const MAX_PAGES = 100;
const MAX_TOOLS = 5000;
const NO_LIST = 'answered tools/list without a list of tools';

/**
 * All pages of tools/list. `readPage` sends one request; a cursor is passed back byte for byte. A server
 * without the method has no tools. With `checkHeaders` a tool whose arguments are marked as headers in a way
 * that breaks the rules is dropped. What the first page throws is thrown; a later failure keeps what was
 * read and says so. `signal` ends it between pages, with its reason.
 */
export async function listTools(
  readPage: (params: JsonObject) => Promise<JsonValue>,
  signal: AbortSignal,
  checkHeaders = false,
): Promise<ToolListing> {
  const collected = new Collected(checkHeaders);
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 1; ; page += 1) {
    const answer = await readOrNote(readPage, cursor, collected);
    signal.throwIfAborted();
    if (answer === undefined) break;
    collected.add(answer);
    cursor = nextCursor(answer);
    if (cursor === undefined) break;
    const problem = seen.has(cursor)
      ? 'tools/list repeats a cursor'
      : page === MAX_PAGES
        ? `tools/list has more than ${MAX_PAGES} pages`
        : collected.isFull()
          ? `tools/list has more than ${MAX_TOOLS} tools`
          : undefined;
    if (problem !== undefined) {
      collected.notices.push(
        `${problem}; the ${collected.tools.length} tools read so far are kept`,
      );
      break;
    }
    seen.add(cursor);
  }
  const { tools, dropped, notices, isPublic } = collected;
  return { tools, dropped, notices, isPublic, ttlMs: notices.length === 0 ? collected.ttlMs : 0 };
}

async function readOrNote(
  readPage: (params: JsonObject) => Promise<JsonValue>,
  cursor: string | undefined,
  collected: Collected,
): Promise<JsonValue | undefined> {
  if (cursor === undefined) {
    return readPage({}).catch((error: unknown) => {
      if (isMethodNotFound(error)) return undefined;
      throw error;
    });
  }
  return readPage({ cursor }).catch((error: unknown) => {
    collected.notices.push(
      `tools/list broke off (${toAppError(error).message}); the ${collected.tools.length} tools read so far are kept`,
    );
    return undefined;
  });
}

class Collected {
  readonly tools: ToolDefinition[] = [];
  readonly dropped: DroppedTool[] = [];
  readonly notices: string[] = [];
  ttlMs = Number.POSITIVE_INFINITY;
  isPublic = true;
  readonly #checkHeaders: boolean;
  readonly #names = new Set<string>();

  constructor(checkHeaders: boolean) {
    this.#checkHeaders = checkHeaders;
  }

  isFull(): boolean {
    return this.tools.length >= MAX_TOOLS;
  }

  add(page: JsonValue): void {
    this.ttlMs = Math.min(this.ttlMs, ttlOf(page));
    this.isPublic &&= isJsonObject(page) && page['cacheScope'] === 'public';
    const items = isJsonObject(page) ? page['tools'] : page;
    if (!Array.isArray(items)) {
      if (!this.notices.includes(NO_LIST)) this.notices.push(NO_LIST);
      return;
    }
    for (const item of items) {
      if (this.isFull()) {
        this.notices.push(`tools/list has more than ${MAX_TOOLS} tools; the rest is left out`);
        return;
      }
      this.#addTool(item);
    }
  }

  #addTool(item: JsonValue): void {
    const tool = adaptTool(item);
    const marked =
      this.#checkHeaders && 'inputSchema' in tool ? readParamHeaders(tool.inputSchema) : undefined;
    if ('problem' in tool) this.dropped.push(tool);
    else if (marked?.kind === 'bad') {
      this.dropped.push({ name: tool.name, problem: marked.problem });
    } else if (this.#names.has(tool.name)) {
      this.dropped.push({ name: tool.name, problem: 'is listed twice; the first one is used' });
    } else {
      this.#names.add(tool.name);
      this.tools.push(tool);
    }
  }
}

/** `null` and an empty cursor end the list as an absent one does. */
function nextCursor(page: JsonValue): string | undefined {
  const cursor = isJsonObject(page) ? page['nextCursor'] : undefined;
  return typeof cursor === 'string' && cursor !== '' ? cursor : undefined;
}
