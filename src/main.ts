/** The binary's entry. `--version` is answered before anything else is loaded. */
import { writeSync } from 'node:fs';
import { VERSION } from './base/version.ts';

const words = process.argv.slice(2);

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
    return error instanceof Error && 'code' in error && error.code === 'EPIPE' ? 0 : 1;
  }
}
