import { afterEach, describe, expect, test } from 'bun:test';
import { LimitError } from '../../src/base/errors.ts';
import { openSseStream } from '../../src/sse/stream.ts';
import type { SseEvent } from '../../src/sse/types.ts';
import { toBytes } from './read-all.ts';

/** A body that gives the pieces, one for each read, then ends or stays open; it notes its cancel. */
function makeBody(pieces: readonly string[], end: 'close' | 'stay open' | Error = 'close') {
  const left = [...pieces];
  const cancelled = Promise.withResolvers<unknown>();
  let pulls = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        pulls += 1;
        const piece = left.shift();
        if (piece !== undefined) controller.enqueue(toBytes(piece));
        else if (end === 'close') controller.close();
        else if (end === 'stay open') return new Promise<void>(() => undefined);
        else controller.error(end);
        return undefined;
      },
      cancel: (reason) => cancelled.resolve(reason),
    },
    { highWaterMark: 0 },
  );
  return { body, cancelled: cancelled.promise, pulls: () => pulls };
}

async function collect(stream: AsyncIterable<SseEvent>, into: SseEvent[] = []) {
  for await (const event of stream) into.push(event);
  return into;
}

describe('reading a body', () => {
  test('gives events in order, their retries and the last id, and nothing left over', async () => {
    const retries: number[] = [];
    const { body } = makeBody([
      'id: 1\nda',
      'ta: a\n\nretry: 5\n\nid: 2\nevent: e\ndata: b\n\n',
      '',
    ]);
    const stream = openSseStream(body, {
      signal: new AbortController().signal,
      onRetry: (retryMs) => retries.push(retryMs),
    });
    expect(await collect(stream)).toEqual([
      { id: '1', data: 'a' },
      { id: '2', event: 'e', data: 'b' },
    ]);
    expect([retries, stream.lastEventId, stream.leftover]).toEqual([[5], '2', undefined]);
    expect(body.locked).toBe(false);
  });

  test('keeps the event without its blank line apart, for the caller to judge', async () => {
    const { body } = makeBody(['data: a\n\nevent: message\ndata: {"whole":', 'true}']);
    const stream = openSseStream(body, { signal: new AbortController().signal });
    expect(await collect(stream)).toEqual([{ data: 'a' }]);
    expect(stream.leftover).toEqual({ event: 'message', data: '{"whole":true}' });
  });

  test('reports every chunk as a sign of life, comments too, before its events', async () => {
    const seen: (string | number)[] = [];
    const { body } = makeBody([': ping\n', 'data: a\n\n', ':\n']);
    const stream = openSseStream(body, {
      signal: new AbortController().signal,
      onActivity: (bytes) => seen.push(bytes),
    });
    for await (const event of stream) seen.push(event.data);
    expect(seen).toEqual([7, 9, 'a', 2]);
  });

  test('an id without data counts as last event id', async () => {
    const { body } = makeBody(['id: 1\ndata: a\n\nid: 2\n\n']);
    const stream = openSseStream(body, { signal: new AbortController().signal });
    expect(await collect(stream)).toEqual([{ id: '1', data: 'a' }]);
    expect(stream.lastEventId).toBe('2');
  });

  test('reads no chunk before it is asked, and none ahead', async () => {
    const { body, pulls } = makeBody(['data: a\n\n', 'data: b\n\n']);
    const stream = openSseStream(body, { signal: new AbortController().signal });
    expect(pulls()).toBe(0);
    const events = stream[Symbol.asyncIterator]();
    await events.next();
    expect(pulls()).toBe(1);
    await events.return?.();
  });
});

