import { describe, expect, test } from 'bun:test';
import { SESSION_GONE, startMcpServer } from '../fixtures/servers/http.ts';
import { runScripted } from '../helpers/scripted-run.ts';

const call = (text: string) => ({
  toolCalls: [{ name: 's1_echo', arguments: JSON.stringify({ text }) }],
});

describe('a session that the server has forgotten', () => {
  // POSTs after initialize: initialized, list, first call, second call.
  test.each([
    ['between the list and the first call', 3],
    ['between two calls of one run', 4],
  ])('%s is replaced once and the call is sent again', async (_name, expireAt) => {
    await using server = await startMcpServer({ sessions: true, expireAt });
    const run = await runScripted({
      servers: [{ name: 's1', url: server.url }],
      steps: [call('one'), call('two'), { text: 'last: {{result}}' }],
    });
    expect([run.code, run.stdout.trim()]).toEqual([0, 'last: {"text":"two"}']);
    const initializes = server.requests.filter((one) => one.method === 'initialize');
    expect(initializes.map((one) => one.headers['mcp-session-id'])).toEqual([undefined, undefined]);
    const renewed = server.requests.filter((one) => one.headers['mcp-session-id'] === 's2');
    expect(renewed[0]?.method).toBe('notifications/initialized');
    const answered = server.requests.filter((one) => one.method === 'tools/call');
    expect(answered.map((one) => one.status).sort()).toEqual([200, 200, 404]);
    expect(run.stderr).not.toContain('404');
  });

  test('and forgets the new one as well ends in one error that names the server', async () => {
    await using server = await startMcpServer({
      sessions: true,
      instead: { 'tools/call': SESSION_GONE },
    });
    const run = await runScripted({
      servers: [{ name: 's1', url: server.url }],
      steps: [call('one'), { text: 'model saw: {{result}}' }],
    });
    expect(run.code).toBe(0);
    expect(run.stdout).toContain('s1');
    expect(server.methods().filter((name) => name === 'tools/call')).toHaveLength(2);
    expect(server.methods().filter((name) => name === 'initialize')).toHaveLength(2);
  });
});
