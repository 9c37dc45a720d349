import { expect, test } from 'bun:test';
import { type RawReply, startMcpServer } from '../fixtures/servers/http.ts';
import { callThenAnswer, runScripted } from '../helpers/scripted-run.ts';

const REPLIES: Readonly<Record<string, RawReply>> = {
  '404 with a page': {
    status: 404,
    headers: { 'content-type': 'text/html' },
    body: '<pre>Cannot GET /mcp</pre>',
  },
  '406 with JSON': {
    status: 406,
    headers: { 'content-type': 'application/json' },
    body: '{"jsonrpc":"2.0","error":{"code":-32000,"message":"Not Acceptable"},"id":null}',
  },
  '400 that wants a session': { status: 400, body: 'session id required' },
  '405': { status: 405 },
};

test.each(Object.entries(REPLIES))(
  'a stateless server that answers GET and DELETE by %s is used without a word',
  async (_name, reply) => {
    await using server = await startMcpServer({ get: reply, delete: reply });
    const run = await runScripted({
      servers: [{ name: 's1', url: server.url, tools: ['echo'] }],
      steps: callThenAnswer(['s1_echo', { text: 'hi' }]),
    });
    expect([run.code, run.stdout.trim()]).toEqual([0, '{"text":"hi"}']);
    expect(server.requests.map((one) => one.headers['mcp-session-id'])).toEqual(
      server.requests.map(() => undefined),
    );
    expect(run.stderr).not.toMatch(/warn|\b40[0456]\b|Cannot GET/i);
  },
);
