/** Keys that a JSON text has twice in one object: parsers disagree on which of the two holds (RFC 8259, 4). */

/** A key that stands twice in one object, at any depth, else `undefined`. `text` must be JSON. Linear work. */
export function repeatedKey(text: string): string | undefined {
  const open: Set<string>[] = [];
  for (const [token, string, colon] of text.matchAll(TOKEN)) {
    if (token === '{') open.push(new Set());
    else if (token === '}') open.pop();
    else if (string !== undefined && colon !== undefined) {
      // A string token of JSON text, so this gives a string.
      const key = JSON.parse(string) as string;
      const keys = open.at(-1);
      if (keys?.has(key)) return key;
      keys?.add(key);
    }
  }
  return undefined;
}

/** A string, with the colon behind it where it is a key, or the edge of an object. */
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|[{}]/g;
