import { describe, expect, test } from 'bun:test';
import { createSseParser } from '../../src/sse/parser.ts';
import type { SseEvent } from '../../src/sse/types.ts';
import { cutEvery, type Reading, readAll, toBytes } from './read-all.ts';

interface Case {
  /** The step of WHATWG HTML 9.2 that asks for it. */
  readonly step: string;
  readonly name: string;
  readonly input: string | Uint8Array;
  readonly want: Partial<Reading>;
}

const MARK = '\uFEFF';

const CASES: readonly Case[] = [
  {
    step: '9.2.6 empty line',
    name: 'one event',
    input: 'data: a\n\n',
    want: { events: [{ data: 'a' }] },
  },
  {
    step: '9.2.6 field event',
    name: 'the event name is kept for its own event only',
    input: 'event: add\ndata: 1\n\ndata: 2\n\n',
    want: { events: [{ event: 'add', data: '1' }, { data: '2' }] },
  },
  {
    step: '9.2.6 field event',
    name: 'the last event name counts, an empty one means the default',
    input: 'event: a\nevent: b\ndata: 1\n\nevent: a\nevent:\ndata: 2\n\n',
    want: { events: [{ event: 'b', data: '1' }, { data: '2' }] },
  },
  {
    step: '9.2.6 dispatch 2',
    name: 'an event name without data is dropped, and does not reach the next event',
    input: 'event: lost\n\ndata: 1\n\n',
    want: { events: [{ data: '1' }] },
  },
  {
    step: '9.2.6 field data',
    name: 'data lines are joined by LF',
    input: 'data: a\ndata:\ndata: b\n\n',
    want: { events: [{ data: 'a\n\nb' }] },
  },
  {
    step: '9.2.6 dispatch 2, 3',
    name: 'an empty data field is an event with empty data, two are one line break',
    input: 'data\n\ndata:\n\ndata\ndata\n\n',
    want: { events: [{ data: '' }, { data: '' }, { data: '\n' }] },
  },
  {
    step: '9.2.6 dispatch 3',
    name: 'only one LF is taken from the end of the data',
    input: 'data: a\ndata:\ndata:\n\n',
    want: { events: [{ data: 'a\n\n' }] },
  },
  {
    step: '9.2.6 line with colon',
    name: 'one leading space is removed, tabs and further spaces stay',
    input: 'data:a\ndata:  b \ndata:\tc\n\n',
    want: { events: [{ data: 'a\n b \n\tc' }] },
  },
  {
    step: '9.2.6 line with colon',
    name: 'only the first colon divides',
    input: 'data: a: b:c\n\n',
    want: { events: [{ data: 'a: b:c' }] },
  },
  {
    step: '9.2.6 line starting with colon',
    name: 'comments are ignored, inside an event too',
    input: ': hi\n\ndata: a\n:data: no\n:\ndata: b\n\n:\n',
    want: { events: [{ data: 'a\nb' }] },
  },
  {
    step: '9.2.6 other fields',
    name: 'unknown, near and differently spelled fields are ignored',
    input: 'Data: 1\ndata : 2\n data: 3\ndatax: 4\ndat: 5\nfoo\nevents: x\nid2: 3\ndata: ok\n\n',
    want: { events: [{ data: 'ok' }] },
  },
  {
    step: '9.2.6 field id',
    name: 'the id is given with its event and stays as last event id',
    input: 'id: 1\ndata: a\n\ndata: b\n\n',
    want: { events: [{ id: '1', data: 'a' }, { data: 'b' }], lastEventId: '1' },
  },
  {
    step: '9.2.6 dispatch 1',
    name: 'an id without data counts as last event id, without an event',
    input: 'id: 7\n\n',
    want: { lastEventId: '7' },
  },
  {
    step: '9.2.6 dispatch 1',
    name: 'an id counts only at its blank line',
    input: 'id: 1\n\nid: 2\ndata: a\n',
    want: { lastEventId: '1', pending: { id: '2', data: 'a' } },
  },
  {
    step: '9.2.6 field id',
    name: 'an empty id clears the last event id',
    input: 'id: 1\ndata: a\n\nid\ndata: b\n\n',
    want: {
      events: [
        { id: '1', data: 'a' },
        { id: '', data: 'b' },
      ],
      lastEventId: '',
    },
  },
  {
    step: '9.2.6 field id',
    name: 'an id with NUL is ignored, an earlier one of the same event stays',
    input: 'id: 1\nid: 2\0\ndata: a\n\n',
    want: { events: [{ id: '1', data: 'a' }], lastEventId: '1' },
  },
  {
    step: '9.2.6 field data',
    name: 'NUL in data and in an event name stays',
    input: 'event: e\0\ndata: a\0b\n\n',
    want: { events: [{ event: 'e\0', data: 'a\0b' }] },
  },
  {
    step: '9.2.6 field retry',
    name: 'retry counts when it is ASCII digits only',
    input:
      'retry: 10\nretry: 1e3\nretry: -1\nretry:\nretry\nretry: 2.5\nretry: ٣\nretry:  4\nretry:007\n',
    want: { retries: [10, 7] },
  },
  {
    step: '9.2.5 end-of-line',
    name: 'CR, LF and CRLF all end lines, mixed too',
    input: 'data: a\rdata: b\r\ndata: c\n\rdata: d\r\r\ndata: e\r\n\r\n',
    want: { events: [{ data: 'a\nb\nc' }, { data: 'd' }, { data: 'e' }] },
  },
  {
    step: '9.2.5 end-of-line',
    name: 'other line separators are content',
    input: 'data: a\u2028b\u0085c\u000bd\u000ce\n\n',
    want: { events: [{ data: 'a\u2028b\u0085c\u000bd\u000ce' }] },
  },
  {
    step: '9.2.5 stream',
    name: 'one byte order mark at the head is dropped',
    input: `${MARK}data: a\n\n`,
    want: { events: [{ data: 'a' }] },
  },
  {
    step: '9.2.5 stream',
    name: 'a second mark at the head makes its line an unknown field',
    input: `${MARK}${MARK}data: a\ndata: b\n\n`,
    want: { events: [{ data: 'b' }] },
  },
  {
    step: '9.2.5 stream',
    name: 'a mark later in the stream is left alone',
    input: `data: a\n\n${MARK}data: b\ndata: ${MARK}c\n\n`,
    want: { events: [{ data: 'a' }, { data: `${MARK}c` }] },
  },
  {
    step: '9.2.5 stream',
    name: 'a broken mark at the head makes its line an unknown field',
    input: new Uint8Array([0xef, 0xbb, ...toBytes('data: a\ndata: b\n\n')]),
    want: { events: [{ data: 'b' }] },
  },
  {
    step: '9.2.6 decode',
    name: 'bytes that are not UTF-8 become U+FFFD and never eat a line end',
    input: new Uint8Array([
      ...toBytes('data: '),
      0xf0,
      0x9f,
      ...toBytes('\ndata: '),
      0xff,
      0x0a,
      0x0a,
    ]),
    want: { events: [{ data: '\uFFFD\n\uFFFD' }] },
  },
  {
    step: '9.2.6 decode',
    name: 'characters of two, three and four bytes',
    input: 'event: é\nid: 漢\ndata: 😀é漢\n\n',
    want: { events: [{ event: 'é', id: '漢', data: '😀é漢' }], lastEventId: '漢' },
  },
  {
    step: '9.2.6 end of file',
    name: 'an event without its blank line is not given, but is pending',
    input: 'event: e\ndata: a\ndata: b',
    want: { pending: { event: 'e', data: 'a\nb' } },
  },
  {
    step: '9.2.6 end of file',
    name: 'nothing is pending without data, and a cut retry does not count',
    input: 'data: a\n\nevent: e\nid: 4\nretry: 1',
    want: { events: [{ data: 'a' }] },
  },
  { step: '9.2.5 stream', name: 'an empty stream', input: '', want: {} },
  { step: '9.2.5 stream', name: 'blank lines only', input: '\n\n\r\r\n\n', want: {} },
];

