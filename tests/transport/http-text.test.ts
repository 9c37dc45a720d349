import { describe, expect, test } from 'bun:test';
import { createServer } from 'node:net';
import { LimitError } from '../../src/base/errors.ts';
import { isNear, readAnswerText } from '../../src/transport/http-text.ts';
import { createManualClock } from '../mcp/manual-clock.ts';

const MIB = 1024 * 1024;

/** A body whose end waits for `finish`. */
function slowBody(bytes: number) {
  const end = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      await end.promise;
      controller.enqueue(new Uint8Array(bytes).fill(120));
      controller.close();
    },
  });
  const response = new Response(body, { headers: { 'content-length': String(bytes) } });
  return { response, finish: end.resolve };
}

describe('the text of an answer', () => {
  test('that is read at once shows life for as long as a slow way takes, then no more', async () => {
    const clock = createManualClock();
    let signs = 0;
    const onActivity = () => {
      signs += 1;
    };
    const { response, finish } = slowBody(MIB);
    const reading = readAnswerText(response, { clock, isNear: true, onActivity });
    await clock.advance(10_000);
    expect(signs).toBe(10);
    await clock.advance(600_000);
    expect(signs).toBe(16);
    finish();
    expect((await reading).length).toBe(MIB);
    expect(clock.waiting).toBe(0);
  });

  test('leaves no timer when it came in time, nor when it broke off', async () => {
    const clock = createManualClock();
    const { response, finish } = slowBody(MIB);
    const reading = readAnswerText(response, { clock, isNear: true, onActivity: () => undefined });
    expect(clock.waiting).toBe(1);
    finish();
    await reading;
    const broken = new Response(
      new ReadableStream({ start: (controller) => controller.error(new Error('reset')) }),
      { headers: { 'content-length': String(MIB) } },
    );
    const options = { clock, isNear: true, onActivity: () => undefined };
    await expect(readAnswerText(broken, options)).rejects.toThrow('reset');
    expect(clock.waiting).toBe(0);
  });

  test('of a far server, or of no known length, shows life with every piece and keeps its bound', async () => {
    const clock = createManualClock();
    for (const [isNearServer, headers] of [
      [false, { 'content-length': String(MIB) }],
      [true, {}],
      [true, { 'content-length': '12', 'content-encoding': 'x' }],
    ] as const) {
      let signs = 0;
      const pieces = [MIB / 2, MIB / 2].map((size) => new Uint8Array(size).fill(120));
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          for (const piece of pieces) controller.enqueue(piece);
          controller.close();
        },
      });
      const response = new Response(body, { headers });
      const onActivity = () => {
        signs += 1;
      };
      const text = await readAnswerText(response, { clock, isNear: isNearServer, onActivity });
      expect([text.length, signs, clock.waiting]).toEqual([MIB, 2, 0]);
    }
    const large = new Response('x', { headers: { 'content-length': String(17 * MIB) } });
    const options = { clock, isNear: true, onActivity: () => undefined };
    await expect(readAnswerText(large, options)).rejects.toBeInstanceOf(LimitError);
  });

  test('that ends before its length is an error, never half a text', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => {
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${MIB}\r\n\r\n${'x'.repeat(MIB / 2)}`);
        socket.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const url = `http://127.0.0.1:${address.port}/`;
    const clock = createManualClock();
    const options = { clock, isNear: isNear(url), onActivity: () => undefined };
    await expect(
      fetch(url).then((response) => readAnswerText(response, options)),
    ).rejects.toThrow();
    server.close();
  });
});

test('near is what loopback names and numbers lead to', () => {
  const urls = [
    'http://127.0.0.1:1/mcp',
    'http://[::1]/',
    'http://localhost:2',
    'https://a.example/',
    'x',
  ];
  expect(urls.map(isNear)).toEqual([true, true, true, false, false]);
});
