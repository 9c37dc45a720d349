import { describe, expect, test } from 'bun:test';
import { InternalError } from '../../src/base/errors.ts';
import { encodeSseEvent } from '../../src/sse/encode.ts';

describe('writing an event', () => {
  test('writes event, id and data, then the blank line', () => {
    expect(encodeSseEvent({ event: 'e', id: '1', data: 'a' })).toBe('event: e\nid: 1\ndata: a\n\n');
  });

  test('leaves out an empty event, but not an empty id, which clears', () => {
    expect(encodeSseEvent({ event: '', id: '', data: '' })).toBe('id: \ndata: \n\n');
  });

  test('makes a data field of every line, however it ends', () => {
    expect(encodeSseEvent({ data: 'a\nb\r\nc\r d\n' })).toBe(
      'data: a\ndata: b\ndata: c\ndata:  d\ndata: \n\n',
    );
  });

  for (const event of [
    { event: 'a\nb', data: '' },
    { event: 'a\rb', data: '' },
    { id: 'a\nb', data: '' },
    { id: 'a\r', data: '' },
    { id: '\0', data: '' },
  ]) {
    test(`refuses ${JSON.stringify(event)}`, () => {
      expect(() => encodeSseEvent(event)).toThrow(InternalError);
    });
  }
});
