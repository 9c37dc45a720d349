/**
 * Characters that hide text or steer a terminal: control, bidi, zero-width, tag block, fillers.
 * One classification for what a model gets (removed) and what a person sees (made visible).
 * Source: Unicode 16 Default_Ignorable_Code_Point and Bidi_Control; ECMA-48 for sequences.
 */

/** CSI, OSC, DCS/SOS/PM/APC with their payload, then any other escape; unfinished ones lose only their start. */
const SEQUENCE =
  /(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,16}[@-~]|(?:\x1b\]|\x9d)[^\x07\x1b\x9c\n]{0,4096}(?:\x07|\x1b\\|\x9c)|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x9c\n]{0,4096}(?:\x1b\\|\x9c)|\x1b[ -/]{0,4}[0-~]/g;

/** Most text: compiled and tested much faster than the full table. */
const PLAIN = /^[\n\t -~]*$/;

const UNSAFE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]|\u034f|\u180b|\u180c|\u180d|\u180f|[\ufe00-\ufe0f]/gu;

const EMOJI_END = /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)$/u;
const EMOJI_START = /^\p{Extended_Pictographic}/u;
/** Scripts whose spelling uses joiners and direction marks. */
const JOINING_END =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Mongolian}]$/u;
const JOINING_START = new RegExp(`^${JOINING_END.source.slice(0, -1)}`, 'u');
const HAN_END = /\p{Script=Han}$/u;
/** What `\ufe0e` and `\ufe0f` choose a form of; digits are the base of keycaps. */
const EMOJI_BASE_END = /\p{Emoji}$/u;
const HAN_OR_MATH_END = /[\p{Script=Han}\p{Sm}]$/u;

/** The text without terminal sequences; `\r\n` and a lone `\r` become `\n`. */
export function stripSequences(text: string): string {
  let clean = text;
  if (/[\x1b\x90\x98\x9b\x9d-\x9f]/.test(clean)) clean = clean.replace(SEQUENCE, '');
  if (clean.includes('\r')) clean = clean.replace(/\r\n?/g, '\n');
  return clean;
}

/**
 * Replaces every unsafe character by `replacement` of it. `\n`, `\t`, joiners inside emoji and joining
 * scripts, one variation selector where it has a meaning, and all letters stay. Lone surrogates
 * become U+FFFD.
 */
export function replaceUnsafe(text: string, replacement: (character: string) => string): string {
  if (PLAIN.test(text)) return text;
  const wellFormed = text.toWellFormed();
  UNSAFE.lastIndex = 0;
  if (!UNSAFE.test(wellFormed)) return wellFormed;
  return wellFormed.replace(UNSAFE, (character, offset: number) =>
    isLegitimate(wellFormed, character, offset) ? character : replacement(character),
  );
}

/** True when an invisible character does its proper work where it stands. */
function isLegitimate(text: string, character: string, offset: number): boolean {
  const code = character.codePointAt(0) ?? 0;
  const before = lastCharacter(text, offset);
  const after = text.slice(offset + character.length, offset + character.length + 2);
  if (code === 0x200d) {
    if (EMOJI_END.test(before) && EMOJI_START.test(after)) return true;
    return JOINING_END.test(before);
  }
  if (code === 0x200c) return JOINING_END.test(before) && JOINING_START.test(after);
  if (code === 0x200e || code === 0x200f || code === 0x061c) {
    return JOINING_END.test(before) || JOINING_START.test(after);
  }
  if (code === 0xfe0e || code === 0xfe0f) return EMOJI_BASE_END.test(before);
  if (code >= 0xfe00 && code <= 0xfe0d) return HAN_OR_MATH_END.test(before);
  if (code >= 0xe0100 && code <= 0xe01ef) return HAN_END.test(before);
  return false;
}

function lastCharacter(text: string, end: number): string {
  const last = text.charCodeAt(end - 1);
  const isLowSurrogate = last >= 0xdc00 && last <= 0xdfff;
  return text.slice(Math.max(0, end - (isLowSurrogate ? 2 : 1)), end);
}
