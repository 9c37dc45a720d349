/**
 * What earlier runs found out about servers, so that this one need not ask again: one small file in the
 * state directory. It only ever saves a request: a file that is missing, broken or not writable is no memory.
 */
import { join } from 'node:path';
import * as v from 'valibot';
import type { Clock } from '../base/clock.ts';
import { FailedError } from '../base/errors.ts';
import { writeAtomic } from '../base/files.ts';
import { sha256Hex } from '../base/hash.ts';
import type { JsonObject } from '../base/json.ts';
import { readPrivate } from '../base/private-file.ts';
import { scrubSecrets } from '../base/redact.ts';
import type { RemoteEndpoint } from '../transport/create.ts';
import type { LogSink } from '../transport/types.ts';

export type Remembered =
  | { readonly era: 'legacy' }
  | {
      readonly era: 'modern';
      readonly version: string;
      /** The answer to `server/discover`. */
      readonly discovery: JsonObject;
      /** The items of tools/list, as long as the server lets them be kept. */
      readonly tools?:
        | { readonly items: readonly JsonObject[]; readonly until: number }
        | undefined;
    };

export interface EraMemory {
  /** Within 7 days of `remember`. `key` by `memoryKey`. */
  recall(key: string): Remembered | undefined;
  remember(key: string, found: Remembered): void;
  forget(key: string): void;
  /** Puts what is new into the file. Throws nothing. Once, at the end: no server waits for a disk. */
  save(): void;
}

export interface EraMemoryOptions {
  /** `undefined`: nothing is kept beyond this process. */
  readonly directory: string | undefined;
  readonly clock: Clock;
  readonly log: LogSink;
}

const FILE = 'servers.json';
const MAX_FILE_BYTES = 2 * 1024 * 1024;
const MAX_KEPT_BYTES = 1024 * 1024;
const MAX_SERVERS = 200;
const MAX_ENTRY_CHARACTERS = 128 * 1024;
const DAY_MS = 24 * 60 * 60 * 1000;
const MAX_AGE_MS = 7 * DAY_MS;
/** A younger entry that says the same is not written again. */
const FRESH_MS = DAY_MS;

const objectSchema = v.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);
const entrySchema = v.variant('era', [
  v.object({ era: v.literal('legacy'), at: v.number() }),
  v.object({
    era: v.literal('modern'),
    at: v.number(),
    version: v.string(),
    discovery: objectSchema,
    tools: v.optional(v.object({ items: v.array(objectSchema), until: v.number() })),
  }),
]);
const fileSchema = v.object({ servers: v.record(v.string(), v.unknown()) });
type Entry = v.InferOutput<typeof entrySchema>;

export function createEraMemory(options: EraMemoryOptions): EraMemory {
  const { directory, clock, log } = options;
  const path = directory === undefined ? undefined : join(directory, FILE);
  /** As the file was when it was first needed. */
  let loaded: ReadonlyMap<string, Entry> | undefined;
  /** Of this process; `undefined`: forgotten. */
  const changes = new Map<string, Entry | undefined>();
  const now = () => clock.date().getTime();
  const isValid = ({ at }: Entry) => at <= now() && now() - at < MAX_AGE_MS;
  const entryOf = (key: string): Entry | undefined => {
    if (changes.has(key)) return changes.get(key);
    loaded ??= path === undefined ? new Map() : readEntries(path, log);
    const entry = loaded.get(key);
    return entry !== undefined && isValid(entry) ? entry : undefined;
  };

  return {
    recall(key) {
      const entry = entryOf(key);
      if (entry === undefined) return undefined;
      const { at: _at, ...found } = entry;
      return found;
    },
    remember(key, found) {
      const text = JSON.stringify(found);
      // What a server reflects of our credentials is not kept either.
      if (text.length > MAX_ENTRY_CHARACTERS || scrubSecrets(text) !== text) {
        if (found.era === 'modern' && found.tools !== undefined) {
          this.remember(key, { ...found, tools: undefined });
        }
        return;
      }
      const at = entryOf(key)?.at ?? 0;
      if (JSON.stringify(this.recall(key)) === text && now() - at < FRESH_MS) return;
      // What was stringified above is JSON; the arrays in it are ours and not changed.
      changes.set(key, { ...JSON.parse(text), at: now() } as Entry);
    },
    forget(key) {
      if (entryOf(key) !== undefined) changes.set(key, undefined);
    },
    save() {
      if (path === undefined || changes.size === 0) return;
      // Read anew: other processes write the same file.
      const all = new Map(readEntries(path, log));
      for (const [key, entry] of changes) {
        if (entry === undefined) all.delete(key);
        else all.set(key, entry);
      }
      write(path, newestWithinBounds([...all].filter(([, entry]) => isValid(entry))), log);
    },
  };
}

/** Of where a server is; never of who asks, so nothing secret can be guessed from it but the address itself. */
export function memoryKey(endpoint: RemoteEndpoint): string {
  const place =
    endpoint.kind === 'stdio'
      ? ['stdio', endpoint.command, endpoint.args, endpoint.cwd]
      : [endpoint.kind, endpoint.url];
  return sha256Hex(JSON.stringify(place));
}

function newestWithinBounds(all: readonly (readonly [string, Entry])[]): Map<string, Entry> {
  const kept = new Map<string, Entry>();
  let bytes = 0;
  for (const [key, entry] of all.toSorted(([, a], [, b]) => b.at - a.at)) {
    bytes += Buffer.byteLength(JSON.stringify(entry)) + key.length;
    if (kept.size === MAX_SERVERS || bytes > MAX_KEPT_BYTES) break;
    kept.set(key, entry);
  }
  return kept;
}

function readEntries(path: string, log: LogSink): Map<string, Entry> {
  try {
    const text = readPrivate(path, MAX_FILE_BYTES);
    if (text === undefined) return new Map();
    const { servers } = v.parse(fileSchema, JSON.parse(text));
    return new Map(
      Object.entries(servers).flatMap(([key, value]) => {
        const entry = v.safeParse(entrySchema, value);
        return entry.success ? [[key, entry.output] as const] : [];
      }),
    );
  } catch (error) {
    if (error instanceof FailedError) {
      // Others could have written it: what it says of a server must not be believed.
      log('warn', `${error.message}; ${error.hint}`);
      return new Map();
    }
    log('debug', `no memory of servers: ${error instanceof Error ? error.message : String(error)}`);
    return new Map();
  }
}

function write(path: string, entries: ReadonlyMap<string, Entry>, log: LogSink): void {
  try {
    writeAtomic(path, `${JSON.stringify({ servers: Object.fromEntries(entries) })}\n`);
  } catch (error) {
    log(
      'debug',
      `servers not remembered: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
