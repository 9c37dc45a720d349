/** The MCP session of one HTTP server: its id, and the version every later request names. */
import { isJsonObject, tryParseJson } from '../base/json.ts';
import { rpcError } from './message.ts';

const SESSION_HEADER = 'mcp-session-id';
const VERSION_HEADER = 'mcp-protocol-version';
const METHOD_NOT_FOUND = -32601;

export class HttpSession {
  id: string | undefined;
  #version: string | undefined;

  /** Takes the id from the answer to `initialize`; no other answer may set it. */
  takeId(response: Response): void {
    this.id = response.headers.get(SESSION_HEADER) ?? undefined;
  }

  acceptVersion(protocolVersion: string): void {
    this.#version = protocolVersion;
  }

  forget(): void {
    this.id = undefined;
    this.#version = undefined;
  }

  headers(): Record<string, string> {
    return {
      ...(this.id === undefined ? {} : { [SESSION_HEADER]: this.id }),
      ...(this.#version === undefined ? {} : { [VERSION_HEADER]: this.#version }),
    };
  }
}

/**
 * True when an answer to a request that carried a session id says that the session is over: 404 or 410,
 * or 400 with a body about the session. A 404 that is the answer "method not found" is not.
 * Source: MCP specification 2025-11-25, Streamable HTTP, session management.
 */
export function isSessionGone(status: number, body: string): boolean {
  if (status === 410) return true;
  if (status === 404) {
    const parsed = tryParseJson(body);
    return !(isJsonObject(parsed) && rpcError(parsed)?.code === METHOD_NOT_FOUND);
  }
  return status === 400 && /session/i.test(body) && NOT_KNOWN.test(body);
}

const NOT_KNOWN = /not found|expired|invalid|unknown|no valid|not exist|terminated|no longer/i;
