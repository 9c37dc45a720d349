/**
 * What a text may mean to the program that gets it: a path with `..` in it, percent escapes, other letters
 * that look or compare the same. For rules that must not be talked round. Pure.
 */

/**
 * The text and what a server may make of it as a path or an address; a rule that allows has to fit all of
 * them. A text with control characters is followed by one that no sensible pattern fits.
 */
export function exactReadings(text: string): readonly string[] {
  const decoded = decode(text);
  const readings = [text, withoutDots(text), decoded, withoutDots(decoded.replaceAll('\\', '/'))];
  return [...new Set([...readings, ...(CONTROL.test(decoded) ? ['\0'] : [])])];
}

/** Spellings that a server may take for the same, in lower case: a rule that denies has to fit one of them. */
export function wideReadings(text: string): readonly string[] {
  const plain = fold(text);
  const decoded = fold(decode(decode(text)));
  const slashed = decoded.replaceAll('\\', '/');
  const simple = withoutDots(slashed.replace(/\/{2,}/g, '/'));
  return [...new Set([plain, decoded, slashed, simple, simple.replace(/\/+$/, '')])];
}

/** Without `.` and `..` between slashes; `..` that leads above the start stays. */
export function withoutDots(text: string): string {
  if (!/(^|\/)\.\.?(\/|$)/.test(text)) return text;
  const kept: string[] = [];
  const isRooted = text.startsWith('/');
  for (const part of text.split('/')) {
    if (part === '.') continue;
    const last = kept.at(-1);
    const canGoUp = last !== undefined && last !== '..' && !(isRooted && kept.length === 1);
    if (part !== '..') kept.push(part);
    else if (canGoUp) kept.pop();
    else if (!isRooted) kept.push(part);
  }
  return kept.join('/');
}

/** Control, bidi and invisible characters. */
const CONTROL = /[\p{Cc}\p{Cf}]/u;
const ALL_CONTROL = /[\p{Cc}\p{Cf}]/gu;

function fold(text: string): string {
  return text.normalize('NFKC').replace(ALL_CONTROL, '').trim().toLowerCase();
}

/** Percent escapes taken back where they are valid. */
function decode(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    // Some of them are none: those that are, one by one.
    return text.replace(/%[0-7][0-9a-f]/gi, (code) =>
      String.fromCharCode(Number.parseInt(code.slice(1), 16)),
    );
  }
}