describe('ending early', () => {
  test('cancels the body when the consumer stops, counting only ids it was given', async () => {
    const { body, cancelled } = makeBody(['id: 1\ndata: a\n\nid: 2\ndata: b\n\n'], 'stay open');
    const stream = openSseStream(body, { signal: new AbortController().signal });
    for await (const event of stream) {
      expect(event).toEqual({ id: '1', data: 'a' });
      break;
    }
    expect(await cancelled).toBeUndefined();
    expect([stream.lastEventId, stream.leftover, body.locked]).toEqual(['1', undefined, false]);
  });

  test('cancels the body when the consumer throws', async () => {
    const { body, cancelled } = makeBody(['data: a\n\n'], 'stay open');
    const stream = openSseStream(body, { signal: new AbortController().signal });
    const failure = new Error('consumer');
    const consume = async () => {
      for await (const _event of stream) throw failure;
    };
    await expect(consume()).rejects.toBe(failure);
    await cancelled;
  });

  test('rejects with the reason of the signal while it waits for bytes, and cancels', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const { body, cancelled } = makeBody(['data: a\n\n'], 'stay open');
    const stream = openSseStream(body, { signal: controller.signal });
    const events = stream[Symbol.asyncIterator]();
    expect(await events.next()).toEqual({ done: false, value: { data: 'a' } });
    const waiting = events.next();
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    expect(await cancelled).toBe(reason);
    expect(body.locked).toBe(false);
  });

  test('gives no further event of a chunk once aborted', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const { body } = makeBody(['data: a\n\ndata: b\n\n']);
    const events: SseEvent[] = [];
    const consume = async () => {
      for await (const event of openSseStream(body, { signal: controller.signal })) {
        events.push(event);
        controller.abort(reason);
      }
    };
    await expect(consume()).rejects.toBe(reason);
    expect(events).toEqual([{ data: 'a' }]);
  });

  test('rejects at once with a signal that has aborted before', async () => {
    const reason = new Error('before');
    const { body, cancelled } = makeBody(['data: a\n\n']);
    const stream = openSseStream(body, { signal: AbortSignal.abort(reason) });
    await expect(collect(stream)).rejects.toBe(reason);
    expect(await cancelled).toBe(reason);
  });

  test('gives the whole events of a chunk before the LimitError in it, and cancels', async () => {
    const { body, cancelled } = makeBody(['data: a\n\ndata: too long\n\n'], 'stay open');
    const events: SseEvent[] = [];
    const stream = openSseStream(body, { signal: new AbortController().signal, maxBytes: 10 });
    await expect(collect(stream, events)).rejects.toBeInstanceOf(LimitError);
    expect(events).toEqual([{ data: 'a' }]);
    await cancelled;
  });

  test('rejects with the error of the body as it is, with nothing left over', async () => {
    const failure = new Error('socket closed');
    const { body } = makeBody(['data: a\n\ndata: half'], failure);
    const events: SseEvent[] = [];
    const stream = openSseStream(body, { signal: new AbortController().signal });
    await expect(collect(stream, events)).rejects.toBe(failure);
    expect([events, stream.leftover]).toEqual([[{ data: 'a' }], undefined]);
  });
});

describe('over a socket', () => {
  const servers: Bun.Server<undefined>[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.stop(true);
  });

  /** Serves the body on loopback and opens it with fetch. */
  async function fetchBody(body: ReadableStream<Uint8Array>) {
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () => new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
    });
    servers.push(server);
    const response = await fetch(server.url);
    if (response.body === null) throw new Error('no body');
    return response.body;
  }

  test('reads a fetched body to its end', async () => {
    const { body } = makeBody(['data: a\r\n\r', '\ndata: b\r\n\r\n', 'data: left']);
    const stream = openSseStream(await fetchBody(body), { signal: new AbortController().signal });
    expect(await collect(stream)).toEqual([{ data: 'a' }, { data: 'b' }]);
    expect(stream.leftover).toEqual({ data: 'left' });
  });

  test('an abort during a silent fetched body ends the reading, and the server sees it', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const { body, cancelled } = makeBody(['data: a\n\n'], 'stay open');
    const stream = openSseStream(await fetchBody(body), { signal: controller.signal });
    const events = stream[Symbol.asyncIterator]();
    expect(await events.next()).toEqual({ done: false, value: { data: 'a' } });
    const waiting = events.next();
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await cancelled;
  });
});
