import { describe, expect, test } from 'bun:test';
import { type HttpScript, startMcpServer } from '../fixtures/servers/http.ts';
import { callThenAnswer, runScripted } from '../helpers/scripted-run.ts';
import { runUsher } from '../helpers/usher.ts';

const CANARY = 'canary-of-the-key';
const WAYS: Readonly<Record<string, object>> = {
  'a configured header': { headers: { 'X-Api-Key': `\${KEY}` } },
  'an API key': { auth: { type: 'apiKey', header: 'X-Api-Key', tokenEnv: 'KEY' } },
  'a bearer token': { auth: { type: 'bearer', tokenEnv: 'KEY' } },
};
const moment = {
  'at the first request': '*',
  'after the session began': 'tools/list',
};

describe.each(Object.entries(WAYS))('with %s', (_way, credentials) => {
  test.each(Object.entries(moment))(
    'nothing leaves the origin %s',
    async (_when, at) => {
      for (const status of [301, 302, 303, 307, 308]) {
        await using other = await startMcpServer();
        const instead: HttpScript['instead'] = {
          [at]: { status, headers: { location: `http://127.0.0.1:${other.port}/taken` } },
        };
        await using server = await startMcpServer({ sessions: true, instead });
        const run = await runUsher(['tools', 's1'], {
          config: { servers: [{ name: 's1', url: server.url, ...credentials }] },
          env: { KEY: CANARY },
        });
        expect(other.requests).toEqual([]);
        expect(run.code).toBe(4);
        expect(run.stderr).toContain(`127.0.0.1:${other.port}/taken`);
        expect(run.stdout + run.stderr).not.toContain(CANARY);
      }
    },
    20_000,
  );
});

test.each([307, 308])(
  'a redirect %p within the origin is followed with the body',
  async (status) => {
    await using server = await startMcpServer({
      paths: { '/old': { status, headers: { location: '/mcp' } } },
    });
    const run = await runScripted({
      servers: [{ name: 's1', url: `http://127.0.0.1:${server.port}/old` }],
      steps: callThenAnswer(['s1_echo', { text: 'hi' }]),
    });
    expect([run.code, run.stdout.trim()]).toEqual([0, '{"text":"hi"}']);
  },
);

test('a redirect that never ends is given up', async () => {
  await using server = await startMcpServer({
    paths: { '/mcp': { status: 307, headers: { location: '/mcp' } } },
  });
  const run = await runUsher(['tools', 's1'], {
    config: { servers: [{ name: 's1', url: server.url }] },
  });
  expect(run.code).toBe(4);
  expect(server.requests.length).toBeLessThan(70);
});
