/** Looks at processes from outside. */
import { existsSync, readFileSync } from 'node:fs';

/** True while a process runs; where /proc tells, one that nobody has reaped yet counts as gone. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    const hasProc = existsSync('/proc/self/status');
    return !hasProc || !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    // No such process, or it went between the two looks.
    return false;
  }
}
