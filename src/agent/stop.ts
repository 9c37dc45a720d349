/** What ends a run that would not end by itself: turns, tokens, cut replies (design 5). */
import { LimitError } from '../base/errors.ts';
import type { TokenUsage } from '../model/types.ts';
import type { RunLimits } from './types.ts';

/** Replies in a row that were cut by length in the middle of tool calls. */
const MAX_CUT_REPLIES = 3;

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
