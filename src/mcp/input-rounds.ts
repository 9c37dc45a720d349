/**
 * A 2026-07-28 result that is not the final one: `input_required` is answered and the request sent again,
 * a task is followed to its end. Source: MCP 2026-07-28, multi round-trip requests; tasks extension.
 */
import { LimitError } from '../base/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { answerAll, type OpenExchange } from './input-answers.ts';
import { followTask } from './task.ts';

const MAX_ROUNDS = 10;
const WITH_INPUT = new Set(['tools/call', 'prompts/get', 'resources/read']);

/**
 * The final result, given the first one. A result without `resultType` is final. At most 10 rounds of
 * input, then LimitError. Rejects as `send` and `answer` do.
 */
export async function followResult(first: JsonValue, exchange: OpenExchange): Promise<JsonValue> {
  const { method, params, send, server } = exchange;
  let result = first;
  for (let round = 0; isInputRequired(result) && WITH_INPUT.has(method); round += 1) {
    if (round === MAX_ROUNDS) {
      throw new LimitError(
        `server "${server}" asks for more input after ${MAX_ROUNDS} rounds of ${method}`,
        { details: { limit: 'input rounds', rounds: MAX_ROUNDS } },
      );
    }
    exchange.onActivity();
    const inputResponses = await answerAll(result['inputRequests'], exchange);
    const { requestState } = result;
    result = await send(method, {
      ...params,
      ...(Object.keys(inputResponses).length === 0 ? {} : { inputResponses }),
      ...(requestState === undefined ? {} : { requestState }),
    });
  }
  if (!isJsonObject(result) || result['resultType'] !== 'task') return result;
  return followTask(result, exchange);
}

function isInputRequired(result: JsonValue): result is JsonObject {
  return isJsonObject(result) && result['resultType'] === 'input_required';
}
