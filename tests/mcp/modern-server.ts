/** A hand-written 2026-07-28 server over HTTP, which refuses whatever is not of that revision. */
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import { isJsonObject } from '../../src/base/json.ts';
import { type RpcServer, rpcResult, serveRpc } from '../transport/rpc-server.ts';

export const VERSION = '2026-07-28';

type Own = Response | Promise<Response> | undefined;

/** `own` answers first; `undefined` leaves it to the usual server with the tool `echo`. */
export function serveModern(
  own: (message: JsonObject, request: Request) => Own = () => undefined,
  capabilities: JsonObject = { tools: {} },
): RpcServer {
  return serveRpc((message, request) => {
    if (metaOf(message)['io.modelcontextprotocol/protocolVersion'] !== VERSION) {
      return refuse(message, -32_022, { supported: [VERSION], requested: '?' });
    }
    const answered = own(message, request);
    if (answered !== undefined) return answered;
    switch (message['method']) {
      case 'server/discover':
        return complete(message, { supportedVersions: [VERSION], capabilities });
      case 'tools/list':
        return complete(message, { tools: [{ name: 'echo', inputSchema: {} }] });
      case 'tools/call':
        return complete(message, { content: [{ type: 'text', text: 'done' }] });
      default:
        return refuse(message, -32_601, undefined, 404);
    }
  });
}

export function complete(message: JsonObject, result: JsonObject): Response {
  return Response.json(rpcResult(message, { resultType: 'complete', ...result }));
}

export function refuse(
  message: JsonObject,
  code: number,
  data?: JsonValue,
  status = 400,
): Response {
  const error = { code, message: `refused ${code}`, ...(data === undefined ? {} : { data }) };
  return Response.json({ jsonrpc: '2.0', id: message['id'], error }, { status });
}

export function paramsOf(message: JsonObject): JsonObject {
  return isJsonObject(message['params']) ? message['params'] : {};
}

export function metaOf(message: JsonObject): JsonObject {
  const meta = paramsOf(message)['_meta'];
  return isJsonObject(meta) ? meta : {};
}
