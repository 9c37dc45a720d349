/** JSON-RPC's shape, by hand and lenient. Source: JSON-RPC 2.0; MCP schema, JSONRPCMessage. */
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';

/**
 * True for a request, notification or response. `jsonrpc` may be missing from a response that has an
 * id; anything else without it is somebody's log line.
 */
export function isRpcMessage(value: unknown): value is JsonObject {
  if (!isJsonObject(value)) return false;
  if (typeof value['method'] === 'string') return value['jsonrpc'] === '2.0';
  const hasOutcome = 'result' in value || 'error' in value;
  return hasOutcome && (value['jsonrpc'] === '2.0' || 'id' in value);
}

/** The messages of one JSON text: itself, or the members of a batch. Others are left out. */
export function rpcMessages(value: JsonValue | undefined): readonly JsonObject[] {
  if (Array.isArray(value)) return value.filter(isRpcMessage);
  return isRpcMessage(value) ? [value] : [];
}

/** The id of a request of ours; `undefined` for notifications and answers. */
export function requestId(message: JsonObject): number | undefined {
  const id = message['id'];
  return typeof message['method'] === 'string' && typeof id === 'number' ? id : undefined;
}

/** Which of our requests a message answers; a server may have turned the number into text. */
export function answeredId(message: JsonObject): number | undefined {
  if (typeof message['method'] === 'string') return undefined;
  const id = message['id'];
  if (typeof id === 'number') return id;
  return typeof id === 'string' && /^\d{1,15}$/.test(id) ? Number(id) : undefined;
}

/** The error of a response; `null` and absent both mean none. Kept loose: a bare string is a message. */
export function rpcError(message: JsonObject):
  | {
      readonly code: number | undefined;
      readonly message: string;
      readonly data: JsonValue | undefined;
    }
  | undefined {
  const error = message['error'];
  if (error === undefined || error === null) return undefined;
  if (!isJsonObject(error)) {
    return {
      code: undefined,
      message: typeof error === 'string' ? error : JSON.stringify(error),
      data: undefined,
    };
  }
  const { code, message: text, data } = error;
  return {
    code: typeof code === 'number' ? code : undefined,
    message: typeof text === 'string' ? text : '',
    data: data ?? undefined,
  };
}
