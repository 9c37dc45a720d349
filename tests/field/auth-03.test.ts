import { expect, test } from 'bun:test';
import { type HttpScript, startMcpServer } from '../fixtures/servers/http.ts';
import { callThenAnswer, runScripted } from '../helpers/scripted-run.ts';
import { runUsher } from '../helpers/usher.ts';

const CANARY = 'canary-of-the-token';
const json = { 'content-type': 'application/json' };
const page = { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>home</html>' };
const missing = { status: 404, headers: { 'content-type': 'text/plain' }, body: 'Not Found' };
const KINDS: Readonly<Record<string, HttpScript>> = {
  '401 and no metadata': {
    instead: { '*': { status: 401, headers: json, body: '{"error":"Missing API key"}' } },
    get: missing,
  },
  '401 and a page for every path': {
    instead: { '*': { status: 401, headers: json, body: '{"error":"Missing API key"}' } },
    get: page,
  },
  '403': {
    instead: { '*': { status: 403, headers: json, body: '{"error":"Missing API key"}' } },
    get: missing,
  },
};

test.each(Object.entries(KINDS))(
  'a configured token that is refused by %s is reported as such',
  async (kind, script) => {
    await using server = await startMcpServer(script);
    const run = await runUsher(['tools', 's1'], {
      config: {
        servers: [{ name: 's1', url: server.url, auth: { type: 'bearer', tokenEnv: 'TOK' } }],
      },
      env: { TOK: CANARY },
    });
    expect([run.code, run.stdout]).toEqual([6, '']);
    expect(run.stderr).toContain('s1');
    expect(run.stderr).toContain(kind.slice(0, 3));
    expect(run.stderr).toContain('Missing API key');
    expect(run.stderr).not.toContain(CANARY);
    expect(run.stderr).not.toMatch(/JSON|SyntaxError|Unexpected token/);
    expect(server.requests.filter((one) => one.path !== '/mcp')).toEqual([]);
    expect(server.methods()).toHaveLength(1);
    expect(run.ms).toBeLessThan(5000);
  },
);

test('other servers go on', async () => {
  await using refused = await startMcpServer(KINDS['403']);
  await using good = await startMcpServer({ bearer: 'right' });
  const run = await runScripted({
    servers: [
      { name: 'refused', url: refused.url, auth: { type: 'bearer', tokenEnv: 'WRONG' } },
      { name: 'good', url: good.url, auth: { type: 'bearer', tokenEnv: 'RIGHT' } },
    ],
    env: { WRONG: 'wrong', RIGHT: 'right' },
    steps: callThenAnswer(['good_echo', { text: 'hi' }]),
  });
  expect([run.code, run.stdout.trim()]).toEqual([0, '{"text":"hi"}']);
  expect(run.stderr).toContain('refused');
});
