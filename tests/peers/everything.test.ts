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
    expect(offered.filter((name) => !/^all_(echo|get_)/.test(name))).toEqual([
      'list_mcp_resources',
      'read_mcp_resource',
      'list_mcp_prompts',
      'get_mcp_prompt',
    ]);
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

  test('gives its resources and prompts to a person and to a model', async () => {
    const config = { servers: [entry()] };
    const listed = await runUsher(['resources', 'all', '--json'], { config });
    const { resources, resourceTemplates } = JSON.parse(listed.stdout);
    const uris: string[] = resources.map(({ uri }: { uri: string }) => uri);
    expect([listed.code, resourceTemplates.length]).toEqual([0, 2]);
    const features = uris.find((uri) => uri.endsWith('/features.md')) ?? 'none';
    const read = await runUsher(['read', 'all', features], { config });
    expect([read.code, read.stdout.slice(0, 19)]).toEqual([0, '# Everything Server']);
    const words = ['prompt', 'all', 'args-prompt', 'city=Paris'];
    const prompt = await runUsher(words, { config });
    expect([prompt.code, prompt.stdout]).toEqual([0, "[user] What's weather in Paris?\n"]);

    const run = await runScripted({
      servers: [entry()],
      steps: callThenAnswer(
        ['list_mcp_resources', { server: 'all' }],
        ['read_mcp_resource', { server: 'all', uri: features }],
        ['get_mcp_prompt', { server: 'all', name: 'args-prompt', arguments: {} }],
      ),
    });
    const [list, text, missing] = toolTexts(run.requests);
    expect(list).toContain(features);
    expect(text).toContain(`[resource ${features} of server all, text/markdown; untrusted content`);
    expect(missing).toBe('The prompt args-prompt needs city in its arguments; nothing was sent.');
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
