/** The end of what a process says on stderr, within a bound, for the text of a failure. */
import { scrubSecrets } from '../base/redact.ts';
import { escapeForTerminal, lastCharacters } from '../base/text.ts';

const RING_BYTES = 64 * 1024;
const SHOWN_CHARACTERS = 2000;
const SHOWN_LINES = 20;

export interface StderrTail {
  add(chunk: Uint8Array): void;
  /**
   * The last 20 lines as far as they are whole within 2,000 characters, scrubbed and escaped; of a longer line
   * alone its end. Empty when nothing was said.
   */
  text(): string;
}

export function createStderrTail(): StderrTail {
  const ring = new Uint8Array(RING_BYTES);
  let total = 0;

  return {
    add(chunk) {
      const bytes = chunk.length > RING_BYTES ? chunk.subarray(chunk.length - RING_BYTES) : chunk;
      total += chunk.length - bytes.length;
      const at = total % RING_BYTES;
      const first = bytes.subarray(0, RING_BYTES - at);
      ring.set(first, at);
      ring.set(bytes.subarray(first.length), 0);
      total += bytes.length;
    },
    text() {
      const at = total % RING_BYTES;
      const bytes =
        total <= RING_BYTES
          ? ring.subarray(0, total)
          : Buffer.concat([ring.subarray(at), ring.subarray(0, at)]);
      // A progress bar rewrites its line with CR: only lines are worth keeping apart.
      const all = new TextDecoder()
        .decode(bytes)
        .replace(/\r+\n?/g, '\n')
        .trim();
      return lastLines(escapeForTerminal(scrubSecrets(all)));
    },
  };
}

function lastLines(text: string): string {
  const lines = text.split('\n').slice(-SHOWN_LINES).join('\n');
  const shown = lastCharacters(lines, SHOWN_CHARACTERS);
  if (shown.length === lines.length || lines[lines.length - shown.length - 1] === '\n')
    return shown;
  const end = shown.indexOf('\n');
  return end === -1 ? `…${lastCharacters(shown, SHOWN_CHARACTERS - 1)}` : shown.slice(end + 1);
}
