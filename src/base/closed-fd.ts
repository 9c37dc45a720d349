/** Whether a standard stream was missing when this process started. */
import { fstatSync, readFileSync } from 'node:fs';
import { DEV_NULL } from './tty.ts';

/**
 * True when descriptor 0, 1 or 2 was closed by whoever started us (`>&-`). The runtime has put /dev/null there
 * since (Bun 1.4.5), which swallows what is written; it is told from an inherited /dev/null by its
 * close-on-exec flag, which nothing inherited can have. False where the system has no /proc.
 */
export function wasClosed(fd: 0 | 1 | 2): boolean {
  try {
    const stat = fstatSync(fd);
    if (!stat.isCharacterDevice() || stat.rdev !== DEV_NULL) return false;
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1];
    return (Number.parseInt(flags ?? '0', 8) & CLOSE_ON_EXEC) !== 0;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return error.code === 'EBADF';
    throw error;
  }
}

/** O_CLOEXEC of Linux, as proc(5) shows it. */
const CLOSE_ON_EXEC = 0o2000000;

export const CLOSED_STDOUT = 'stdout is closed, so nothing can be answered';
