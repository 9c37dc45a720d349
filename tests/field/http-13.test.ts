import { expect, test } from 'bun:test';
import { type RawReply, startMcpServer } from '../fixtures/servers/http.ts';
import { runUsher } from '../helpers/usher.ts';

const json = { 'content-type': 'application/json' };
const html = { 'content-type': 'text/html' };

const FAILURES: readonly (readonly [string, RawReply, string, number])[] = [
  ['401', { status: 401, headers: json, body: '{"error":"who are you"}' }, 'who are you', 6],
  ['403', { status: 403, body: 'not for you' }, 'not for you', 6],
  ['404', { status: 404, body: 'no such path' }, 'no such path', 4],
  ['405', { status: 405, body: 'use something else' }, 'use something else', 4],
  ['406', { status: 406, body: 'cannot accept this' }, 'cannot accept this', 4],
  ['500', { status: 500, body: 'database on fire' }, 'database on fire', 4],
  ['502', { status: 502, headers: html, body: '<h1>upstream away</h1>' }, 'upstream away', 4],
];

test.each(FAILURES)(
  'the report of a refused handshake shows status %s and what the server said',
  async (status, reply, text, code) => {
    await using server = await startMcpServer({ instead: { '*': reply } });
    const run = await runUsher(['tools', 's1'], {
      config: { servers: [{ name: 's1', url: server.url }] },
    });
    expect(run.stderr).toContain(status);
    expect(run.stderr).toContain(text);
    expect([run.code, run.stdout]).toEqual([code, '']);
    const mayProbe = ['400', '404', '405', '406'].includes(status);
    if (!mayProbe) expect(server.requests.filter((one) => one.verb === 'GET')).toEqual([]);
  },
);

test('a connection that is torn down is reported as such', async () => {
  await using server = await startMcpServer({ instead: { '*': 'reset' } });
  const run = await runUsher(['tools', 's1'], {
    config: { servers: [{ name: 's1', url: server.url }] },
  });
  expect([run.code, run.stdout]).toEqual([4, '']);
  expect(run.stderr).toContain('s1');
  expect(server.requests.filter((one) => one.verb === 'GET')).toEqual([]);
});
