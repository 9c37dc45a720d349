/** Counts of words on a command line. */
import { UsageError } from '../base/errors.ts';

/** The only word, or none. Throws UsageError for a second one. */
export function oneWord(words: readonly string[], command: string): string | undefined {
  noMoreWords(words.slice(1), command);
  return words[0];
}

/** Throws UsageError when there is a word too many. */
export function noMoreWords(words: readonly string[], command: string): void {
  const [extra] = words;
  if (extra === undefined) return;
  throw new UsageError(`unexpected argument "${extra}"`, {
    hint:
      command === ''
        ? 'a prompt of several words needs quotes'
        : `usher ${command} --help shows its use`,
  });
}
