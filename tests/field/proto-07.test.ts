import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { asJson } from '../fixtures/servers/answer.ts';
import type { Json } from '../fixtures/servers/script.ts';
import { newFolder, writeFiles } from '../helpers/places.ts';
import { callThenAnswer, runScripted } from '../helpers/scripted-run.ts';

/** Pings in every phase, holds the answer to a call back until the pong is there, logs all pongs. */
const PINGER = `
import { appendFileSync } from 'node:fs';
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const sent = new Map();
const waiting = new Map();
const ping = (id, phase) => {
  sent.set(id, { phase, at: performance.now() });
  say({ id, method: 'ping' });
  return new Promise((resolve) => waiting.set(id, resolve));
};
const pong = (message) => {
  const { phase, at } = sent.get(message.id) ?? { phase: 'never sent', at: 0 };
  const ms = performance.now() - at;
  appendFileSync(process.argv[2], JSON.stringify({ phase, ms, message }) + '\\n');
  waiting.get(message.id)?.();
};
const serve = async ({ id, method, params }) => {
  if (method === 'initialize') {
    const { protocolVersion } = params;
    const serverInfo = { name: 'pinger', version: '1' };
    say({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
  } else if (method === 'notifications/initialized') await ping('p-1', 'start');
  else if (method === 'tools/list') {
    say({ id, result: { tools: [{ name: 'work', inputSchema: { type: 'object' } }] } });
  } else if (method === 'tools/call') {
    await ping('7', 'call');
    await ping(7, 'call');
    say({ id, result: { content: [{ type: 'text', text: 'worked' }] } });
    let count = 0;
    setInterval(() => ping('model-' + count++, 'model'), 50);
  } else if (id !== undefined) say({ id, error: { code: -32601, message: 'no ' + method } });
};
let rest = '';
for await (const chunk of Bun.stdin.stream()) {
  const lines = (rest + new TextDecoder().decode(chunk)).split('\\n');
  rest = lines.pop();
  for (const line of lines) {
    const message = JSON.parse(line);
    if (message.method === undefined) pong(message);
    else serve(message);
  }
}
process.exit(0);
`;

interface Pong {
  readonly phase: string;
  readonly ms: number;
  readonly message: Json;
}

test('stdio: pings are answered at the start, within a call and while a model writes', async () => {
  const folder = writeFiles(newFolder(), { 'pinger.js': PINGER, 'pongs.jsonl': '' });
  const log = join(folder, 'pongs.jsonl');
  const [first, last] = callThenAnswer(['s1_work', {}]);
  const run = await runScripted({
    servers: [{ name: 's1', command: process.execPath, args: [join(folder, 'pinger.js'), log] }],
    steps: [{ ...first }, { ...last, delayMs: 200 }],
  });
  expect([run.code, run.stdout.trim()]).toEqual([0, 'worked']);
  const pongs = readFileSync(log, 'utf8').trim().split('\n').map(asPong);
  const ids = (phase: string) =>
    pongs.filter((one) => one.phase === phase).map((one) => one.message['id']);
  expect(ids('start')).toEqual(['p-1']);
  expect(ids('call')).toEqual(['7', 7]);
  expect(ids('model').length).toBeGreaterThanOrEqual(3);
  expect(ids('never sent')).toEqual([]);
  for (const { message, ms } of pongs) {
    expect(message).toEqual({ jsonrpc: '2.0', id: message['id'], result: {} });
    expect(ms).toBeLessThan(1000);
  }
});

test('HTTP: pings are answered on the stream of a call and on the standing one', async () => {
  await using server = startPinger();
  const run = await runScripted({
    servers: [{ name: 's1', url: server.url }],
    steps: callThenAnswer(['s1_work', {}]),
  });
  expect([run.code, run.stdout.trim()]).toEqual([0, 'worked']);
  const pongs = [...server.pongs].sort((a, b) => a.phase.localeCompare(b.phase));
  expect(pongs.map((one) => [one.phase, one.message])).toEqual([
    ['get', { jsonrpc: '2.0', id: 'p-get', result: {} }],
    ['get during call', { jsonrpc: '2.0', id: 'p-again', result: {} }],
    ['post', { jsonrpc: '2.0', id: 'p-post', result: {} }],
  ]);
  for (const { ms } of pongs) expect(ms).toBeLessThan(1000);
});

/** The call is answered when the pongs of both streams have come. */
function startPinger() {
  const pongs: Pong[] = [];
  const sent = new Map<unknown, { phase: string; at: number; done: () => void }>();
  const encoder = new TextEncoder();
  type Sink = ReadableStreamDefaultController<Uint8Array>;
  const standing = Promise.withResolvers<Sink>();
  const push = (sink: Sink, message: Json) => {
    const data = JSON.stringify({ jsonrpc: '2.0', ...message });
    sink.enqueue(encoder.encode(`event: message\ndata: ${data}\n\n`));
  };
  const ping = async (sink: Sink, id: string, phase: string): Promise<void> => {
    const answered = Promise.withResolvers<void>();
    sent.set(id, { phase, at: performance.now(), done: answered.resolve });
    push(sink, { id, method: 'ping' });
    await answered.promise;
  };
  const stream = (begin: (sink: Sink) => Promise<void>) =>
    new Response(
      new ReadableStream<Uint8Array>({
        start: (sink) => {
          begin(sink).catch((error: unknown) => sink.error(error));
        },
      }),
      { headers: { 'content-type': 'text/event-stream' } },
    );
  const work = async (sink: Sink, id: unknown): Promise<void> => {
    await ping(sink, 'p-post', 'post');
    await ping(await standing.promise, 'p-again', 'get during call');
    push(sink, { id, result: { content: [{ type: 'text', text: 'worked' }] } });
    sink.close();
  };
  const receive = (message: Json): Response => {
    const { id, method } = message;
    if (method === undefined) {
      const { phase, at, done } = sent.get(id) ?? {
        phase: 'never sent',
        at: 0,
        done: () => undefined,
      };
      pongs.push({ phase, ms: performance.now() - at, message });
      done();
    }
    if (method === undefined || id === undefined) return new Response(null, { status: 202 });
    if (method === 'tools/call') return stream((sink) => work(sink, id));
    return Response.json({ jsonrpc: '2.0', id, ...plainReply(message) });
  };
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch: async (request) => {
      if (request.method === 'POST') return receive(asJson(await request.json()));
      if (request.method !== 'GET') return new Response(null, { status: 200 });
      return stream(async (sink) => {
        await ping(sink, 'p-get', 'get');
        standing.resolve(sink);
      });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/mcp`,
    pongs,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

function plainReply({ method, params }: Json): Json {
  if (method === 'tools/list') {
    return { result: { tools: [{ name: 'work', inputSchema: { type: 'object' } }] } };
  }
  if (method !== 'initialize') return { error: { code: -32_601, message: 'no such method' } };
  const { protocolVersion } = asJson(params);
  const serverInfo = { name: 'pinger', version: '1' };
  return { result: { protocolVersion, capabilities: { tools: {} }, serverInfo } };
}

function asPong(line: string): Pong {
  const { phase, ms, message } = asJson(JSON.parse(line));
  return { phase: String(phase), ms: Number(ms), message: asJson(message) };
}
