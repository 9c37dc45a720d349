/** Cuts a long result to head and tail. The whole is kept as a file where that is possible. */
import { countCharacters, cutToCharacters, groupDigits, lastCharacters } from '../base/text.ts';
import { type ArtifactOptions, type Saved, saveArtifact } from './artifacts.ts';
import { GREP_NAME, type KeptResults, SLICE_NAME } from './kept.ts';

/** Most of what matters stands at the start; errors of long outputs stand at the end. */
const HEAD_SHARE = 0.7;

export interface BoundedText {
  /** At most `maxCharacters` code points, the marker included (a bound too small for the marker gets the marker's start). */
  readonly text: string;
  readonly omittedCharacters: number;
}

/** The text itself, or its head, a marker that says how much is missing and where the whole is, and its tail. */
export async function boundText(
  text: string,
  maxCharacters: number,
  options: ArtifactOptions & { readonly kept?: KeptResults | undefined },
): Promise<BoundedText> {
  if (text.length <= maxCharacters) return { text, omittedCharacters: 0 };
  const total = countCharacters(text);
  if (total <= maxCharacters) return { text, omittedCharacters: 0 };
  const saved = await saveArtifact(text, 'txt', options);
  const { kept } = options;
  if (saved.kind === 'saved') kept?.keep(saved);
  const mark = (omitted: number) => markerText(omitted, saved, kept !== undefined);
  // The number in the marker is never longer than the total's, so this room is enough.
  const room = Math.max(0, maxCharacters - countCharacters(mark(total)));
  const headLength = Math.floor(room * HEAD_SHARE);
  const omittedCharacters = total - room;
  const head = detached(cutToCharacters(text, headLength));
  const tail = detached(lastCharacters(text, room - headLength));
  const cut = `${head}${mark(omittedCharacters)}${tail}`;
  return { text: cutToCharacters(cut, maxCharacters), omittedCharacters };
}

function markerText(omitted: number, saved: Saved, canBeReadOn: boolean): string {
  const how =
    saved.kind === 'saved' && canBeReadOn
      ? `; ${SLICE_NAME} or ${GREP_NAME} with id "${saved.id}" reads on`
      : '';
  const where =
    saved.kind === 'saved'
      ? `the whole result is saved as ${saved.path}${how}`
      : `the whole result is not saved: ${saved.reason}`;
  return `\n[… ${groupDigits(omitted)} characters left out; ${where} …]\n`;
}

/** A copy: a slice would keep the whole text in memory as long as the history lives. */
function detached(text: string): string {
  return Buffer.from(text).toString();
}
