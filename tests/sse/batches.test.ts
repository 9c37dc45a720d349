import { afterEach, describe, expect, test } from 'bun:test';
import { LimitError } from '../../src/base/errors.ts';
import { openSseBatches, type SseBatches } from '../../src/sse/batches.ts';
import type { SseEvent } from '../../src/sse/types.ts';
import { toBytes } from './read-all.ts';

/** A body that gives the pieces, one for each read, then ends, fails, or stays open; it notes its cancel. */
function makeBody(pieces: readonly string[], end: 'close' | 'stay open' | Error = 'close') {
  const left = [...pieces];
  const cancelled = Promise.withResolvers<unknown>();
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = left.shift();
        if (piece !== undefined) controller.enqueue(toBytes(piece));
        else if (end === 'close') controller.close();
        else if (end === 'stay open') return new Promise<void>(() => undefined);
        else controller.error(end);
        return undefined;
      },
      // Whoever gives a body up must not wait for this.
      cancel(reason) {
        cancelled.resolve(reason);
        return new Promise<void>(() => undefined);
      },
    },
    { highWaterMark: 0 },
  );
  return { body, cancelled: cancelled.promise, left };
}

const NEVER = new AbortController().signal;

async function readAll(batches: SseBatches): Promise<readonly (readonly SseEvent[])[]> {
  const all: (readonly SseEvent[])[] = [];
  for (let next = await batches.next(); next !== undefined; next = await batches.next()) {
    all.push(next);
  }
  return all;
}

describe('batches of events', () => {
  test('hold what one chunk completes; chunks that complete nothing give none', async () => {
    const retries: number[] = [];
    let chunks = 0;
    const { body } = makeBody([
      'id: 1\nda',
      'ta: a\n\ndata: b\n\nretry: 5\n\nid: 2\n\nda',
      'ta: c\n\n',
    ]);
    const batches = openSseBatches(body, {
      signal: NEVER,
      onRetry: (retryMs) => retries.push(retryMs),
      onActivity: () => {
        chunks += 1;
      },
    });
    expect(await readAll(batches)).toEqual([
      [{ id: '1', data: 'a' }, { data: 'b' }],
      [{ data: 'c' }],
    ]);
    expect([retries, chunks, batches.lastEventId, batches.leftover]).toEqual([
      [5],
      3,
      '2',
      undefined,
    ]);
    expect([body.locked, await batches.next()]).toEqual([false, undefined]);
  });

  test('read nothing ahead of who asks', async () => {
    const { body, left } = makeBody(['data: a\n\n', 'data: b\n\n']);
    const batches = openSseBatches(body, { signal: NEVER });
    expect(left).toHaveLength(2);
    await batches.next();
    expect(left).toHaveLength(1);
  });

  test('keep the event without its blank line apart', async () => {
    const { body } = makeBody(['data: a\n\ndata: b']);
    const batches = openSseBatches(body, { signal: NEVER });
    expect(await readAll(batches)).toEqual([[{ data: 'a' }]]);
    expect(batches.leftover).toEqual({ data: 'b' });
  });

  test('give whole events before the one that is too large, then fail', async () => {
    const { body } = makeBody([`data: a\n\ndata: ${'b'.repeat(40)}\n\n`], 'stay open');
    const batches = openSseBatches(body, { signal: NEVER, maxBytes: 20 });
    expect(await batches.next()).toEqual([{ data: 'a' }]);
    await expect(batches.next()).rejects.toBeInstanceOf(LimitError);
    expect([body.locked, await batches.next()]).toEqual([false, undefined]);
  });

  test("fail with the body's own error after what came before it", async () => {
    const broken = new Error('reset');
    const batches = openSseBatches(makeBody(['data: a\n\n'], broken).body, { signal: NEVER });
    expect(await batches.next()).toEqual([{ data: 'a' }]);
    await expect(batches.next()).rejects.toBe(broken);
  });
});

describe('giving a body up', () => {
  test('an abort ends a read that waits, with its reason, and cancels the body', async () => {
    const control = new AbortController();
    const { body, cancelled } = makeBody([], 'stay open');
    const batches = openSseBatches(body, { signal: control.signal });
    const waiting = batches.next();
    const reason = new Error('enough');
    control.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    expect([await cancelled, body.locked, await batches.next()]).toEqual([
      reason,
      false,
      undefined,
    ]);
  });

  test('an abort before the first read reads nothing', async () => {
    const { body, left, cancelled } = makeBody(['data: a\n\n']);
    const reason = new Error('enough');
    const batches = openSseBatches(body, { signal: AbortSignal.abort(reason) });
    await expect(batches.next()).rejects.toBe(reason);
    expect([left, await cancelled]).toEqual([['data: a\n\n'], reason]);
  });

  test('close cancels what was not read, once', async () => {
    const { body, cancelled } = makeBody(['data: a\n\n'], 'stay open');
    const batches = openSseBatches(body, { signal: NEVER });
    await batches.next();
    batches.close();
    batches.close();
    expect([await cancelled, body.locked, await batches.next()]).toEqual([
      undefined,
      false,
      undefined,
    ]);
  });
});

describe('over a socket', () => {
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });

  test('an abort ends a read that waits for a silent server', async () => {
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () =>
        new Response(
          new ReadableStream({
            start: (controller) => controller.enqueue(toBytes('data: a\n\n')),
          }),
        ),
    });
    stops.push(() => server.stop(true));
    const { body } = await fetch(server.url);
    if (body === null) throw new Error('no body');
    const control = new AbortController();
    const batches = openSseBatches(body, { signal: control.signal });
    expect(await batches.next()).toEqual([{ data: 'a' }]);
    const waiting = batches.next();
    const reason = new Error('enough');
    control.abort(reason);
    await expect(waiting).rejects.toBe(reason);
  });
});
