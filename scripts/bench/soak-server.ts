/**
 * A server for the soak: `soak-server EFFECTS TOOLS DELAY_MS [PORT …]`. Without ports it speaks stdio. Each call
 * writes its id to EFFECTS before it is answered; changes of the list are announced all the time.
 */
import { appendFileSync } from 'node:fs';
import { makeTools } from './tools.ts';

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly arguments?: { readonly text?: string } };
}

const [effects = '', tools = '20', delayMs = '50', ...ports] = process.argv.slice(2);
/** Announcements come in bursts of this many. */
const BURST = 20;
const BURST_EVERY_MS = 150;
const CHANGED = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';

async function answer({ id, method, params }: Message): Promise<string> {
  if (method === 'tools/call') {
    appendFileSync(effects, `${params?.arguments?.text}\n`);
    await Bun.sleep(Number(delayMs));
  }
  const results: Readonly<Record<string, unknown>> = {
    initialize: {
      protocolVersion: '2025-11-25',
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: 'soak', version: '1' },
    },
    ping: {},
    'tools/list': { tools: makeTools(Number(tools)) },
    'tools/call': { content: [{ type: 'text', text: params?.arguments?.text ?? '' }] },
  };
  const result = results[method ?? ''];
  const error = { code: -32601, message: 'Method not found' };
  return JSON.stringify({ jsonrpc: '2.0', id, ...(result === undefined ? { error } : { result }) });
}

async function serveStdio(): Promise<void> {
  setInterval(() => process.stdout.write(`${CHANGED}\n`.repeat(BURST)), BURST_EVERY_MS);
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of Bun.stdin.stream()) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const message: Message = JSON.parse(line);
      if (message.id === undefined || message.method === undefined) continue;
      void answer(message).then((text) => process.stdout.write(`${text}\n`));
    }
  }
  process.exit(0);
}

/** One process is one life: sessions of an earlier one are not known. */
function serveHttp(port: number): void {
  const session = crypto.randomUUID();
  Bun.serve({
    port,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      if (request.method === 'DELETE') return new Response();
      const text = request.method === 'POST' ? await request.text() : '{}';
      const message: Message = JSON.parse(text);
      const isFirst = message.method === 'initialize' || message.method === 'server/discover';
      if (!isFirst && request.headers.get('mcp-session-id') !== session) {
        return new Response('unknown session', { status: 404 });
      }
      if (request.method === 'GET') return announcements();
      if (message.id === undefined || message.method === undefined) {
        return new Response(null, { status: 202 });
      }
      const headers = { 'content-type': 'application/json', 'mcp-session-id': session };
      return new Response(await answer(message), { headers });
    },
  });
}

function announcements(): Response {
  let timer: Timer | undefined;
  const stream = new ReadableStream<string>({
    start(controller) {
      const burst = `data: ${CHANGED}\n\n`.repeat(BURST);
      timer = setInterval(() => controller.enqueue(burst), BURST_EVERY_MS);
    },
    cancel: () => clearInterval(timer),
  });
  return new Response(stream, { headers: { 'content-type': 'text/event-stream' } });
}

for (const port of ports) serveHttp(Number(port));
if (ports.length === 0) await serveStdio();
else process.stdout.write('ready\n');
