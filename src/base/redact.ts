/**
 * Secrets are registered once, where they are read, and scrubbed from everything that is shown or
 * written. Longest first, so that a secret inside another leaves no tail.
 */

const MASK = '***';
/** Shorter values would mask ordinary words; a credential is never that short. */
const MIN_LENGTH = 4;

const secrets = new Set<string>();
let sorted: readonly string[] = [];

/**
 * Remembers a secret for the life of the process, also as base64, URL-encoded and inside
 * JSON text. Empty and very short values are ignored.
 */
export function registerSecret(value: string): void {
  if (value.length < MIN_LENGTH) return;
  const spellings = [
    value,
    encodeURIComponent(value),
    Buffer.from(value).toString('base64'),
    JSON.stringify(value).slice(1, -1),
  ];
  for (const spelling of spellings) secrets.add(spelling);
  sorted = [...secrets].sort((a, b) => b.length - a.length);
}

/** The text with every registered secret replaced by `***`. */
export function scrubSecrets(text: string): string {
  let scrubbed = text;
  for (const secret of sorted) {
    if (scrubbed.includes(secret)) scrubbed = scrubbed.replaceAll(secret, MASK);
  }
  return scrubbed;
}
