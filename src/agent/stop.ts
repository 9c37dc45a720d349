/** What ends a run that would not end by itself: repeats, turns, tokens (design 5). */
import { LimitError } from '../base/errors.ts';
import type { TokenUsage } from '../model/types.ts';
import type { RunLimits } from './types.ts';

/** The model is told at this many equal calls in a row. */
const WARN_REPEATS = 3;
/** The run stops at this many. */
const MAX_REPEATS = 6;
/** Replies in a row that were cut by length in the middle of tool calls. */
const MAX_CUT_REPLIES = 3;

/** Read by the model, below the result of a call it keeps repeating. */
export const REPEAT_NOTICE =
  '[this call was made several times in a row with the same arguments and the same result; do something else or answer]';

export type RepeatVerdict = 'fine' | 'tell' | 'stop';

/** Counts equal turns in a row. Equal: same tools, same arguments, same results. */
export function createRepeatGuard(): { note(key: string): RepeatVerdict } {
  let lastKey: string | undefined;
  let count = 0;
  return {
    note(key) {
      count = key === lastKey ? count + 1 : 1;
      lastKey = key;
      if (count >= MAX_REPEATS) return 'stop';
      return count >= WARN_REPEATS ? 'tell' : 'fine';
    },
  };
}

export function repeatLimitError(tool: string): LimitError {
  return new LimitError(
    `the model called ${tool} ${MAX_REPEATS} times in a row with the same arguments and got the same result`,
    {
      hint: 'ask more precisely, or leave the tool out with --no-tool',
      details: { limit: 'repeats', repeats: MAX_REPEATS },
    },
  );
}

/** Read by the model, when the conversation goes on, about calls of a reply that was the last one. */
export const NO_TURN_LEFT = 'not run: a limit of the run was reached.';

/** Why no further reply may be asked for; `undefined` while one may. */
export function spentLimit(
  { maxTurns, maxTokens }: RunLimits,
  turnsDone: number,
  usage: TokenUsage,
): LimitError | undefined {
  if (turnsDone >= maxTurns) {
    return new LimitError(`no final answer after ${maxTurns} turns (--max-turns)`, {
      hint: 'raise --max-turns, or ask for less at once',
      details: { limit: 'max-turns', turns: maxTurns },
    });
  }
  const used = usage.inputTokens + usage.outputTokens;
  if (maxTokens === undefined || used < maxTokens) return undefined;
  return new LimitError(`the run used ${used} tokens of ${maxTokens} (--max-tokens)`, {
    hint: 'raise --max-tokens, or ask for less at once',
    details: { limit: 'max-tokens', tokens: used },
  });
}

/** Throws LimitError when replies keep being cut in the middle of tool calls. */
export function checkCutReplies(cutReplies: number): void {
  if (cutReplies < MAX_CUT_REPLIES) return;
  throw new LimitError(
    'output limit reached: the model was cut off in the middle of its tool calls',
    {
      hint: 'raise model.maxTokens, or ask for less at once',
      details: { limit: 'model.maxTokens' },
    },
  );
}
