/**
 * What a person allowed for good: `grants.json` in the state directory, mode 0600, never the YAML. Each grant
 * is bound to one server identity and one tool definition by its key; nothing here widens it.
 */
import { join } from 'node:path';
import * as v from 'valibot';
import { AppError, FailedError } from '../base/errors.ts';
import { changeAlone } from '../base/file-lock.ts';
import { fileReason, writeAtomic } from '../base/files.ts';
import { tryParseJson } from '../base/json.ts';
import { readPrivate } from '../base/private-file.ts';

const grantSchema = v.object({
  server: v.string(),
  tool: v.string(),
  /** SHA-256 over server, identity, tool, definition and scope. */
  key: v.string(),
  /** The ask rules it was given for; '' = the tool, whatever its arguments. */
  scope: v.string(),
  /** ISO 8601. */
  at: v.string(),
});
const fileSchema = v.object({ version: v.literal(1), grants: v.array(grantSchema) });

export type StoredGrant = Readonly<v.InferOutput<typeof grantSchema>>;

export interface GrantStore {
  /** As the file has it now; empty where it cannot be used. */
  list(): readonly StoredGrant[];
  /** In place of older ones for the same tool and scope. False: it could not be kept. */
  add(grant: StoredGrant): boolean;
  /** Takes out all of one tool. Returns how many. */
  remove(server: string, tool: string): number;
}

export const GRANTS_FILE = 'grants.json';
const MAX_BYTES = 1024 * 1024;
/** The oldest go first. */
const MAX_GRANTS = 1000;

/**
 * The store below `stateDir`. Reads the file anew each time: another session may have taken a grant back. Of
 * two that write in the same instant one may lose its grant, and is asked again. `onProblem` is told each
 * problem once: a symlink, a file that others may write, one that is no grant file; it is left as it is then.
 */
export function openGrantStore(
  stateDir: string,
  onProblem: (message: string, hint: string | undefined) => void,
): GrantStore {
  const path = join(stateDir, GRANTS_FILE);
  const told = new Set<string>();
  /** `undefined` after a problem. */
  const attempt = <T>(work: () => T): T | undefined => {
    try {
      return work();
    } catch (thrown) {
      const isOurs = thrown instanceof AppError;
      const message = isOurs ? thrown.message : `${path}: ${fileReason(thrown)}`;
      const hint = isOurs ? thrown.hint : undefined;
      if (!told.has(message)) onProblem(`what you allowed for good: ${message}`, hint);
      told.add(message);
      return undefined;
    }
  };
  const write = (grants: readonly StoredGrant[]) =>
    writeAtomic(path, `${JSON.stringify({ version: 1, grants }, null, 2)}\n`);

  return {
    list: () => attempt(() => readGrants(path)) ?? [],
    add(grant) {
      const isKept = attempt(() =>
        changeAlone(path, () => {
          const others = readGrants(path).filter((one) => !isSameTool(one, grant, grant.scope));
          write([...others, grant].slice(-MAX_GRANTS));
          return true;
        }),
      );
      return isKept === true;
    },
    remove(server, tool) {
      const count = attempt(() =>
        changeAlone(path, () => {
          const all = readGrants(path);
          const kept = all.filter((one) => !isSameTool(one, { server, tool }));
          if (kept.length < all.length) write(kept);
          return all.length - kept.length;
        }),
      );
      return count ?? 0;
    },
  };
}

function readGrants(path: string): readonly StoredGrant[] {
  const text = readPrivate(path, MAX_BYTES);
  if (text === undefined || text.trim() === '') return [];
  const parsed = v.safeParse(fileSchema, tryParseJson(text));
  if (parsed.success) return parsed.output.grants;
  throw new FailedError(`${path} is no file of grants; it is not used`, { hint: `remove ${path}` });
}

function isSameTool(
  one: StoredGrant,
  other: Pick<StoredGrant, 'server' | 'tool'>,
  scope: string = one.scope,
): boolean {
  return one.server === other.server && one.tool === other.tool && one.scope === scope;
}
