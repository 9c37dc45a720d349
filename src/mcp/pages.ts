/** Reads any list of a server whole, page by page, within bounds. Source: MCP 2025-11-25, pagination. */
import { toAppError } from '../base/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { isMethodNotFound } from './errors.ts';

/** One request to one server; rejects as `Connection.request` does. */
export type Ask = (method: string, params: JsonObject) => Promise<JsonValue>;

export interface DroppedItem {
  readonly name: string;
  readonly problem: string;
}

export interface ItemList<T> {
  /** In the server's order; each id once. */
  readonly items: readonly T[];
  /** Items that could not be used, with the reason. */
  readonly dropped: readonly DroppedItem[];
  /** Why the list is not whole, one line each. */
  readonly notices: readonly string[];
}

export interface ListKind<T> {
  /** As `prompts/list`. */
  readonly method: string;
  /** Field of the answer that holds the items; also what they are called. */
  readonly key: string;
  readonly adapt: (item: JsonValue) => T | DroppedItem;
  /** What makes an item the same as another; `undefined`: every item is its own. */
  readonly idOf: (item: T) => string | undefined;
}

const MAX_PAGES = 100;
const MAX_ITEMS = 5000;

/**
 * All pages of a list. A server without the method has an empty one. What the first page throws is
 * thrown; a later failure keeps what was read and says so. A cursor goes back byte for byte.
 */
export async function readPages<T extends object>(
  ask: Ask,
  kind: ListKind<T>,
): Promise<ItemList<T>> {
  const found = new Found(kind);
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 1; ; page += 1) {
    const answer = await readOrNote(ask, kind.method, cursor, found);
    if (answer === undefined) break;
    found.addPage(answer);
    cursor = nextCursor(answer);
    if (cursor === undefined) break;
    const problem = stopReason(cursor, seen, page, found.items.length);
    if (problem !== undefined) {
      found.note(problem);
      break;
    }
    seen.add(cursor);
  }
  return { items: found.items, dropped: found.dropped, notices: found.notices };
}

function stopReason(
  cursor: string,
  seen: ReadonlySet<string>,
  page: number,
  count: number,
): string | undefined {
  if (seen.has(cursor)) return 'repeats a cursor';
  if (page === MAX_PAGES) return `has more than ${MAX_PAGES} pages`;
  return count >= MAX_ITEMS ? `has more than ${MAX_ITEMS} items` : undefined;
}

async function readOrNote<T extends object>(
  ask: Ask,
  method: string,
  cursor: string | undefined,
  found: Found<T>,
): Promise<JsonValue | undefined> {
  try {
    return await ask(method, cursor === undefined ? {} : { cursor });
  } catch (error) {
    if (cursor === undefined) {
      if (isMethodNotFound(error)) return undefined;
      throw error;
    }
    found.note(`broke off (${toAppError(error).message})`);
    return undefined;
  }
}

class Found<T extends object> {
  readonly items: T[] = [];
  readonly dropped: DroppedItem[] = [];
  readonly notices: string[] = [];
  readonly #kind: ListKind<T>;
  readonly #ids = new Set<string>();

  constructor(kind: ListKind<T>) {
    this.#kind = kind;
  }

  note(problem: string): void {
    const { method, key } = this.#kind;
    this.notices.push(`${method} ${problem}; the ${this.items.length} ${key} read so far are kept`);
  }

  addPage(page: JsonValue): void {
    const { method, key } = this.#kind;
    const items = isJsonObject(page) ? (page[key] ?? []) : page;
    if (!Array.isArray(items)) {
      this.notices.push(`${method} answered without a list of ${key}`);
      return;
    }
    for (const item of items) {
      if (this.items.length >= MAX_ITEMS) {
        this.note(`has more than ${MAX_ITEMS} items`);
        return;
      }
      this.#add(item);
    }
  }

  #add(given: JsonValue): void {
    const item = this.#kind.adapt(given);
    if ('problem' in item) {
      this.dropped.push(item);
      return;
    }
    const id = this.#kind.idOf(item);
    if (id !== undefined && this.#ids.has(id)) {
      this.dropped.push({ name: id, problem: 'is listed twice; the first one is used' });
      return;
    }
    if (id !== undefined) this.#ids.add(id);
    this.items.push(item);
  }
}

/** `null` and an empty cursor end the list as an absent one does. */
function nextCursor(page: JsonValue): string | undefined {
  const cursor = isJsonObject(page) ? page['nextCursor'] : undefined;
  return typeof cursor === 'string' && cursor !== '' ? cursor : undefined;
}
