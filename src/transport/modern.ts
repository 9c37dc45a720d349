/**
 * What the 2026-07-28 revision puts around a request: the envelope in `_meta` and, over HTTP, headers that
 * repeat the body. Pure. Source: MCP 2026-07-28, basic protocol; Streamable HTTP, standard headers.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';

/** Newest first. */
export const MODERN_VERSIONS: readonly string[] = ['2026-07-28'];

const PREFIX = 'io.modelcontextprotocol/';
const VERSION_KEY = `${PREFIX}protocolVersion`;
export const SERVER_INFO_KEY = `${PREFIX}serverInfo`;

export interface Client {
  readonly version: string;
  readonly capabilities: JsonObject;
  /** Servers send no log messages without it. */
  readonly logLevel: string | undefined;
}

/** The members of `_meta` that every request of this revision carries. */
export function envelopeFor(protocolVersion: string, client: Client): JsonObject {
  return {
    [VERSION_KEY]: protocolVersion,
    [`${PREFIX}clientInfo`]: { name: 'usher', version: client.version },
    [`${PREFIX}clientCapabilities`]: client.capabilities,
    ...(client.logLevel === undefined ? {} : { [`${PREFIX}logLevel`]: client.logLevel }),
  };
}

/** True for a message in such an envelope. */
export function isEnveloped(message: JsonObject): boolean {
  return envelopeVersion(message) !== undefined;
}

/** The headers that repeat the body of an enveloped message; none for any other. */
export function standardHeaders(message: JsonObject): Record<string, string> {
  const version = envelopeVersion(message);
  const { method, params } = message;
  if (version === undefined || typeof method !== 'string') return {};
  const field = NAMED_BY[method];
  const name = field !== undefined && isJsonObject(params) ? params[field] : undefined;
  return {
    'mcp-protocol-version': version,
    'mcp-method': method,
    ...(typeof name === 'string' ? { 'mcp-name': encodeHeaderValue(name) } : {}),
  };
}

/**
 * A text as a header's value: as it is when it is visible ASCII with blanks only inside, else its UTF-8 in
 * base64 between `=?base64?` and `?=`, which also marks a text that looks like that.
 */
export function encodeHeaderValue(text: string): string {
  const isPlain = PLAIN.test(text) && !SENTINEL.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`;
}

/** Empty, or visible ASCII at both ends. */
const PLAIN = /^(?:[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)?$/;
const SENTINEL = /^=\?base64\?.*\?=$/;

const NAMED_BY: Readonly<Record<string, string | undefined>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

function envelopeVersion(message: JsonObject): string | undefined {
  const { params } = message;
  const meta: JsonValue | undefined = isJsonObject(params) ? params['_meta'] : undefined;
  const version = isJsonObject(meta) ? meta[VERSION_KEY] : undefined;
  return typeof version === 'string' ? version : undefined;
}
