/**
 * Reads what a provider says when it fails, in a status or inside a stream, and whether asking again
 * can help. Verdicts follow status, code and type; text only where providers send nothing else.
 */
import { parseRetryAfter } from '../base/backoff.ts';
import { ProviderError } from '../base/errors.ts';
import { excerpt } from '../base/http.ts';
import { isJsonObject, type JsonObject, type JsonValue, tryParseJson } from '../base/json.ts';
import { pageTitle } from '../base/web-page.ts';

/** What an error says about itself; every field may be missing. */
export interface ProviderComplaint {
  readonly text: string;
  readonly code: string | undefined;
  readonly type: string | undefined;
  /** An HTTP status given as a number inside the error. */
  readonly status: number | undefined;
  /** From the body (Gemini's RetryInfo). */
  readonly retryAfterMs: number | undefined;
}

/** An error answer, before any stream. `who` is the model and its address. */
export function statusError(
  who: string,
  response: Response,
  body: string,
  now: Date,
  keyName: string | undefined,
): ProviderError {
  const { status } = response;
  const complaint = readComplaint(body);
  const retryAfterMs = headerWaitMs(response.headers, now) ?? complaint.retryAfterMs;
  const name = response.statusText || STATUS_TEXTS[status] || '';
  const said = complaint.text === '' ? '' : `: ${complaint.text}`;
  const hint = statusHint(status, keyName);
  return new ProviderError(`${who}: ${status} ${name}`.trimEnd() + said, {
    ...(hint === undefined ? {} : { hint }),
    retryable:
      RETRIED_STATUSES.has(status) &&
      response.headers.get('x-should-retry') !== 'false' &&
      !isUsedUp(complaint, retryAfterMs),
    details: { status, ...waitDetail(retryAfterMs) },
  });
}

/** An error inside a stream that began well. */
export function streamError(who: string, data: string): ProviderError {
  const complaint = readComplaint(data);
  const label = complaint.type ?? complaint.code;
  const text = complaint.text === '' ? 'an error without a text' : complaint.text;
  const status =
    complaint.status ??
    STATUS_OF_CODE[complaint.type ?? ''] ??
    STATUS_OF_CODE[complaint.code ?? ''];
  return new ProviderError(`${who}: ${label === undefined ? '' : `${label}: `}${text}`, {
    retryable:
      (status === undefined || RETRIED_STATUSES.has(status)) &&
      !isUsedUp(complaint, complaint.retryAfterMs),
    details: {
      ...(status === undefined ? {} : { status }),
      ...waitDetail(complaint.retryAfterMs),
    },
  });
}

/** The wait a provider asked for, kept in an error's details. */
export function askedWaitMs(error: ProviderError): number | undefined {
  const waitMs = error.details['retryAfterMs'];
  return typeof waitMs === 'number' ? waitMs : undefined;
}

/** Pulls message, code and type out of the shapes providers and gateways use; other text is cut short. */
export function readComplaint(body: string): ProviderComplaint {
  const parsed = tryParseJson(body);
  const root = Array.isArray(parsed) ? parsed[0] : parsed;
  if (!isJsonObject(root)) {
    const text = pageTitle(body) || excerpt(body.replace(MARKUP, ' '));
    return { text, code: undefined, type: undefined, status: undefined, retryAfterMs: undefined };
  }
  const response = isJsonObject(root['response']) ? root['response'] : root;
  const inner = isJsonObject(response['error']) ? response['error'] : root;
  const text = firstText(
    inner['message'],
    root['error'],
    root['message'],
    root['detail'],
    root['errors'],
  );
  const code = inner['code'];
  return {
    text: excerpt(text ?? body),
    code: typeof code === 'string' ? code : undefined,
    type: stringOf(inner['status']) ?? (inner === root ? undefined : stringOf(inner['type'])),
    status: statusOf(code) ?? statusOf(inner['status']),
    retryAfterMs: retryInfoMs(inner),
  };
}

const MARKUP = /<(style|script)\b[\s\S]*?<\/\1|<[^>]*>/gi;

/** True for a JSON body that says it is an error. */
export function isErrorBody(body: string): boolean {
  const parsed = tryParseJson(body);
  const root = Array.isArray(parsed) ? parsed[0] : parsed;
  if (!isJsonObject(root)) return false;
  const { error } = root;
  return isJsonObject(error) || (typeof error === 'string' && error !== '');
}