describe('named behaviours', () => {
  for (const { step, name, input, want } of CASES) {
    const expected = {
      events: [],
      retries: [],
      lastEventId: undefined,
      pending: undefined,
      ...want,
    };
    test(`${name} (${step})`, () => {
      const bytes = typeof input === 'string' ? toBytes(input) : input;
      expect(readAll([bytes])).toEqual(expected);
      for (const size of [1, 2, 3, 5]) expect(readAll(cutEvery(bytes, size))).toEqual(expected);
      if (typeof input !== 'string') return;
      for (const size of [1, 2, 3]) expect(readAll(cutEvery(input, size))).toEqual(expected);
    });
  }
});

describe('timing of events', () => {
  /** How many events were given after each piece. */
  function countAfterEach(pieces: readonly string[]): number[] {
    const events: SseEvent[] = [];
    const parser = createSseParser({ onEvent: (event) => events.push(event) });
    return pieces.map((piece) => {
      parser.feed(toBytes(piece));
      return events.length;
    });
  }

  test('gives the event at the LF of its blank line', () => {
    expect(countAfterEach(['data: a', '\n', '\n', ''])).toEqual([0, 0, 1, 1]);
  });

  test('gives the event at a CR that ends a chunk, and takes a following LF as part of it', () => {
    expect(countAfterEach(['data: a\r', '\r', 'data: b\r\n\r', '\n\n', 'data: c\n\n'])).toEqual([
      0, 1, 2, 2, 3,
    ]);
  });

  test('does not take CR and LF in two chunks for a blank line', () => {
    expect(countAfterEach(['data: a\r', '\ndata: b\r', '', '\n', '\n'])).toEqual([0, 0, 0, 0, 1]);
  });

  test('swallows an LF after CR also when the line was a comment or the chunk ends there', () => {
    expect(countAfterEach([': no', 'te\r', '\n', 'data: a\n', '\n'])).toEqual([0, 0, 0, 0, 1]);
  });
});

