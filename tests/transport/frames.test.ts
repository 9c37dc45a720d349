import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { readFrame } from '../../src/transport/frames.ts';
import { cpuMs } from '../helpers/cpu.ts';
import { TEST_SEED } from '../helpers/seed.ts';

const message = (id: number, text = '') => ({ jsonrpc: '2.0', id, result: { text } });

describe('a frame', () => {
  test('with messages in a row, however they are parted, gives each in order', () => {
    const gap = fc.constantFrom('', ' ', '\n', '\r\n', '\n\n', '\uFEFF');
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string({ unit: 'binary' }), gap), { minLength: 1, maxLength: 6 }),
        (parts) => {
          const messages = parts.map(([text], id) => message(id, `{"[\\${text}`));
          const frame = messages
            .map(
              (one, index) => JSON.stringify(one) + (parts[index]?.[1] ?? '').replace('\uFEFF', ''),
            )
            .join('');
          expect(readFrame(frame)).toEqual({ messages, stray: undefined });
          expect(readFrame(`\uFEFF${frame}`)).toEqual({ messages, stray: undefined });
        },
      ),
      { seed: TEST_SEED, numRuns: 200 },
    );
  });

  const cases: Readonly<Record<string, readonly [string, ReturnType<typeof readFrame>]>> = {
    'a batch': [
      JSON.stringify([message(1), message(2)]),
      { messages: [message(1), message(2)], stray: undefined },
    ],
    nothing: ['', { messages: [], stray: undefined }],
    'white space': [' \n', { messages: [], stray: undefined }],
    'an empty batch': ['[]', { messages: [], stray: undefined }],
    text: ['hello "world', { messages: [], stray: 'hello "world' }],
    'JSON that is no message': ['{"a":1}', { messages: [], stray: '{"a":1}' }],
    'a message cut off': [
      '{"jsonrpc":"2.0","id":1',
      { messages: [], stray: '{"jsonrpc":"2.0","id":1' },
    ],
    'text before a message': [
      `log: "x\n${JSON.stringify(message(1))}`,
      { messages: [message(1)], stray: 'log: "x' },
    ],
    'a message with a tail': [
      `${JSON.stringify(message(1))}}]`,
      { messages: [message(1)], stray: '}]' },
    ],
  };
  test.each(Object.entries(cases))('with %s', (_name, [frame, content]) => {
    expect(readFrame(frame)).toEqual(content);
  });

  test('of brackets alone is read in linear time', async () => {
    const spent = await cpuMs(() => {
      readFrame('['.repeat(4_000_000));
      readFrame('{}'.repeat(200_000));
    });
    expect(spent).toBeLessThan(3000);
  });
});
