/** Text for a person to copy into a shell. */

/** One word of a POSIX shell; quoted only where that is needed. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
