/** The folder of all logins: nobody else may look at which there are, or put one in place of another. */
import { chmodSync, lstatSync, mkdirSync, unlinkSync } from 'node:fs';
import { FailedError } from '../base/errors.ts';
import { isMissing } from '../base/files.ts';

/** Makes it where it is missing, and private where it is not. Errors as `checkLoginFolder`, or the system's. */
export function makeLoginFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  checkLoginFolder(folder);
  if ((lstatSync(folder).mode & 0o077) !== 0) chmodSync(folder, 0o700);
}

/** Before anything is read from it or written to it. Throws FailedError when something else has its name. */
export function checkLoginFolder(folder: string): void {
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  if (stat === undefined || stat.isDirectory()) return;
  const what = stat.isSymbolicLink() ? 'a symlink' : 'no folder';
  throw new FailedError(`${folder} is ${what}; no login is kept in it`, {
    hint: `remove ${folder}`,
  });
}

/** Without a home nothing outlives the process. `label` is the subject's. */
export function noLoginFolder(label: string): FailedError {
  return new FailedError(`${label}: there is no folder to remember the sign-in in`, {
    hint: 'set HOME or XDG_STATE_HOME',
  });
}

/** False: it was not there. Throws the system's error. */
export function removeFile(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
