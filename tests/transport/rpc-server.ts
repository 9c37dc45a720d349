/** An HTTP server that answers like a plain MCP server unless the test answers itself. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/json.ts';

export interface RpcServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly Request[];
  /** Methods of the JSON-RPC messages received, in order; responses count as ''. */
  methods(): readonly string[];
  readonly messages: readonly JsonObject[];
}

/** `undefined`: answer as usual. */
type Own = Response | Promise<Response> | undefined;

export function serveRpc(
  own: (message: JsonObject, request: Request) => Own,
  get: (request: Request) => Response = () => new Response('no', { status: 405 }),
): RpcServer {
  const requests: Request[] = [];
  const messages: JsonObject[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      requests.push(request);
      if (request.method !== 'POST') return get(request);
      const message: unknown = await request.json();
      if (!isJsonObject(message)) return new Response('no object', { status: 400 });
      messages.push(message);
      return own(message, request) ?? usual(message);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/mcp`,
    requests,
    messages,
    methods: () => messages.map((message) => String(message['method'] ?? '')),
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

export function rpcResult(message: JsonObject, result: JsonValue): JsonObject {
  return { jsonrpc: '2.0', id: message['id'], result };
}

/** An event stream fed by the test. */
export function openStream(
  feed: (write: (text: string) => void, end: () => void) => void,
): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      feed(
        (text) => controller.enqueue(encoder.encode(text)),
        () => controller.close(),
      );
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

export function eventOf(message: JsonObject, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(message)}\n\n`;
}

function usual(message: JsonObject): Response {
  if (message['id'] === undefined || message['method'] === undefined) {
    return new Response(null, { status: 202 });
  }
  switch (message['method']) {
    case 'initialize':
      return Response.json(
        rpcResult(message, {
          protocolVersion: '2025-11-25',
          capabilities: { tools: {} },
          serverInfo: { name: 'rpc', version: '1' },
        }),
      );
    case 'tools/list':
      return Response.json(rpcResult(message, { tools: [{ name: 'echo', inputSchema: {} }] }));
    default:
      return Response.json(rpcResult(message, { content: [{ type: 'text', text: 'done' }] }));
  }
}