describe('life cycle', () => {
  test('copies what it keeps, so the caller may use its buffer again', () => {
    const events: SseEvent[] = [];
    const parser = createSseParser({ onEvent: (event) => events.push(event) });
    const buffer = toBytes('data: first part ');
    parser.feed(buffer);
    buffer.fill(0x78);
    parser.feed(toBytes('and second\n\n'));
    expect(events).toEqual([{ data: 'first part and second' }]);
  });

  test('reset forgets the line, the event and the ids, and awaits a mark again', () => {
    const events: SseEvent[] = [];
    const parser = createSseParser({ onEvent: (event) => events.push(event) });
    parser.feed('id: 1\n\nevent: old\ndata: old\nid: 2\r');
    parser.reset();
    expect(parser.lastEventId).toBeUndefined();
    parser.feed('\uFEFF\ndata: new\n\n');
    expect(events).toEqual([{ data: 'new' }]);
    parser.feed('data: half');
    parser.reset();
    parser.feed('data: whole\n\n');
    expect(events).toEqual([{ data: 'new' }, { data: 'whole' }]);
  });

  for (const [what, begun] of [
    ['a skipped line', ': comment'],
    ['half a surrogate pair', 'data: \ud83d'],
    ['half a mark', new Uint8Array([0xef, 0xbb])],
    ['an event of very many lines', `${'data: old\n'.repeat(3000)}`],
  ] as const) {
    test(`reset forgets ${what}`, () => {
      const events: SseEvent[] = [];
      const parser = createSseParser({ onEvent: (event) => events.push(event) });
      parser.feed(begun);
      parser.reset();
      parser.feed('\uFEFFdata: new\n\n');
      expect(events).toEqual([{ data: 'new' }]);
      parser.feed('data: a\ndata: b\n\n');
      expect(events).toEqual([{ data: 'new' }, { data: 'a\nb' }]);
    });
  }

  test('end makes the parser new', () => {
    const events: SseEvent[] = [];
    const parser = createSseParser({ onEvent: (event) => events.push(event) });
    parser.feed('id: 1\ndata: a');
    expect(parser.end()).toEqual({ id: '1', data: 'a' });
    expect(parser.end()).toBeUndefined();
    parser.feed('\uFEFFdata: b\n\n');
    expect(events).toEqual([{ data: 'b' }]);
  });

  test('text and bytes may alternate; half a pair before bytes becomes U+FFFD', () => {
    const [high, low] = ['😀'.slice(0, 1), '😀'.slice(1)];
    const pieces = ['data: ', toBytes('a'), high, '', low, high, toBytes('b\n\n')];
    expect(readAll(pieces).events).toEqual([{ data: 'a😀\uFFFDb' }]);
    expect(readAll([`data: ${high}`]).pending).toEqual({ data: '\uFFFD' });
  });

  test('an event of very many lines is joined in order', () => {
    const lines = Array.from({ length: 5000 }, (_, index) => `${index}`);
    const text = lines.map((line) => `data: ${line}\n`).join('');
    expect(readAll([text, '\n']).events).toEqual([{ data: lines.join('\n') }]);
    expect(readAll([text]).pending).toEqual({ data: lines.join('\n') });
    expect(readAll([text, '\ndata: after\n\n']).events[1]).toEqual({ data: 'after' });
  });
});
