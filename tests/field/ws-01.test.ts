import { describe, expect, test } from 'bun:test';
import { tool } from '../fixtures/servers/script.ts';
import { startWebSocketServer, type WebSocketScript } from '../fixtures/servers/websocket.ts';
import { callThenAnswer, runScripted, toolTexts } from '../helpers/scripted-run.ts';
import { runUsher } from '../helpers/usher.ts';

const KEY = 'canary-of-the-key';
const demands = { authorization: `Bearer ${KEY}`, 'x-team': 'docs' };
const entry = (url: string, more: object = {}) => ({ name: 's1', url, transport: 'ws', ...more });

describe('the upgrade', () => {
  test('carries the token and the headers', async () => {
    await using server = await startWebSocketServer({ demands });
    const more = { auth: { type: 'bearer', tokenEnv: 'KEY' }, headers: { 'X-Team': 'docs' } };
    const run = await runUsher(['tools', 's1'], {
      config: { servers: [entry(server.url, more)] },
      env: { KEY },
    });
    expect(run.code).toBe(0);
    expect(run.stdout).toContain('echo');
    expect(run.stdout + run.stderr).not.toContain(KEY);
  });

  test('refused for want of them shows status and body', async () => {
    await using server = await startWebSocketServer({ demands });
    const run = await runUsher(['tools', 's1'], { config: { servers: [entry(server.url)] } });
    expect([run.code, run.stdout]).toEqual([6, '']);
    expect(run.stderr).toContain('401');
    expect(run.stderr).toContain('authorization is missing or wrong');
  });

  test.each([
    [500, 4],
    [404, 4],
    [403, 6],
  ])('refused with %p shows it', async (status, code) => {
    const refuse = { status, body: 'the very reason' };
    await using server = await startWebSocketServer({ refuse });
    const run = await runUsher(['tools', 's1'], { config: { servers: [entry(server.url)] } });
    expect([run.code, run.stdout]).toEqual([code, '']);
    expect(run.stderr).toContain(String(status));
    expect(run.stderr).toContain('the very reason');
  });

  test.each(['demand', 'choose', 'omit'] as const)(
    'works with a server that would %s the subprotocol',
    async (subprotocol) => {
      await using server = await startWebSocketServer({ subprotocol });
      const run = await runUsher(['tools', server.url]);
      expect(run.code).toBe(0);
      expect(server.upgrades[0]?.['sec-websocket-protocol']).toBe('mcp');
    },
  );

  test('never completed ends by the start-up limit', async () => {
    await using server = await startWebSocketServer({ refuse: 'hang' });
    const run = await runUsher(['tools', 's1'], {
      config: { servers: [entry(server.url, { timeout: { connect: '500ms' } })] },
    });
    expect([run.code, run.stdout]).toEqual([4, '']);
    expect(run.ms).toBeLessThan(3000);
    expect(run.stderr).toContain('timeout.connect');
  });
});

describe('a close in the middle of a call', () => {
  test.each([
    { code: 1000, reason: 'maintenance' },
    { code: 1011, reason: 'out of memory' },
  ])('with %j is told with both, and the next call connects once', async (how) => {
    const script: WebSocketScript = { closeAt: { 'tools/call': how }, closeOnce: true };
    await using server = await startWebSocketServer(script);
    const run = await runScripted({
      servers: [entry(server.url)],
      steps: [
        { toolCalls: [{ name: 's1_echo', arguments: '{"text":"lost"}' }] },
        { toolCalls: [{ name: 's1_echo', arguments: '{"text":"found"}' }] },
        { text: 'done' },
      ],
    });
    const [lost = '', found = ''] = toolTexts(run.requests);
    expect(lost).toContain(String(how.code));
    expect(lost).toContain(how.reason);
    expect(found).toContain('{"text":"found"}');
    expect(server.methods().filter((method) => method === 'initialize')).toHaveLength(2);
    expect(run.ms).toBeLessThan(8000);
  });

  test('without a close frame (1006) leaves the outcome unknown at once', async () => {
    await using server = await startWebSocketServer({ closeAt: { 'tools/call': 'reset' } });
    const run = await runUsher(['call', server.url, 'echo', 'text=x']);
    expect([run.code, run.stdout]).toEqual([9, '']);
    expect(run.stderr).toContain('1006');
    expect(run.ms).toBeLessThan(5000);
  });
});

describe('frames', () => {
  test.each(['binary', 'fragments', 'joined', 'lines'] as const)(
    'in the form %p are understood',
    async (form) => {
      await using server = await startWebSocketServer({ form });
      const run = await runScripted({
        servers: [entry(server.url)],
        steps: callThenAnswer(['s1_echo', { text: 'grün' }]),
      });
      expect([run.code, run.stdout.trim()]).toEqual([0, '{"text":"grün"}']);
    },
  );

  test('of 5 MB arrive whole', async () => {
    const does = { big: { length: 5_000_000, pattern: 'abcdefghij' } };
    const object = { type: 'object', properties: {} };
    await using server = await startWebSocketServer({
      tools: [tool('big', 'big', object, { does })],
    });
    const run = await runUsher(['call', server.url, 'big', '--json']);
    expect(run.code).toBe(0);
    expect(run.stdout.length).toBeGreaterThan(5_000_000);
  });
});

test('pings of the server are answered while a call runs', async () => {
  const object = { type: 'object', properties: {} };
  const does = { afterMs: 1000, result: { content: [{ type: 'text', text: 'late' }] } };
  await using server = await startWebSocketServer({
    pingEveryMs: 50,
    tools: [tool('slow', 'slow', object, { does })],
  });
  const run = await runUsher(['call', server.url, 'slow']);
  expect([run.code, run.stdout.trim()]).toEqual([0, 'late']);
  expect(server.pongs()).toBeGreaterThan(5);
});

test('a web address with transport: ws is refused before anything is sent', async () => {
  await using server = await startWebSocketServer();
  const run = await runUsher(['tools', 's1'], {
    config: { servers: [entry(`http://127.0.0.1:${server.port}/mcp`)] },
  });
  expect(run.code).not.toBe(0);
  expect(run.stderr).toContain('wss://host/mcp');
  expect(server.upgrades).toEqual([]);
});
