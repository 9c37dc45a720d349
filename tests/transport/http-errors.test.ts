/** What people read when something other than a good HTTP server answers. */
import { expect, test } from 'bun:test';
import { networkError, redirectError } from '../../src/transport/http-errors.ts';
import { startTcp } from '../helpers/tcp.ts';
import { httpEndpoint, never, open } from '../mcp/rig.ts';

const OK = 'HTTP/1.1 200 OK\r\n';
const SQUEEZED = 'its answer does not keep to the content-encoding that it names';

test.each([
  ['a greeting of another protocol', 'SSH-2.0-OpenSSH_9.6\r\n', 'it did not answer in HTTP'],
  ['a page without a head', '<html>hello</html>', 'it did not answer in HTTP'],
  [
    'a length that is none',
    `${OK}content-length: abc\r\n\r\nhello`,
    'its answer has a content-length that is no number',
  ],
  [
    'chunks that are none',
    `${OK}transfer-encoding: chunked\r\n\r\nzzz\r\nhello\r\n`,
    'its answer breaks the rules of HTTP',
  ],
  [
    'an unknown transfer',
    `${OK}transfer-encoding: foo\r\n\r\nhello`,
    'its answer has an unknown transfer-encoding',
  ],
  [
    'a change of protocol',
    'HTTP/1.1 101 Switching Protocols\r\n\r\n',
    'it changed to a protocol that was not asked for',
  ],
  ['gzip that is none', `${OK}content-encoding: gzip\r\ncontent-length: 5\r\n\r\nhello`, SQUEEZED],
  ['br that is none', `${OK}content-encoding: br\r\ncontent-length: 5\r\n\r\nhello`, SQUEEZED],
  ['zstd that is none', `${OK}content-encoding: zstd\r\ncontent-length: 5\r\n\r\nhello`, SQUEEZED],
])('%s is told in plain words', async (_name, reply, words) => {
  await using server = startTcp(reply);
  const url = `http://127.0.0.1:${server.port}/mcp`;
  await using connection = open(httpEndpoint(url));
  await connection.connect(never);
  expect(connection.status().error?.message).toBe(`cannot reach server "s1" at ${url}: ${words}`);
});

const target = { name: 's1', url: 'http://127.0.0.1/mcp', hasToken: false };

test('a code that is not known is told without the sentence for programmers', () => {
  const thrown = Object.assign(new TypeError('pass `verbose: true` to fetch()'), { code: 'Odd' });
  expect(networkError(target, thrown).message).toBe(
    'cannot reach server "s1" at http://127.0.0.1/mcp: the request failed (Odd)',
  );
});

test('a fault of ours is not told as the network’s', () => {
  const { code, message } = networkError(target, new ReferenceError('x is not defined'));
  expect([code, message]).toEqual(['internal', 'x is not defined']);
});

test.each([
  ['/mcp/', 'if you trust it, set url: http://127.0.0.1/mcp/'],
  ['https://e.example/x', 'if you trust it, set url: https://e.example/x'],
  ['/mcp', undefined],
  ['http://', undefined],
  [undefined, undefined],
])('a redirect to %s hints at an address that url: can take, if at any', (location, hint) => {
  const error = redirectError(target, { kind: 'redirect', status: 302, location });
  expect(error.hint).toBe(hint);
});
