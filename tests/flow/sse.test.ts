import { describe, expect, test } from 'bun:test';
import { type HttpScript, startMcpServer } from '../fixtures/servers/http.ts';
import { tool } from '../fixtures/servers/script.ts';
import { ask, callThenAnswer, httpEntry, openScene, outcomes, states } from './scene.ts';

const AUTO = 'mcp: {permissions: auto}\nservers:\n';
const ANSWER = 'größe 🚀 "quoted"\nline two';
const says = tool(
  'say',
  'Says it.',
  { type: 'object', properties: {} },
  {
    does: { result: { content: [{ type: 'text', text: ANSWER }] } },
  },
);

/** Handshake, list and call all over event streams of the given shape. */
async function runOver(script: HttpScript) {
  await using server = await startMcpServer({ replyAs: 'sse', tools: [says], ...script });
  await using scene = await openScene({
    yaml: AUTO + httpEntry('s1', server.url),
    steps: callThenAnswer(['s1_say', {}]),
  });
  const result = await ask(scene);
  return { answer: result.answer, calls: outcomes(result), sent: server.calls().length };
}

const GOOD = { answer: ANSWER, calls: ['s1/say ok'], sent: 1 };

describe('MM-25 MM-26 R33: answers over event streams', () => {
  const SHAPES: readonly (readonly [string, HttpScript])[] = [
    ['LF', { lineEnds: ['\n'] }],
    ['CR LF', { lineEnds: ['\r\n'] }],
    ['CR', { lineEnds: ['\r'] }],
    ['CR LF, one byte at a time', { lineEnds: ['\r\n'], sliceBytes: 1, sliceDelayMs: 0 }],
    ['LF, three bytes at a time, in the middle of characters', { sliceBytes: 3, sliceDelayMs: 0 }],
    ['a byte order mark', { bom: 'whole' }],
    ['a byte order mark in two pieces', { bom: 'split' }],
    ['no last blank line', { noTrailingBlank: true }],
    ['comments before the answer', { before: [': still here\n\n', ':\n\n'] }],
    [
      'other events, ids, retries and unknown fields',
      {
        before: [
          'event: ping\nid: 7\nretry: 250\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n',
          'what: ever\n\n',
          'data\n\n',
        ],
      },
    ],
    ['data that is no JSON', { before: ['data: hello\n\n', 'data: {"jsonrpc":"2.0",\n\n'] }],
    [
      'progress between',
      { tools: [{ ...says, does: { ...says.does, afterMs: 20, progressEveryMs: 5 } }] },
    ],
  ];
  test.each(SHAPES)('%s', async (_name, script) => {
    expect(await runOver(script)).toEqual(GOOD);
  });

  test('data on several lines is one message', async () => {
    const pieces = [
      '{"jsonrpc":"2.0",',
      '"method":"notifications/message",',
      '"params":{"level":"info","data":"x"}}',
    ];
    const before = [`${pieces.map((piece) => `data: ${piece}\n`).join('')}\n`];
    expect(await runOver({ before })).toEqual(GOOD);
  });

  test('a forged answer behind a mark in the middle is not taken', async () => {
    expect(await runOver({ forgedAfterMark: true })).toEqual(GOOD);
  });
});

describe('MM-25 MM-26: streams that never answer', () => {
  test('an event beyond 16 MiB ends the call by the name of the bound, the server stays', async () => {
    const filler = 'x'.repeat(1024 * 1024);
    const before = ['data: ', ...Array.from({ length: 17 }, () => filler)];
    await using server = await startMcpServer({
      replyAs: { 'tools/call': 'sse' },
      tools: [says],
      before,
    });
    await using scene = await openScene({
      yaml: AUTO + httpEntry('s1', server.url),
      steps: callThenAnswer(['s1_say', {}]),
    });
    const result = await ask(scene);
    expect([outcomes(result), result.exit]).toEqual([['s1/say unknown'], 9]);
    expect(result.answer).toMatch(/16 MiB|16777216|16,777,216/);
  });

  test('R21: silence ends a call by the idle clock, comments keep it alive until the max clock', async () => {
    const never = tool(
      'never',
      'Never ends.',
      { type: 'object', properties: {} },
      { does: { never: true } },
    );
    const alive = Array.from({ length: 200 }, () => ': alive\n\n');
    await using silent = await startMcpServer({ replyAs: 'sse', tools: [never] });
    await using chatty = await startMcpServer({
      replyAs: 'sse',
      tools: [never],
      before: alive,
      beforeDelayMs: 10,
    });
    await using scene = await openScene({
      yaml: [
        AUTO + httpEntry('silent', silent.url, ', timeout: {idle: 250ms, max: 10s}'),
        httpEntry('chatty', chatty.url, ', timeout: {idle: 250ms, max: 500ms}'),
      ].join('\n'),
      steps: callThenAnswer(['silent_never', {}], ['chatty_never', {}]),
    });
    expect(states(scene.report)).toEqual({ silent: 'ready', chatty: 'ready' });
    const result = await ask(scene);
    expect(outcomes(result)).toEqual(['silent/never unknown', 'chatty/never unknown']);
    const [silence, whole] = result.answer.split('\n');
    expect(silence).toContain('no sign of life for 250ms (timeout.idle)');
    expect(whole).toContain('still running after 500ms (timeout.max)');
    expect(result.exit).toBe(9);
  });

  test('a stream that ends before the answer leaves the outcome unknown and is not sent again', async () => {
    await using server = await startMcpServer({
      tools: [says],
      instead: {
        'tools/call': {
          status: 200,
          headers: { 'content-type': 'text/event-stream' },
          body: ': bye\n\n',
        },
      },
    });
    await using scene = await openScene({
      yaml: AUTO + httpEntry('s1', server.url),
      steps: callThenAnswer(['s1_say', {}]),
    });
    const result = await ask(scene);
    expect([outcomes(result), result.exit, server.calls().length]).toEqual([
      ['s1/say unknown'],
      9,
      1,
    ]);
  });
});
