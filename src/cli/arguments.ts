/** Arguments of a tool or prompt as words; `-` stands for one JSON object on stdin. */
import { raceAbort } from '../base/abort.ts';
import { UsageError } from '../base/errors.ts';
import { isJsonObject, tryParseJson } from '../base/json.ts';
import type { Context } from './context.ts';
import { readStdin } from './stdin.ts';

/** The words, with stdin read where `-` says so. Throws UsageError. */
export async function argumentWords(
  context: Context,
  words: readonly string[],
): Promise<readonly string[]> {
  if (!words.includes('-')) return words;
  if (words.length > 1) throw new UsageError('- stands alone: it is the whole of the arguments');
  const reading = readStdin(context.stdin, (message) => context.log.warn(message));
  const text = await raceAbort(reading, context.signal);
  if (!isJsonObject(tryParseJson(text))) {
    throw new UsageError('stdin: expected one JSON object with the arguments');
  }
  return [text];
}
