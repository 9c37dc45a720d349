/** The binary's entry. `--version` is answered before anything else is loaded. */
import { writeSync } from 'node:fs';
import { CLOSED_STDOUT, wasClosed } from './base/closed-fd.ts';
import { VERSION } from './base/version.ts';

const words = process.argv.slice(2);

// An answer that is lost with exit 0 would be taken for one; nothing is done for it either.
if (wasClosed(1))
  process.exit(complain(`error: ${CLOSED_STDOUT}\n  usher … >/dev/null throws the answer away\n`));

if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) {
  process.exit(printVersion());
}
const { runProcess } = await import('./cli/process.ts');
process.exit(await runProcess(words));

function printVersion(): number {
  try {
    writeSync(1, `usher ${VERSION}\n`);
    return 0;
  } catch (error) {
    // The reader went away: a quiet end. Anything else, such as a full disk, is a failure.
    if (error instanceof Error && 'code' in error && error.code === 'EPIPE') return 0;
    return complain(`error: stdout cannot be written: ${reasonOf(error)}\n`);
  }
}

function complain(text: string): number {
  try {
    writeSync(2, text);
  } catch {
    // Nobody can be told: the exit code says it.
  }
  return 1;
}

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.startsWith('ENOSPC') ? 'no space left on the device' : message;
}
