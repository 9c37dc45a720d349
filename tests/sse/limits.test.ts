import { afterEach, describe, expect, spyOn, test } from 'bun:test';
import { LimitError } from '../../src/base/errors.ts';
import { createSseParser } from '../../src/sse/parser.ts';
import type { SseEvent } from '../../src/sse/types.ts';
import { cutEvery, readAll, toBytes } from './read-all.ts';

/** What a parser with this bound gives before it throws, or until the input ends. */
function readBounded(text: string, maxBytes: number, size: number) {
  const events: SseEvent[] = [];
  const parser = createSseParser({ onEvent: (event) => events.push(event), maxBytes });
  try {
    for (const piece of cutEvery(toBytes(text), size)) parser.feed(piece);
    return { events, thrown: undefined };
  } catch (error) {
    return { events, thrown: error };
  }
}

const CUTS = [1, 2, 3, 7, 1000];

describe('bound of one event', () => {
  // Line by line: "data: 34567" is 11 bytes, "id: 4" 5, "data: é" 8; line ends do not count.
  const fits = [
    ['one line of the bound', 'data: 34567\n\n', 11],
    ['all lines together', 'data: 34567\nid: 4\r\n\n', 16],
    ['bytes, not characters', 'data: é\ndata: é\n\n', 16],
    ['each event for itself', 'data: 34567\n\ndata: 34567\r\r', 11],
    ['without comments', `data: 34567\n:${'c'.repeat(50)}\n\n`, 11],
    ['without unknown fields', `data: 34567\n${'unknown'.repeat(9)}\n\n`, 11],
  ] as const;
  for (const [name, text, maxBytes] of fits) {
    test(`counts ${name}, and the cut makes no difference`, () => {
      const want = [...readAll([text]).events];
      for (const size of CUTS) {
        expect(readBounded(text, maxBytes, size)).toEqual({ events: want, thrown: undefined });
        const { thrown } = readBounded(text, maxBytes - 1, size);
        expect(thrown).toBeInstanceOf(LimitError);
      }
    });
  }

  test('gives the whole events before it, then throws with details', () => {
    for (const size of CUTS) {
      const { events, thrown } = readBounded('data: 1\n\n: c\ndata: 2\n\ndata: long\n\n', 9, size);
      expect(events).toEqual([{ data: '1' }, { data: '2' }]);
      expect(thrown).toMatchObject({
        code: 'limit',
        message: 'a server-sent event is larger than 9 bytes',
        details: { limit: 'sse_event', maxBytes: 9 },
      });
    }
  });

  test('throws on the unfinished line, before its end has come', () => {
    expect(readBounded('data: 3456', 9, 1000).thrown).toBeInstanceOf(LimitError);
    expect(readBounded('data: 3456', 10, 1).thrown).toBeUndefined();
  });

  test('throws at every feed until reset, and then reads again', () => {
    const events: SseEvent[] = [];
    const parser = createSseParser({ onEvent: (event) => events.push(event), maxBytes: 9 });
    parser.feed('id: 1\n\n');
    expect(() => parser.feed('data: too long')).toThrow(LimitError);
    expect(() => parser.feed('\n\ndata: 1\n\n')).toThrow(LimitError);
    expect(parser.lastEventId).toBe('1');
    parser.reset();
    parser.feed('data: 1\n\n');
    expect(events).toEqual([{ data: '1' }]);
  });

  test('is 16 MiB unless told', () => {
    const mebibyte = new Uint8Array(1024 * 1024).fill(0x61);
    const parser = createSseParser({ onEvent: () => undefined });
    parser.feed('data:');
    for (let count = 0; count < 15; count++) parser.feed(mebibyte);
    parser.feed(mebibyte.subarray(5));
    expect(() => parser.feed('a')).toThrow(LimitError);
  });
});

describe('work and memory', () => {
  afterEach(() => {
    for (const spy of spies.splice(0)) spy.mockRestore();
  });
  const spies: { mockRestore(): void }[] = [];

  /** Counts the bytes that every copy and every decode moves, in the only two natives that do it. */
  function countMovedBytes() {
    const copies = spyOn(Uint8Array.prototype, 'set');
    const decodes = spyOn(TextDecoder.prototype, 'decode');
    spies.push(copies, decodes);
    return {
      copied: () => copies.mock.calls.reduce((sum, [source]) => sum + source.length, 0),
      decoded: () =>
        decodes.mock.calls.reduce((sum, [source]) => sum + (source?.byteLength ?? 0), 0),
    };
  }

  for (const size of [1, 700, 65_536]) {
    test(`an 8 MiB event in cuts of ${size} bytes is copied at most three times, decoded once`, () => {
      const whole = new Uint8Array(8 * 1024 * 1024).fill(0x61);
      whole.set(toBytes('data: '));
      whole.set(toBytes('\n\n'), whole.length - 2);
      const lengths: number[] = [];
      const parser = createSseParser({ onEvent: (event) => lengths.push(event.data.length) });
      const moved = countMovedBytes();
      for (let at = 0; at < whole.length; at += size) parser.feed(whole.subarray(at, at + size));
      expect(lengths).toEqual([whole.length - 8]);
      expect(moved.copied()).toBeLessThan(3 * whole.length);
      expect(moved.decoded()).toBeLessThanOrEqual(whole.length);
    });
  }

  for (const head of [':', 'unknown', 'databases:', 'events', 'id2:', 'retry-']) {
    test(`an endless line that begins "${head}" is dropped as it comes`, () => {
      const parser = createSseParser({ onEvent: () => undefined, maxBytes: 1000 });
      const chunk = new Uint8Array(1024).fill(0x61);
      parser.feed(head);
      const moved = countMovedBytes();
      for (let count = 0; count < 1000; count++) parser.feed(chunk);
      expect([moved.copied(), moved.decoded()]).toEqual([0, 0]);
    });
  }

  test('comments between events never add up to the bound', () => {
    const parser = createSseParser({ onEvent: () => undefined, maxBytes: 10 });
    for (let count = 0; count < 100; count++) parser.feed(': still here\n');
    expect(parser.end()).toBeUndefined();
  });
});
