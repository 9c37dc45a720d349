import { expect, test } from 'bun:test';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { runUsher } from '../helpers/usher.ts';

const body = '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"App is not enabled"}}';

test('a handshake refused by 400 with a protocol error shows the status and the message', async () => {
  const headers = { 'content-type': 'application/json' };
  await using server = await startMcpServer({ instead: { '*': { status: 400, headers, body } } });
  const run = await runUsher(['tools', 's1'], {
    config: { servers: [{ name: 's1', url: server.url }] },
  });
  expect([run.code, run.stdout]).toEqual([4, '']);
  expect(run.stderr).toContain('400');
  expect(run.stderr).toContain('App is not enabled');
});
