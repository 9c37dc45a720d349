/**
 * Whether a descriptor is a terminal. Importing `node:tty` costs 2 ms at start (Bun 1.4.5), so it is only
 * asked about character devices, which a pipe, a file or /dev/null is not.
 */
import { fstatSync } from 'node:fs';

/** Device number of /dev/null on Linux: major 1, minor 3. */
export const DEV_NULL = 0x103;

/** False for a closed descriptor. */
export function isTerminal(fd: number): boolean {
  try {
    const stat = fstatSync(fd);
    if (!stat.isCharacterDevice() || stat.rdev === DEV_NULL) return false;
  } catch (error) {
    // EBADF: nothing is open there.
    if (error instanceof Error && 'code' in error && error.code === 'EBADF') return false;
    throw error;
  }
  return process.getBuiltinModule('node:tty').isatty(fd);
}
