/** Name patterns: `*` any run, `?` one character, everything else literal. Linear work, no regular expressions. */

/** True when the whole of `text` fits `pattern`. Case counts. */
export function matchesGlob(pattern: string, text: string): boolean {
  const wanted = [...pattern];
  const given = [...text];
  let at = 0;
  let star = -1;
  let starAt = 0;
  let index = 0;
  while (at < given.length) {
    const symbol = wanted[index];
    if (symbol === '*') {
      star = index;
      starAt = at;
      index += 1;
    } else if (symbol === '?' || (symbol !== undefined && symbol === given[at])) {
      index += 1;
      at += 1;
    } else if (star >= 0) {
      starAt += 1;
      at = starAt;
      index = star + 1;
    } else {
      return false;
    }
  }
  while (wanted[index] === '*') index += 1;
  return index === wanted.length;
}

/** True when the text has a wildcard. */
export function isGlob(pattern: string): boolean {
  return pattern.includes('*') || pattern.includes('?');
}
