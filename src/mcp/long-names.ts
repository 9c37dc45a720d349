/** Names that nobody can mean: each is shown, matched and kept in many places. */
import { groupDigits, shorten } from '../base/text.ts';
import type { DroppedTool } from './types.ts';

/** Four times what the specification allows for a tool. */
export const MAX_NAME = 512;
/** 8,192: what servers and proxies commonly take as a request line. */
export const MAX_URI = 8192;
const SHOWN = 60;

/** Why an item is left out; `undefined`: its name will do. `what` is for example `its name`. */
export function longName(what: string, name: string, max: number): DroppedTool | undefined {
  if (name.length <= max) return undefined;
  const problem = `${what} has ${groupDigits(name.length)} characters`;
  return { name: shorten(name, SHOWN), problem };
}
