/** Lists and reads that a 2026-07-28 server lets us keep for a while. Source: MCP 2026-07-28, caching. */
import type { Clock } from '../base/clock.ts';
import { isJsonObject, type JsonObject, type JsonValue, stableStringify } from '../base/json.ts';

const CACHED = new Set([
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
]);
const MAX_ENTRIES = 64;
const MAX_ENTRY_CHARACTERS = 256 * 1024;
const MAX_TTL_MS = 24 * 60 * 60 * 1000;

/** One per link: never shared between credentials. */
export class ResultCache {
  readonly #clock: Clock;
  readonly #entries = new Map<string, { readonly result: JsonValue; readonly until: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(method: string, params: JsonObject): JsonValue | undefined {
    const key = keyOf(method, params);
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.until > this.#clock.now()) return entry?.result;
    this.#entries.delete(key);
    return undefined;
  }

  /** Keeps what may be kept. Not for results that answers of ours went into. */
  put(method: string, params: JsonObject, result: JsonValue): void {
    const ttlMs = ttlOf(result);
    if (!CACHED.has(method) || ttlMs === 0) return;
    if (JSON.stringify(result).length > MAX_ENTRY_CHARACTERS) return;
    const [oldest] = this.#entries.keys();
    if (this.#entries.size >= MAX_ENTRIES && oldest !== undefined) this.#entries.delete(oldest);
    this.#entries.set(keyOf(method, params), { result, until: this.#clock.now() + ttlMs });
  }

  /** Drops what a notification says is old. */
  notice(method: string, params: JsonObject): void {
    if (method === 'notifications/prompts/list_changed') this.#drop('prompts/list');
    else if (method === 'notifications/resources/list_changed') {
      this.#drop('resources/list');
      this.#drop('resources/templates/list');
    } else if (method === 'notifications/resources/updated') {
      const { uri } = params;
      if (uri === undefined) this.#drop('resources/read');
      else this.#entries.delete(keyOf('resources/read', { uri }));
    }
  }

  #drop(method: string): void {
    for (const key of this.#entries.keys()) {
      if (key.startsWith(`${method} `)) this.#entries.delete(key);
    }
  }
}

/** Milliseconds; 0 where the server says nothing usable. At most a day. */
export function ttlOf(result: JsonValue): number {
  const ttlMs = isJsonObject(result) ? result['ttlMs'] : undefined;
  return typeof ttlMs === 'number' && ttlMs > 0 ? Math.min(ttlMs, MAX_TTL_MS) : 0;
}

function keyOf(method: string, params: JsonObject): string {
  return `${method} ${stableStringify(params)}`;
}
