/** How a secret may be written by whoever reflects it: encoded for URLs, JSON, headers or as numbers. */

/** Shorter pieces of base64 would stand in ordinary text. */
const MIN_BASE64_PIECE = 8;

/** The secret itself and its encodings, without repetition. */
export function secretSpellings(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString('hex');
  const json = JSON.stringify(secret).slice(1, -1);
  const ascii = json.replace(/[\u007f-\uffff]/g, unicodeEscape);
  const url = percentEncoded(secret);
  return [
    ...new Set([
      secret,
      json,
      ascii,
      json.replaceAll('/', '\\/'),
      // JSON as a text inside JSON.
      JSON.stringify(json).slice(1, -1),
      url,
      lowerPercent(url),
      url.replaceAll('%20', '+'),
      strictlyPercentEncoded(secret),
      hex,
      hex.toUpperCase(),
      ...base64Spellings(bytes),
    ]),
  ];
}

/** Whole, in both alphabets, and what is left of the secret where it stands inside longer data, such as `user:secret`. */
function base64Spellings(bytes: Buffer): readonly string[] {
  const whole = bytes.toString('base64');
  const bare = whole.replace(/=+$/, '');
  const pieces = [0, 1, 2].map((offset) => base64Piece(bytes, offset));
  const standard = [whole, bare, ...pieces.filter((piece) => piece.length >= MIN_BASE64_PIECE)];
  return standard.flatMap((text) => [
    text,
    text.replaceAll('+', '-').replaceAll('/', '_'),
    percentEncoded(text),
  ]);
}

/** The characters that depend on the secret alone when `offset` bytes (modulo 3) stand before it. */
function base64Piece(bytes: Buffer, offset: number): string {
  const shifted = Buffer.concat([Buffer.alloc(offset), bytes]);
  const first = Math.ceil((offset * 8) / 6);
  const last = Math.floor((shifted.length * 8) / 6);
  return shifted.toString('base64').slice(first, last);
}

/** A lone surrogate has no encoding; it stays as it is. */
function percentEncoded(text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) : text;
}

/** Also what `encodeURIComponent` leaves. @see RFC 3986 2.3 */
function strictlyPercentEncoded(text: string): string {
  return percentEncoded(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function lowerPercent(text: string): string {
  return text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
}

function unicodeEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
