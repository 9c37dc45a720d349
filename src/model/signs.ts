/**
 * What an event of a model's stream says about the stream's end, by format. Events are parsed only when
 * they look as if they mattered; the contents are the SDK's business.
 */

import { assertNever } from '../base/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue, tryParseJson } from '../base/json.ts';
import type { SseEvent } from '../sse/types.ts';
import type { ModelFamily } from './family.ts';

/**
 * `end`: the terminal event. `finish`: the reason is given, the terminal event may follow. `usage`: all
 * that can still matter has come. `noise`: not part of the format, to be dropped. `blocked`: the prompt
 * was refused by a filter.
 */
export type StreamSign = 'more' | 'noise' | 'finish' | 'usage' | 'end' | 'error' | 'blocked';

/** `finished`: a finish was seen before. */
export function readSign(family: ModelFamily, event: SseEvent, finished: boolean): StreamSign {
  switch (family) {
    case 'chat':
      return chatSign(event, finished);
    case 'responses':
      return responsesSign(event);
    case 'anthropic':
      return anthropicSign(event);
    case 'google':
      return googleSign(event);
    default:
      return assertNever(family);
  }
}

/** What stands for the terminal event where a server left it out after the finish. */
export function closingEvent(family: ModelFamily): SseEvent | undefined {
  return family === 'anthropic'
    ? { event: 'message_stop', data: '{"type":"message_stop"}' }
    : undefined;
}

const ERROR_FIELD = /"error"\s*:\s*[{"]/;

function chatSign({ event, data }: SseEvent, finished: boolean): StreamSign {
  if (data.trim() === '[DONE]') return 'end';
  if (event === 'error') return 'error';
  if (ERROR_FIELD.test(data) && hasError(tryParseJson(data))) return 'error';
  if (!data.includes('"choices"')) return tryParseJson(data) === undefined ? 'more' : 'noise';
  const isFinish =
    /"finish_reason"\s*:\s*"[^"]/.test(data) && finishReason(tryParseJson(data)) !== undefined;
  if ((isFinish || finished) && /"usage"\s*:\s*\{/.test(data)) return 'usage';
  if (isFinish) return 'finish';
  return NO_TEXT.test(data) && isEmpty(tryParseJson(data)) ? 'noise' : 'more';
}

/** Cheap to look for; a chunk with text has none of it. */
const NO_TEXT = /"content"\s*:\s*(?:""|null)/;

/** True for a chunk that says nothing, as most replies begin with: a role alone. The package would check it as any other. */
function isEmpty(chunk: JsonValue | undefined): boolean {
  const { choices, usage } = objectOf(chunk);
  if (!Array.isArray(choices) || choices.length !== 1 || isJsonObject(usage)) return false;
  const { delta } = objectOf(choices[0]);
  if (!isJsonObject(delta)) return false;
  return Object.entries(delta).every(
    ([key, part]) => key === 'role' || part === '' || part === null,
  );
}

function finishReason(chunk: JsonValue | undefined): string | undefined {
  const choices = isJsonObject(chunk) ? chunk['choices'] : undefined;
  const first = Array.isArray(choices) ? choices[0] : undefined;
  const reason = isJsonObject(first) ? first['finish_reason'] : undefined;
  return typeof reason === 'string' && reason !== '' ? reason : undefined;
}

function responsesSign({ event, data }: SseEvent): StreamSign {
  if (data.trim() === '[DONE]') return 'noise';
  switch (event ?? typeOf(data)) {
    case 'response.completed':
    case 'response.incomplete':
      return 'end';
    case 'response.failed':
    case 'error':
      return 'error';
    default:
      return ERROR_FIELD.test(data) && hasError(tryParseJson(data)) ? 'error' : 'more';
  }
}

function anthropicSign({ event, data }: SseEvent): StreamSign {
  switch (event ?? typeOf(data)) {
    case 'message_stop':
      return 'end';
    case 'error':
      return 'error';
    case 'message_delta':
      return /"stop_reason"\s*:\s*"/.test(data) ? 'finish' : 'more';
    default:
      return 'more';
  }
}

function googleSign({ data }: SseEvent): StreamSign {
  if (ERROR_FIELD.test(data) && hasError(tryParseJson(data))) return 'error';
  const isFinish = /"finishReason"\s*:\s*"/.test(data);
  const isBlocked = /"blockReason"\s*:\s*"/.test(data);
  if (!isFinish && !isBlocked) return 'more';
  const chunk = objectOf(tryParseJson(data));
  const candidates = chunk['candidates'];
  const first = objectOf(Array.isArray(candidates) ? candidates[0] : undefined);
  if (typeof first['finishReason'] === 'string') {
    return chunk['usageMetadata'] === undefined ? 'finish' : 'usage';
  }
  return objectOf(chunk['promptFeedback'])['blockReason'] === undefined ? 'more' : 'blocked';
}

function hasError(value: JsonValue | undefined): boolean {
  const error = isJsonObject(value) ? value['error'] : undefined;
  return isJsonObject(error) || (typeof error === 'string' && error !== '');
}

/** The `type` field, for gateways that drop the event name. It stands first in practice. */
function typeOf(data: string): string | undefined {
  const quick = /^\s*\{\s*"type"\s*:\s*"([^"]+)"/.exec(data)?.[1];
  if (quick !== undefined) return quick;
  const type = objectOf(tryParseJson(data))['type'];
  return typeof type === 'string' ? type : undefined;
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
