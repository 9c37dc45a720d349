/** Cut results of a session that can be read on: only what was saved here, found by the hash of its content. */
import { readBounded } from '../base/files.ts';
import { sha256Hex } from '../base/hash.ts';
import { HASH_LENGTH } from './artifacts.ts';

export const SLICE_NAME = 'result_slice';
export const GREP_NAME = 'result_grep';

/** More than any result may have (16 MiB a message, more as indented JSON). */
const MAX_BYTES = 64 * 1024 * 1024;
/** The oldest are forgotten; their files stay. */
const MAX_KEPT = 1000;

export interface KeptResult {
  readonly id: string;
  readonly path: string;
}

export interface KeptResults {
  keep(result: KeptResult): void;
  list(): readonly KeptResult[];
  /** The whole text; `undefined` when there is no such result, or its file is gone or was changed. */
  read(id: string): string | undefined;
  /** Calls `listener` when there is a first result, at once if there is one. */
  onFirst(listener: () => void): void;
}

/** `earlier`: of the same session, from a run before this one. */
export function createKeptResults(earlier: readonly KeptResult[] = []): KeptResults {
  const paths = new Map(earlier.map(({ id, path }) => [id, path]));
  let first: (() => void) | undefined;
  return {
    keep({ id, path }) {
      paths.delete(id);
      paths.set(id, path);
      const [oldest] = paths.keys();
      if (paths.size > MAX_KEPT && oldest !== undefined) paths.delete(oldest);
      const tell = first;
      first = undefined;
      tell?.();
    },
    list: () => [...paths].map(([id, path]) => ({ id, path })),
    read(id) {
      const path = paths.get(id);
      return path === undefined ? undefined : readKept(id, path);
    },
    onFirst(listener) {
      if (paths.size > 0) listener();
      else first = listener;
    },
  };
}

function readKept(id: string, path: string): string | undefined {
  let bytes: Uint8Array;
  try {
    bytes = readBounded(path, MAX_BYTES);
  } catch {
    // Retention, or a person, took the file away: the caller says so.
    return undefined;
  }
  const isOurs = sha256Hex(bytes).slice(0, HASH_LENGTH) === id;
  return isOurs ? new TextDecoder().decode(bytes) : undefined;
}
