import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { peerCommand, type RunningPeer, startHttpPeer } from '../helpers/peer.ts';
import { callThenAnswer, offeredTools, runScripted, toolTexts } from '../helpers/scripted-run.ts';
import { closedPort } from '../helpers/tcp.ts';
import { runUsher } from '../helpers/usher.ts';

let peer: RunningPeer;
beforeAll(async () => {
  peer = await startHttpPeer('everything', ['streamableHttp'], closedPort());
});
afterAll(async () => peer[Symbol.asyncDispose]());

const overStdio = () => ({ name: 'all', ...peerCommand('everything', 'stdio') });
const overHttp = () => ({ name: 'all', url: peer.url });

describe.each([
  ['stdio', overStdio],
  ['Streamable HTTP', overHttp],
])('server-everything over %s', (_transport, entry) => {
  test('is listed with its schemas as they are', async () => {
    const run = await runUsher(['tools', '--json'], { config: { servers: [entry()] } });
    expect(run.code).toBe(0);
    const { tools } = JSON.parse(run.stdout);
    const names: string[] = tools.map((tool: { name: string }) => tool.name);
    expect(names).toContain('echo');
    expect(names.length).toBeGreaterThan(8);
    const echo = tools.find((tool: { name: string }) => tool.name === 'echo');
    expect([echo.publicName, echo.inputSchema.required]).toEqual(['all_echo', ['message']]);
  });

  test('shows only what the allowlist names, and what it names wrongly', async () => {
    const tools = ['echo', 'get-*', '!get-env', 'ecko'];
    const run = await runScripted({ servers: [{ ...entry(), tools }], steps: [{ text: 'ok' }] });
    expect(run.code).toBe(0);
    const offered = offeredTools(run.requests);
    expect(offered).toContain('all_echo');
    expect(offered).toContain('all_get_sum');
    expect(offered.filter((name) => !/^all_(echo|get_)/.test(name))).toEqual([]);
    expect(offered).not.toContain('all_get_env');
    expect(run.stderr).toContain('ecko');
  });

  test('answers a call of the model, one of a script, and progress', async () => {
    const run = await runScripted({
      servers: [entry()],
      steps: callThenAnswer(
        ['all_echo', { message: 'over here' }],
        ['all_trigger_long_running_operation', { duration: 0.4, steps: 4 }],
        ['all_get_tiny_image', {}],
      ),
    });
    expect(run.code).toBe(0);
    const [echo, long, image] = toolTexts(run.requests);
    expect(echo).toBe('Echo: over here');
    expect(long).toContain('Long running operation completed');
    expect(image).toContain('image/png');

    const call = await runUsher(['call', 'all', 'get-sum', 'a=2', 'b=3'], {
      config: { servers: [entry()] },
    });
    expect([call.code, call.stdout]).toEqual([0, 'The sum of 2 and 3 is 5.\n']);
  });

  test('is not called where nobody may allow it', async () => {
    const run = await runScripted({
      servers: [entry()],
      mcp: { permissions: 'ask' },
      steps: callThenAnswer(['all_echo', { message: 'no' }]),
    });
    expect(run.code).toBe(5);
    expect(run.stdout).not.toContain('Echo: no');
    const denied = await runUsher(['call', 'all', 'echo', 'message=no'], {
      config: { servers: [{ ...entry(), toolPermissions: { echo: 'deny' } }] },
    });
    expect([denied.code, denied.stdout]).toEqual([5, '']);
  });
});
