import { expect, test } from 'bun:test';
import { RpcError } from '../../src/mcp/errors.ts';

const saying = (message: string) =>
  new RpcError('s1', 'tools/call', { code: -32000, message, data: undefined });

test('people see 500 characters of what a server refuses with; up to 4,000 are kept beside it', () => {
  const error = saying(`${'a'.repeat(499)}${'b'.repeat(9000)}`);
  const head = 'server "s1" answered tools/call with an error: ';
  expect([error.message, error.details]).toEqual([
    `${head}${'a'.repeat(499)}… (-32000)`,
    {
      rpcCode: -32000,
      wholeMessage: `${head}${'a'.repeat(499)}${'b'.repeat(3500 - head.length)}…`,
    },
  ]);
});

test('a sentence of 500 characters is shown whole, and kept once', () => {
  const error = saying('a'.repeat(500));
  expect([error.message.includes('a'.repeat(500)), error.details]).toEqual([
    true,
    { rpcCode: -32000 },
  ]);
});
