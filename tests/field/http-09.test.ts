import { expect, test } from 'bun:test';
import { startSseLegacyServer } from '../fixtures/servers/sse-legacy.ts';
import { callThenAnswer, runScripted } from '../helpers/scripted-run.ts';
import { runUsher } from '../helpers/usher.ts';

const WAYS = { 'as transport: sse': { transport: 'sse' }, 'without a setting': {} };
const GOOD: Readonly<Record<string, readonly [endpoint: string, path: string]>> = {
  'a relative path': ['messages?sessionId=$SESSION', '/mcp/messages?sessionId=1'],
  'an absolute path': ['/mcp/messages?sessionId=$SESSION', '/mcp/messages?sessionId=1'],
  'a whole URL': ['$ORIGIN/mcp/messages?sessionId=$SESSION', '/mcp/messages?sessionId=1'],
  'a query': ['?sessionId=$SESSION', '/mcp/sse?sessionId=1'],
  'a trailing space': ['/mcp/messages?sessionId=$SESSION ', '/mcp/messages?sessionId=1'],
};
const auth = { type: 'bearer', tokenEnv: 'KEY' };
const env = { KEY: 'canary-of-the-key' };

for (const [way, setting] of Object.entries(WAYS)) {
  test.each(Object.entries(GOOD))(`${way}, %s as endpoint leads there`, async (_name, given) => {
    const [endpoint, path] = given;
    for (const lineEnd of ['\n', '\r\n']) {
      await using server = await startSseLegacyServer({ endpoint, lineEnd });
      const run = await runScripted({
        servers: [{ name: 's1', url: server.url, ...setting }],
        steps: callThenAnswer(['s1_echo', { text: 'hi' }]),
      });
      expect([run.code, run.stdout.trim()]).toEqual([0, '{"text":"hi"}']);
      expect(server.requests.at(-1)?.path).toBe(path);
    }
  });

  test(`${way}, an endpoint that is not there is shown with its 404`, async () => {
    const endpoint = '/messages?sessionId=$SESSION';
    await using server = await startSseLegacyServer({ endpoint });
    const run = await runUsher(['tools', 's1'], {
      config: { servers: [{ name: 's1', url: server.url, ...setting }] },
    });
    expect([run.code, run.stdout]).toEqual([4, '']);
    expect(run.stderr).toContain(`${server.origin}/messages?sessionId=1`);
    expect(run.stderr).toContain('404');
  });

  test(`${way}, an endpoint of another origin gets nothing`, async () => {
    await using other = await startSseLegacyServer();
    for (const endpoint of ['http://evil.invalid/x', `${other.origin}/mcp/messages`]) {
      await using server = await startSseLegacyServer({ endpoint, bearer: env.KEY });
      const run = await runUsher(['tools', 's1'], {
        config: { servers: [{ name: 's1', url: server.url, auth, ...setting }] },
        env,
      });
      expect([run.code, run.stdout]).toEqual([4, '']);
      expect(run.stderr).toContain(endpoint);
      expect(run.stderr).toContain(server.origin);
      expect(run.stderr).not.toContain(env.KEY);
    }
    expect(other.requests).toEqual([]);
  });
}

test('a token goes with the stream and the messages', async () => {
  await using server = await startSseLegacyServer({ bearer: env.KEY });
  const run = await runUsher(['call', 's1', 'echo', 'text=hi'], {
    config: {
      servers: [{ name: 's1', url: server.url, transport: 'sse', auth, permissions: 'auto' }],
    },
    env,
  });
  expect(run.code).toBe(0);
  expect(new Set(server.requests.map((one) => one.headers['authorization']))).toEqual(
    new Set([`Bearer ${env.KEY}`]),
  );
});

test('a bare URL that speaks only legacy SSE is listed, with one warning', async () => {
  await using server = await startSseLegacyServer({
    postOnStream: { status: 404, headers: { 'content-type': 'text/html' }, body: '<p>no' },
  });
  const run = await runUsher(['tools', server.url]);
  expect(run.code).toBe(0);
  expect(run.stdout).toContain('echo');
  expect(run.stderr.match(/transport: sse/g)).toHaveLength(1);
});

test('a stream that ends in the middle of a call fails it at once, outcome unknown', async () => {
  await using server = await startSseLegacyServer({ streamAt: { 'tools/call': 'end' } });
  const run = await runUsher(['call', 's1', 'echo', 'text=hi'], {
    config: {
      servers: [{ name: 's1', url: server.url, transport: 'sse', permissions: 'auto' }],
    },
  });
  expect([run.code, run.stdout]).toEqual([9, '']);
  expect(run.ms).toBeLessThan(5000);
});
