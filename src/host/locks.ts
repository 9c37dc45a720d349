/** `usher.lock`: the accepted tools of servers, in a file beside the configuration that names them. */
import { dirname, join } from 'node:path';
import * as v from 'valibot';
import { AppError, ConfigError } from '../base/errors.ts';
import { changeAlone } from '../base/file-lock.ts';
import { fileReason, isMissing, readBounded, writeAtomic } from '../base/files.ts';
import { type JsonObject, tryParseJson } from '../base/json.ts';
import type { Config } from '../config/types.ts';
import { diffLock, isSame, type LockedServer, lockServer } from '../tools/lock.ts';
import { lockDiffLines } from '../tools/lock-diff.ts';
import type { ToolDefinition } from '../tools/types.ts';

export const LOCK_FILE = 'usher.lock';
const VERSION = 1;
const MAX_BYTES = 16 * 1024 * 1024;
/** It goes into a repository. */
const MODE = 0o644;

const toolSchema = v.object({
  hash: v.pipe(v.string(), v.regex(/^sha256-[0-9a-f]{64}$/)),
  parts: v.custom<JsonObject>((value) => typeof value === 'object' && value !== null),
});
const fileSchema = v.object({
  version: v.literal(VERSION),
  servers: v.record(v.string(), v.object({ tools: v.record(v.string(), toolSchema) })),
});
type LockFile = v.InferOutput<typeof fileSchema>;

export interface Locks {
  /** What was accepted of a server; `undefined`: it is not locked. */
  of(server: string): LockedServer | undefined;
}

/** Reads the lock files of a configuration. Throws ConfigError for one that cannot be used: nobody knows what it withholds. */
export function readLocks(config: Config): Locks {
  const files = new Map<string, LockFile | undefined>();
  return {
    of(server) {
      const path = lockPath(config, server);
      if (path === undefined) return undefined;
      if (!files.has(path)) files.set(path, readLock(path));
      const all = files.get(path)?.servers ?? {};
      return Object.hasOwn(all, server) ? all[server]?.tools : undefined;
    },
  };
}

/** Where a server's lock is, absolute; `undefined`: it stands in no file. */
export function lockPath(config: Config, server: string): string | undefined {
  const file = config.origins?.[server]?.file ?? config.files.at(-1);
  return file === undefined ? undefined : join(dirname(file), LOCK_FILE);
}

export interface LockedList {
  readonly server: string;
  readonly path: string;
  readonly isLocked: boolean;
  /** Empty: as accepted, or not locked. */
  readonly diff: readonly string[];
}

/** How the lists of servers stand to their locks. */
export function compareLocks(
  config: Config,
  lists: ReadonlyMap<string, readonly ToolDefinition[]>,
): readonly LockedList[] {
  const locks = readLocks(config);
  return [...lists].flatMap(([server, definitions]) => {
    const path = lockPath(config, server);
    if (path === undefined) return [];
    const locked = locks.of(server);
    const diff = locked === undefined ? [] : lockDiffLines(definitions, locked);
    return [{ server, path, isLocked: locked !== undefined, diff }];
  });
}

/**
 * Accepts the lists as they are; other servers stay as they are locked, also by another process meanwhile.
 * Returns the files written. Throws ConfigError, and FailedError while another process keeps a file.
 */
export function writeLocks(
  config: Config,
  lists: ReadonlyMap<string, readonly ToolDefinition[]>,
): readonly string[] {
  const files = new Map<string, Record<string, Entry>>();
  for (const [server, definitions] of lists) {
    const path = lockPath(config, server);
    if (path === undefined) continue;
    const servers = files.get(path) ?? {};
    servers[server] = { tools: lockServer(definitions) };
    files.set(path, servers);
  }
  for (const [path, servers] of files) {
    try {
      changeAlone(path, () => writeLock(path, { ...readLock(path)?.servers, ...servers }));
    } catch (cause) {
      if (cause instanceof AppError) throw cause;
      throw new ConfigError(`${path} cannot be written: ${fileReason(cause)}`, { cause });
    }
  }
  return [...files.keys()];
}

interface Entry {
  readonly tools: LockedServer;
}

function writeLock(path: string, servers: Readonly<Record<string, Entry>>): void {
  const sorted = Object.fromEntries(Object.entries(servers).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeAtomic(path, `${JSON.stringify({ version: VERSION, servers: sorted }, null, 2)}\n`, MODE);
}

/** One line for a server whose list is not what was accepted; `undefined`: it is. */
export function lockWarning(
  server: string,
  definitions: readonly ToolDefinition[],
  locked: LockedServer,
): { readonly message: string; readonly hint: string } | undefined {
  const diff = diffLock(definitions, locked);
  if (isSame(diff)) return undefined;
  const withheld = [
    ...diff.changed.map((name) => `${name} (changed)`),
    ...diff.added.map((name) => `${name} (new)`),
  ];
  const parts = [
    ...(withheld.length === 0 ? [] : [`withheld: ${listed(withheld)}`]),
    ...(diff.gone.length === 0 ? [] : [`gone: ${listed(diff.gone)}`]),
  ];
  return {
    message: `${server}: its tools are not those of ${LOCK_FILE}; ${parts.join('; ')}`,
    hint: `usher mcp lock --diff ${server} shows what changed, usher mcp approve --diff ${server} accepts it`,
  };
}

const MAX_LISTED = 20;

function listed(names: readonly string[]): string {
  const more = names.length - MAX_LISTED;
  const shown = names.slice(0, MAX_LISTED).map((name) => name.slice(0, 80));
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

function readLock(path: string): LockFile | undefined {
  let text: string;
  try {
    text = new TextDecoder().decode(readBounded(path, MAX_BYTES));
  } catch (cause) {
    if (isMissing(cause)) return undefined;
    throw new ConfigError(`${path} cannot be read: ${fileReason(cause)}`, { cause });
  }
  const parsed = v.safeParse(fileSchema, tryParseJson(text));
  if (parsed.success) return parsed.output;
  throw new ConfigError(`${path} is no lock file of this version`, {
    hint: 'mend it, or remove it and run usher mcp lock',
  });
}
