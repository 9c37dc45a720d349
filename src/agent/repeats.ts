/** What ends a model that goes in circles: the same turn again and again, or the same two or three in turn. */
import { LimitError } from '../base/errors.ts';

/** From how often on the model is told, by the length of the circle in turns. */
const WARN_AT = [
  { turns: 1, times: 3 },
  { turns: 2, times: 4 },
  { turns: 3, times: 4 },
] as const;
const MAX_TURNS = WARN_AT.length;
/** The run stops at this many times. */
const MAX_REPEATS = 6;

/** Read by the model, below the result of a call it keeps repeating. */
export const REPEAT_NOTICE =
  '[this call was made several times in a row with the same arguments and the same result; do something else or answer]';

/** Read by the model, below results of calls it keeps making in turn. */
export const CIRCLE_NOTICE =
  '[these calls were made several times in turn with the same arguments and the same results; do something else or answer]';

/** `turns`: how many make up what is repeated. */
export type RepeatVerdict =
  | { readonly kind: 'fine' }
  | { readonly kind: 'tell' | 'stop'; readonly turns: number };

/** Watches for circles. Equal turns: same tools, same arguments, same results. */
export function createRepeatGuard(): { note(key: string): RepeatVerdict } {
  /** The last turns, newest first. */
  let last: readonly string[] = [];
  /** For each length, how many turns in a row were as the one that many before. */
  const equal = WARN_AT.map(() => 0);
  return {
    note(key) {
      let verdict: RepeatVerdict = { kind: 'fine' };
      for (const [index, { turns, times }] of WARN_AT.entries()) {
        const count = last[turns - 1] === key ? (equal[index] ?? 0) + 1 : 0;
        equal[index] = count;
        const done = Math.floor(count / turns) + 1;
        if (done >= MAX_REPEATS && verdict.kind !== 'stop') verdict = { kind: 'stop', turns };
        if (done >= times && verdict.kind === 'fine') verdict = { kind: 'tell', turns };
      }
      last = [key, ...last].slice(0, MAX_TURNS);
      return verdict;
    },
  };
}

/** What the model reads below its results; `undefined` for nothing. */
export function repeatNotice(verdict: RepeatVerdict): string | undefined {
  if (verdict.kind === 'fine') return undefined;
  return verdict.turns === 1 ? REPEAT_NOTICE : CIRCLE_NOTICE;
}

/** `tools`: of the last turn, for people. `turns` as in the verdict. */
export function repeatLimitError(tools: string, turns: number): LimitError {
  const what =
    turns === 1
      ? `the model called ${tools} ${MAX_REPEATS} times in a row with the same arguments and got the same result`
      : `the model made the same ${turns} turns ${MAX_REPEATS} times in a row, ${tools} last, with the same arguments and results`;
  return new LimitError(what, {
    hint: 'ask more precisely, or leave the tool out with --no-tool',
    details: { limit: 'repeats', repeats: MAX_REPEATS },
  });
}
