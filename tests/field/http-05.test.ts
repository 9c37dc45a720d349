import { expect, test } from 'bun:test';
import { listen } from '../fixtures/models/listen.ts';
import { answer, asJson } from '../fixtures/servers/answer.ts';
import { type RawReply, SURROUNDINGS, startMcpServer } from '../fixtures/servers/http.ts';
import { callThenAnswer, runScripted } from '../helpers/scripted-run.ts';

const EVENTS = { 'content-type': 'text/event-stream' };
const NOTHING: RawReply = { status: 200, headers: EVENTS, body: '' };

test.each(['tools/list', 'tools/call'])(
  'the answer to %s is taken from the GET stream when its own stream ends without one',
  async (method) => {
    await using server = await startDetour(method);
    const run = await runScripted({
      servers: [{ name: 's1', url: server.url, tools: ['echo'] }],
      steps: callThenAnswer(['s1_echo', { text: 'hi' }]),
    });
    expect([run.code, run.stdout]).toEqual([0, '{"text":"hi"}\n']);
    expect(run.stderr).not.toMatch(/warning|without answering/);
    expect(server.seen.filter((one) => one === method)).toHaveLength(1);
    expect(run.ms).toBeLessThan(4000);
  },
);

test.each([
  ['GET is refused', undefined],
  ['the GET stream stays silent', 'stream'],
] as const)('an answer that never comes fails that server alone, soon: %s', async (_name, get) => {
  await using mute = await startMcpServer({
    instead: { 'tools/list': NOTHING },
    ...(get === undefined ? {} : { get }),
  });
  await using good = await startMcpServer();
  const run = await runScripted({
    servers: [
      { name: 'mute', url: mute.url },
      { name: 'good', url: good.url },
    ],
    steps: callThenAnswer(['good_echo', { text: 'hi' }]),
  });
  expect([run.code, run.stdout]).toEqual([0, '{"text":"hi"}\n']);
  const told = run.stderr.split('\n').filter((line) => line.includes('without answering'));
  expect(told).toHaveLength(1);
  expect(told[0]).toContain('server "mute" closed the stream without answering tools/list');
  expect(mute.methods()).not.toContain('tools/call');
  expect(good.calls()).toHaveLength(1);
  expect(run.ms).toBeLessThan(5000);
});

/** A server whose answers to one method leave by the GET stream alone, once the POST has ended. */
async function startDetour(method: string) {
  const seen: string[] = [];
  const waiting: string[] = [];
  let channel: ReadableStreamDefaultController<Uint8Array> | undefined;
  const flush = () => {
    if (channel === undefined) return;
    for (const text of waiting.splice(0)) channel.enqueue(new TextEncoder().encode(text));
  };
  const stream = () =>
    new ReadableStream<Uint8Array>({
      start(controller) {
        channel = controller;
        flush();
      },
      cancel() {
        channel = undefined;
      },
    });
  const { port, close } = await listen(0, async (request) => {
    if (request.method === 'GET') return new Response(stream(), { headers: EVENTS });
    if (request.method !== 'POST') return new Response();
    const message = asJson(await request.json());
    seen.push(String(message['method']));
    const replies = await Array.fromAsync(answer({}, message, SURROUNDINGS));
    if (message['id'] === undefined) return new Response(null, { status: 202 });
    if (message['method'] !== method) return Response.json(replies.at(-1));
    waiting.push(`data: ${JSON.stringify(replies.at(-1))}\n\n`);
    // Late: well after the end of the empty reply.
    setTimeout(flush, 300);
    return new Response('', { headers: EVENTS });
  });
  return { url: `http://127.0.0.1:${port}/mcp`, seen, [Symbol.asyncDispose]: close };
}