/** Tried again: overload and faults on the way. 501 and other 4xx stay what they are. */
const RETRIED_STATUSES = new Set([408, 425, 429, 500, 502, 503, 504, 522, 524, 529]);

/** HTTP/2 has no reason phrase. */
const STATUS_TEXTS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  408: 'Request Timeout',
  413: 'Payload Too Large',
  422: 'Unprocessable Entity',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
  529: 'Overloaded',
};

/** Error names inside a 200 stream, as statuses. Sources: the providers' error pages. */
const STATUS_OF_CODE: Readonly<Record<string, number>> = {
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  tokens: 429,
  requests: 429,
  RESOURCE_EXHAUSTED: 429,
  overloaded_error: 529,
  server_overloaded: 529,
  api_error: 500,
  server_error: 500,
  internal_error: 500,
  INTERNAL: 500,
  UNAVAILABLE: 503,
  timeout_error: 504,
  DEADLINE_EXCEEDED: 504,
  invalid_request_error: 400,
  invalid_prompt: 400,
  context_length_exceeded: 400,
  INVALID_ARGUMENT: 400,
  FAILED_PRECONDITION: 400,
  authentication_error: 401,
  invalid_api_key: 401,
  UNAUTHENTICATED: 401,
  billing_error: 402,
  permission_error: 403,
  PERMISSION_DENIED: 403,
  not_found_error: 404,
  model_not_found: 404,
  NOT_FOUND: 404,
  request_too_large: 413,
};

/** Codes of an account that waiting does not refill. */
const USED_UP = new Set([
  'insufficient_quota',
  'billing_error',
  'billing_hard_limit_reached',
  'billing_not_active',
  'quota_exceeded',
  'usage_limit_reached',
]);
/** For gateways that send a bare sentence with their 429. */
const USED_UP_TEXT =
  /\b(?:monthly|weekly|daily)\b.*\b(?:limit|quota)\b|\b(?:insufficient|no|out of) (?:credits?|balance|funds|quota)\b/i;

function isUsedUp(complaint: ProviderComplaint, retryAfterMs: number | undefined): boolean {
  if (USED_UP.has(complaint.code ?? '') || USED_UP.has(complaint.type ?? '')) return true;
  return retryAfterMs === undefined && USED_UP_TEXT.test(complaint.text);
}

function headerWaitMs(headers: Headers, now: Date): number | undefined {
  const milliseconds = headers.get('retry-after-ms');
  if (milliseconds !== null && /^\d+(\.\d+)?$/.test(milliseconds)) return Number(milliseconds);
  const header = headers.get('retry-after');
  if (header !== null && /^\s*\d+\.\d+\s*$/.test(header)) return Number(header) * 1000;
  return parseRetryAfter(header, now);
}

/** `details: [{"@type": "…RetryInfo", "retryDelay": "20s"}]`. */
function retryInfoMs(error: JsonObject): number | undefined {
  const details = error['details'];
  if (!Array.isArray(details)) return undefined;
  for (const detail of details) {
    const delay = isJsonObject(detail) ? detail['retryDelay'] : undefined;
    const seconds = typeof delay === 'string' ? /^(\d+(?:\.\d+)?)s$/.exec(delay)?.[1] : undefined;
    if (seconds !== undefined) return Number(seconds) * 1000;
  }
  return undefined;
}

function statusHint(status: number, keyName: string | undefined): string | undefined {
  if (status === 401 || status === 403) {
    return keyName === undefined
      ? 'set model.apiKeyEnv to the NAME of the variable that holds the key'
      : `set ${keyName} to a valid key`;
  }
  if (status === 404) return 'check model.baseUrl and model.name';
  return undefined;
}

function waitDetail(retryAfterMs: number | undefined): JsonObject {
  return retryAfterMs === undefined ? {} : { retryAfterMs };
}

function firstText(...values: readonly (JsonValue | undefined)[]): string | undefined {
  for (const value of values) {
    if (typeof value === 'string' && value.trim() !== '') return value;
    if (Array.isArray(value) && value.length > 0) {
      const [first] = value;
      const text = isJsonObject(first) ? firstText(first['message'], first['msg']) : undefined;
      return text ?? JSON.stringify(value);
    }
  }
  return undefined;
}

function stringOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function statusOf(value: JsonValue | undefined): number | undefined {
  const status = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value;
  return typeof status === 'number' && status >= 400 && status < 600 ? status : undefined;
}
