/** Where what a model cannot read is kept: files under the state directory, named by their content. */
import { join } from 'node:path';
import { writeAtomic } from '../base/files.ts';
import { sha256Hex } from '../base/hash.ts';
import { scrubBytes, scrubSecrets } from '../base/redact.ts';

/** Writes a whole file with mode 0600, folders 0700; throws the system's error when it cannot. */
export type SaveFile = (path: string, data: Uint8Array | string) => Promise<void> | void;

export interface ArtifactOptions {
  readonly artifacts: 'on' | 'off';
  /** `undefined`: there is no place for files. */
  readonly stateDir: string | undefined;
  /** `artifacts.dir`; default `artifacts` in the state directory. */
  readonly dir?: string | undefined;
  readonly saveFile: SaveFile;
  /** Told when something that should have been kept could not be. Must not throw. */
  readonly onUnsaved?: (reason: string) => void;
  readonly server: string;
  readonly tool: string;
}

export type Saved =
  | {
      readonly kind: 'saved';
      readonly path: string;
      /** The start of the content's hash, as in the file's name. */
      readonly id: string;
    }
  | { readonly kind: 'not_saved'; readonly reason: string };

const MAX_PART = 60;
/** Hexadecimal digits of SHA-256 in a file's name. */
export const HASH_LENGTH = 16;

/** The port as the binary uses it. */
export const saveFileAtomically: SaveFile = (path, data) => writeAtomic(path, data);

/**
 * Keeps `given`, without secrets, as `<stateDir>/artifacts/<server>/<tool>-<hash>.<extension>`. Never throws for a file
 * that cannot be written: the reason is in the outcome.
 */
export async function saveArtifact(
  given: Uint8Array | string,
  extension: string,
  options: ArtifactOptions,
): Promise<Saved> {
  if (options.artifacts === 'off') return { kind: 'not_saved', reason: 'artifacts are off' };
  const folder = artifactsFolder(options);
  if (folder === undefined) return notSaved('there is no state directory', options);
  const data = typeof given === 'string' ? scrubSecrets(given) : scrubBytes(given);
  const hash = sha256Hex(data).slice(0, HASH_LENGTH);
  const file = `${part(options.tool)}-${hash}.${extension}`;
  const path = join(folder, part(options.server), file);
  try {
    await options.saveFile(path, data);
    return { kind: 'saved', path, id: hash };
  } catch (error) {
    // A full disk or a read-only state directory costs the file, not the result.
    return notSaved(reasonOf(error), options);
  }
}

/** Where files are kept; `undefined`: there is no place. */
export function artifactsFolder({
  stateDir,
  dir,
}: Pick<ArtifactOptions, 'stateDir' | 'dir'>): string | undefined {
  return dir ?? (stateDir === undefined ? undefined : join(stateDir, 'artifacts'));
}

function notSaved(reason: string, { onUnsaved }: ArtifactOptions): Saved {
  onUnsaved?.(reason);
  return { kind: 'not_saved', reason };
}

/** One harmless part of a path. */
function part(name: string): string {
  const clean = name.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, MAX_PART);
  return clean === '' ? '_' : clean;
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return 'the disk is full';
    case 'EROFS':
      return 'the state directory is read-only';
    case 'EACCES':
    case 'EPERM':
      return 'the state directory is not writable';
    default:
      return error instanceof Error ? error.message : String(error);
  }
}
