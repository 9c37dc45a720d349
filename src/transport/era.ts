/**
 * What the answer to `server/discover` says about a server's generation: modern (2026-07-28 and later) or
 * legacy (before). Pure. Source: MCP 2026-07-28, lifecycle, backward compatibility.
 */
import { AppError, AuthError, LimitError, ProtocolError } from '../base/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { isPassing } from './http-errors.ts';
import { MODERN_VERSIONS } from './modern.ts';

export type Verdict =
  | { readonly kind: 'modern'; readonly version: string; readonly discovery: JsonObject }
  /** Modern, and asks for one of these versions, which we speak as well. */
  | { readonly kind: 'again'; readonly version: string }
  /** `isFirm`: worth remembering. */
  | { readonly kind: 'legacy'; readonly isFirm: boolean }
  /** Nothing is said: the request failed as any other would. */
  | { readonly kind: 'failed'; readonly error: AppError };

/** Under `details.limit` when the probe was not answered in time. */
export const PROBE_LIMIT = 'probe';
export const UNSUPPORTED_VERSION = -32_022;

const FIRST_MODERN = '2026-07-28';
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** True for a revision that has no handshake, known here or not. */
function isModernVersion(version: string): boolean {
  return DATE.test(version) && version >= FIRST_MODERN;
}

/** Of a result. Anything that is no discovery, `{}` included, is a legacy server being polite. */
export function verdictOfResult(result: JsonValue): Verdict {
  if (!isJsonObject(result)) return LEGACY;
  const supported = textsOf(result['supportedVersions']);
  const version = MODERN_VERSIONS.find((known) => supported.includes(known));
  if (version !== undefined) return { kind: 'modern', version, discovery: result };
  return supported.some(isModernVersion) ? disjoint(supported) : LEGACY;
}

/**
 * Of a failure. Only what the server itself says about the request counts: no failure of the network, of
 * credentials, of a proxy or of a redirect ever makes a server legacy.
 */
export function verdictOfFailure(error: AppError): Verdict {
  const supported = supportedVersions(error);
  if (supported !== undefined) {
    const version = MODERN_VERSIONS.find((known) => supported.includes(known));
    if (version !== undefined) return { kind: 'again', version };
    return supported.some(isModernVersion) ? disjoint(supported) : LEGACY;
  }
  if (error instanceof LimitError && error.details['limit'] === PROBE_LIMIT) return LEGACY;
  if (error instanceof AuthError || !(error instanceof ProtocolError)) return failed(error);
  const { status } = error.details;
  if (typeof status !== 'number') return error.retryable ? failed(error) : LEGACY;
  if (status === 500) return { kind: 'legacy', isFirm: false };
  if (isPassing(status) || (status >= 300 && status < 400)) return failed(error);
  return LEGACY;
}

/** What a server lists in its refusal of a version; `undefined` when the refusal is about something else. */
export function supportedVersions(error: unknown): readonly string[] | undefined {
  if (!(error instanceof AppError) || error.details['rpcCode'] !== UNSUPPORTED_VERSION) {
    return undefined;
  }
  const { data } = error.details;
  const supported = isJsonObject(data) ? textsOf(data['supported']) : [];
  return supported.length === 0 ? undefined : supported;
}

/** True for the refusal of a server that speaks a modern revision. */
export function isModernOnly(error: unknown): boolean {
  return supportedVersions(error)?.some(isModernVersion) === true;
}

const LEGACY: Verdict = { kind: 'legacy', isFirm: true };

function failed(error: AppError): Verdict {
  return { kind: 'failed', error };
}

function disjoint(supported: readonly string[]): Verdict {
  return failed(
    new ProtocolError(
      `the server speaks only protocol versions that are not known here: ${supported.slice(0, 5).join(', ')}`,
      { details: { supported } },
    ),
  );
}

function textsOf(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
