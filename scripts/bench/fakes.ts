/**
 * The other side of a measured run, in a process of its own on loopback: a scripted model that speaks OpenAI
 * chat completions over SSE, and any number of MCP servers over Streamable HTTP (`/NAME/mcp`). Both answer at
 * once, except `/silent/mcp`, which never does. `POST /_control` sets the scenario and clears the log;
 * `GET /_log` tells when requests arrived, in milliseconds since the epoch with their fraction, which all
 * processes of a machine share.
 */
import { makeTools } from './tools.ts';

export interface Scenario {
  /** Tools of each server. */
  readonly tools: number;
  /** Calls the model asks for, each with other arguments, before it answers. */
  readonly calls: number;
  /** All calls in one reply instead of one after the other. */
  readonly parallel: boolean;
  /** Suffix of the tool the model calls. */
  readonly tool: string;
  /** Answer POSTs as SSE instead of JSON. */
  readonly sse: boolean;
  /** How long a tool call takes. */
  readonly callMs: number;
  /** Characters of text in a tool's result. */
  readonly resultCharacters: number;
}

export interface LogEntry {
  readonly atMs: number;
  readonly kind: 'model' | 'call';
  /** Bytes of the request body. */
  readonly bytes: number;
}

let scenario: Scenario = {
  tools: 10,
  calls: 0,
  parallel: false,
  tool: 'echo',
  sse: false,
  callMs: 0,
  resultCharacters: 16,
};
let log: LogEntry[] = [];
let bigText = '';

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 0,
  async fetch(request) {
    const { pathname } = new URL(request.url);
    if (pathname === '/_log') return Response.json(log);
    const body = request.method === 'POST' ? await request.text() : '';
    if (pathname === '/_control') {
      scenario = { ...scenario, ...JSON.parse(body) };
      bigText = 'lorem ipsum dolor '
        .repeat(scenario.resultCharacters / 18 + 1)
        .slice(0, scenario.resultCharacters);
      log = [];
      return new Response('ok');
    }
    if (pathname.endsWith('/chat/completions')) return answerChat(body);
    return answerMcp(request, body, pathname);
  },
});

function note(kind: LogEntry['kind'], bytes: number): void {
  log.push({ atMs: performance.timeOrigin + performance.now(), kind, bytes });
}

function answerChat(body: string): Response {
  note('model', body.length);
  const { messages, tools = [] } = JSON.parse(body);
  const done = messages.filter((message: { role: string }) => message.role === 'tool').length;
  const name = tools
    .map((tool: { function: { name: string } }) => tool.function.name)
    .find((toolName: string) => toolName.endsWith(`_${scenario.tool}`));
  const wanted = done >= scenario.calls ? 0 : scenario.parallel ? scenario.calls : 1;
  const calls = Array.from({ length: wanted }, (_, index) => ({
    index,
    id: `call_${done + index}`,
    type: 'function',
    function: { name, arguments: JSON.stringify({ text: `hello ${done + index}` }) },
  }));
  const delta =
    wanted > 0
      ? { role: 'assistant', tool_calls: calls }
      : { role: 'assistant', content: 'All done.' };
  const finish = wanted > 0 ? 'tool_calls' : 'stop';
  const head = { id: 'x', object: 'chat.completion.chunk', created: 1, model: 'fake' };
  const chunks = [
    { ...head, choices: [{ index: 0, delta, finish_reason: null }] },
    { ...head, choices: [{ index: 0, delta: {}, finish_reason: finish }] },
    { ...head, choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } },
  ];
  const text = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('');
  return new Response(`${text}data: [DONE]\n\n`, {
    headers: { 'content-type': 'text/event-stream' },
  });
}

async function answerMcp(request: Request, body: string, pathname: string): Promise<Response> {
  if (pathname === '/silent/mcp') await new Promise(() => undefined);
  if (request.method !== 'POST') return new Response(null, { status: 405 });
  const message = JSON.parse(body);
  if (message.id === undefined) return new Response(null, { status: 202 });
  const reply = { jsonrpc: '2.0', id: message.id, ...(await resultOf(message, pathname)) };
  const headers: Record<string, string> =
    message.method === 'initialize' ? { 'mcp-session-id': 'bench' } : {};
  if (!scenario.sse) return Response.json(reply, { headers });
  return new Response(`event: message\ndata: ${JSON.stringify(reply)}\n\n`, {
    headers: { ...headers, 'content-type': 'text/event-stream' },
  });
}

async function resultOf(
  message: { method: string; params?: { arguments?: { text?: string } } },
  pathname: string,
) {
  switch (message.method) {
    case 'initialize':
      return {
        result: {
          protocolVersion: '2025-11-25',
          capabilities: { tools: {} },
          serverInfo: { name: pathname, version: '1' },
        },
      };
    case 'tools/list':
      return { result: { tools: makeTools(scenario.tools) } };
    case 'tools/call': {
      note('call', 0);
      if (scenario.callMs > 0) await Bun.sleep(scenario.callMs);
      const text =
        scenario.resultCharacters > 100 ? bigText : (message.params?.arguments?.text ?? '');
      return { result: { content: [{ type: 'text', text }] } };
    }
    default:
      return { error: { code: -32601, message: 'Method not found' } };
  }
}

console.log(server.port);
