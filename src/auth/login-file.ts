/** Files that a login reads: a key, an assertion, what is to know of an identity provider. */
import type { Clock } from '../base/clock.ts';
import { ConfigError, LimitError } from '../base/errors.ts';
import { errorCode, fileReason, readBoundedOrPipe } from '../base/files.ts';

/** 64 KiB. */
const MAX_FILE_BYTES = 64 * 1024;

/** The text of a file or pipe. Rejects with ConfigError `<what> <path>: <why>`, also beyond 64 KiB. */
export async function readLoginFile(path: string, what: string, clock: Clock): Promise<string> {
  try {
    return new TextDecoder().decode(await readBoundedOrPipe(path, MAX_FILE_BYTES, clock));
  } catch (error) {
    if (error instanceof LimitError) throw new ConfigError(`${what} ${error.message}`);
    if (errorCode(error) === undefined) throw error;
    throw new ConfigError(`${what} ${path}: ${fileReason(error)}`);
  }
}
