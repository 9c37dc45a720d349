/** One model reply and its calls: which may run, and what the history keeps of them. */

import { AuthError, assertNever } from '../base/errors.ts';
import { isJsonObject, type JsonObject, tryParseJson } from '../base/json.ts';
import type { CallOutcome, ToolCall } from '../calls/types.ts';
import type { ModelMessage, ModelReply, ModelToolCall } from '../model/types.ts';
import type { ToolCallRecord } from './types.ts';

/** Read by the model when a reply was cut by its output limit. */
const CUT_BY_LENGTH =
  'not run: the reply was cut off by the output limit before the call was complete. Make it shorter or in smaller parts.';
/** Read by the model when a call was cut, for that call and for those beside it. */
const CUT_ARGUMENTS =
  'not run: this reply was cut off in the middle of the arguments of a call. Send its calls again, whole.';

/**
 * Why no call of this reply may run; `undefined` when they may. A reply cut in the middle must not
 * act, also where the gateway calls it complete.
 */
export function whyNoneRuns(reply: ModelReply): string | undefined {
  if (reply.toolCalls.length === 0) return undefined;
  if (reply.finish === 'length') return CUT_BY_LENGTH;
  return reply.toolCalls.some((call) => isUnterminated(call.argumentsText))
    ? CUT_ARGUMENTS
    : undefined;
}

/** The model's call as a call on the road: empty, white space and `null` arguments are `{}`. */
export function toToolCall(call: ModelToolCall, origin: ModelReply['origin']): ToolCall {
  const parsed = parseArguments(call.argumentsText);
  return {
    id: call.id,
    name: call.name,
    arguments: parsed ?? {},
    invalidArguments: parsed === undefined ? call.argumentsText : undefined,
    origin,
  };
}

function parseArguments(text: string): JsonObject | undefined {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed === 'null') return {};
  const value = tryParseJson(trimmed);
  return isJsonObject(value) ? value : undefined;
}

/** The assistant message of the history: arguments are always a JSON object there. */
export function toAssistantMessage(reply: ModelReply): ModelMessage {
  const toolCalls = reply.toolCalls.map((call) => ({
    ...call,
    argumentsText: JSON.stringify(parseArguments(call.argumentsText) ?? {}),
  }));
  return { role: 'assistant', text: reply.text, toolCalls, state: reply.state };
}

export interface OutcomeText {
  readonly text: string;
  readonly status: 'ok' | 'error' | 'denied' | 'declined';
  readonly record: ToolCallRecord['outcome'];
  /** The call was refused for want of credentials. */
  readonly refused?: AuthError;
}

/** What the model is told of an outcome, and its name in the record. */
export function describeOutcome(outcome: CallOutcome): OutcomeText {
  switch (outcome.kind) {
    case 'result': {
      const { text, isError } = outcome.rendered;
      return isError
        ? { text, status: 'error', record: 'error' }
        : { text, status: 'ok', record: 'ok' };
    }
    case 'invalid':
      return { text: outcome.text, status: 'error', record: 'invalid' };
    case 'denied':
      return outcome.by === 'person'
        ? { text: outcome.text, status: 'declined', record: 'declined' }
        : { text: outcome.text, status: 'denied', record: 'denied' };
    case 'unknown':
      return { text: outcome.text, status: 'error', record: 'unknown' };
    case 'failed': {
      const { text, error } = outcome;
      const refused = error instanceof AuthError ? { refused: error } : {};
      return { text, status: 'error', record: 'failed', ...refused };
    }
    case 'cancelled':
      return { text: outcome.text, status: 'error', record: 'cancelled' };
    default:
      return assertNever(outcome);
  }
}

/** True for text that starts a JSON object and ends inside it: a cut, not a slip. */
export function isUnterminated(text: string): boolean {
  const trimmed = text.trim();
  if (!trimmed.startsWith('{') || tryParseJson(trimmed) !== undefined) return false;
  let depth = 0;
  let inString = false;
  for (let index = 0; index < trimmed.length; index += 1) {
    const character = trimmed[index];
    if (inString) {
      if (character === '\\') index += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
  }
  return inString || depth > 0;
}
