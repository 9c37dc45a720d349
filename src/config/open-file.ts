/** Whether others may write a file of one's own: what it names is started without a question. */
import { statSync } from 'node:fs';
import { errorCode } from '../base/files.ts';
import type { ConfigSource } from './sources.ts';
import type { ConfigWarning } from './types.ts';

/** One warning for a regular file that its group or everybody may write; of a symlink its target counts. */
export function openToOthers({ path, label }: ConfigSource): readonly ConfigWarning[] {
  const mode = modeOf(path);
  if (mode === undefined || (mode & OTHERS_WRITE) === 0) return [];
  const shown = (mode & 0o777).toString(8).padStart(4, '0');
  const who = (mode & EVERYBODY_WRITES) === 0 ? 'its group' : 'everybody';
  return [
    {
      message: `${label}: ${who} may change this file (mode ${shown}), and commands in it run as you`,
      hint: `chmod go-w ${path}`,
      skipped: undefined,
    },
  ];
}

const OTHERS_WRITE = 0o022;
const EVERYBODY_WRITES = 0o002;

/** `undefined`: no regular file, gone since it was read, or a system without such modes. */
function modeOf(path: string): number | undefined {
  try {
    const stat = statSync(path);
    return stat.isFile() && process.getuid !== undefined ? stat.mode : undefined;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}
