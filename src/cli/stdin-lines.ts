/** Lines of standard input, as they come. */
import { raceAbort } from '../base/abort.ts';
import { LimitError } from '../base/errors.ts';

const MAX_LINE_CHARACTERS = 1024 * 1024;

/** The last one may be empty. Rejects with LimitError for a line of more than 1 MiB, or with the signal's reason. */
export async function* linesOf(
  pieces: AsyncIterator<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const piece = await raceAbort(pieces.next(), signal);
    rest += piece.done === true ? decoder.decode() : decoder.decode(piece.value, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE_CHARACTERS) {
      throw new LimitError('a line of stdin is longer than 1 MiB', { details: { limit: 'line' } });
    }
    yield* lines;
    if (piece.done !== true) continue;
    yield rest;
    return;
  }
}
