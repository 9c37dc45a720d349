import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { JsonObject } from '../../src/base/json.ts';
import {
  encodeHeaderValue,
  envelopeFor,
  isEnveloped,
  standardHeaders,
} from '../../src/transport/modern.ts';
import { TEST_SEED } from '../helpers/seed.ts';

const envelope = envelopeFor('2026-07-28', { version: '1', capabilities: {}, logLevel: undefined });
const message = (method: string, params: JsonObject): JsonObject => ({
  jsonrpc: '2.0',
  method,
  params: { ...params, _meta: envelope },
});

function decode(value: string): string {
  const coded = /^=\?base64\?(.*)\?=$/.exec(value)?.[1];
  return coded === undefined ? value : Buffer.from(coded, 'base64').toString('utf8');
}

describe('a header value', () => {
  test.each([
    ['plain', 'plain'],
    ['', ''],
    ['in the\tmiddle', 'in the\tmiddle'],
    [' leading', '=?base64?IGxlYWRpbmc=?='],
    ['trailing\t', '=?base64?dHJhaWxpbmcJ?='],
    ['new\nline', '=?base64?bmV3CmxpbmU=?='],
    ['ü', '=?base64?w7w=?='],
    ['=?base64?eA==?=', '=?base64?PT9iYXNlNjQ/ZUE9PT89?='],
    ['=?base64?half', '=?base64?half'],
  ])('%j becomes %j', (text, value) => {
    expect(encodeHeaderValue(text)).toBe(value);
  });

  test('says every text, and passes any header', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const value = encodeHeaderValue(text);
        expect(decode(value)).toBe(text.toWellFormed());
        expect(new Headers({ x: value }).get('x')).toBe(value);
      }),
      { seed: TEST_SEED },
    );
  });
});

test.each([
  ['tools/call', { name: 'a', uri: 'u' }, 'a'],
  ['prompts/get', { name: 'p' }, 'p'],
  ['resources/read', { name: 'n', uri: 'file:///ü' }, '=?base64?ZmlsZTovLy/DvA==?='],
  ['tasks/get', { taskId: 't' }, 't'],
  ['tasks/update', { taskId: 't' }, 't'],
  ['tasks/cancel', { taskId: 't' }, 't'],
  ['tools/list', { name: 'x' }, undefined],
  ['tools/call', { name: 7 }, undefined],
])('%s %j repeats its name as %j', (method, params, name) => {
  expect(standardHeaders(message(method, params))).toEqual({
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(name === undefined ? {} : { 'mcp-name': name }),
  });
});

test.each([
  [{ jsonrpc: '2.0', method: 'tools/list', params: {} }],
  [{ jsonrpc: '2.0', method: 'tools/list' }],
  [{ jsonrpc: '2.0', method: 'x', params: { _meta: null } }],
  [{ jsonrpc: '2.0', id: 1, result: {} }],
])('a message of the older revisions has no headers: %j', (old) => {
  expect([isEnveloped(old), standardHeaders(old)]).toEqual([false, {}]);
});
