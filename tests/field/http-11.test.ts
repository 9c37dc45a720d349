import { describe, expect, test } from 'bun:test';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { callThenAnswer, runScripted } from '../helpers/scripted-run.ts';
import { startTcp } from '../helpers/tcp.ts';
import { runUsher } from '../helpers/usher.ts';

const BAD_GATEWAY =
  'HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/plain\r\nContent-Length: 11\r\n\r\nproxy error';
const NO_PROXY = [undefined, 'example.org', '127.0.0.0/8', '127.*', 'localhost'];

describe('with a proxy in the environment', () => {
  test('tool servers and models on loopback are reached directly', async () => {
    await using proxy = startTcp(BAD_GATEWAY);
    await using server = await startMcpServer();
    const address = `http://127.0.0.1:${proxy.port}`;
    const cases = ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY'].flatMap((name) =>
      NO_PROXY.flatMap((exceptions) =>
        ['127.0.0.1', 'localhost'].map((host) => ({ name, exceptions, host })),
      ),
    );
    const runs = await Promise.all(
      cases.map(async ({ name, exceptions, host }) => {
        const run = await runScripted({
          servers: [{ name: 's1', url: `http://${host}:${server.port}/mcp` }],
          steps: callThenAnswer(['s1_echo', { text: 'hi' }]),
          env: { [name]: address, ...(exceptions === undefined ? {} : { NO_PROXY: exceptions }) },
          timeoutMs: 30_000,
        });
        return { name, exceptions, host, code: run.code, stdout: run.stdout.trim() };
      }),
    );
    expect(runs).toEqual(cases.map((one) => ({ ...one, code: 0, stdout: '{"text":"hi"}' })));
    expect(proxy.received()).toEqual([]);
  }, 40_000);

  test('other targets go through it, and its credentials show up nowhere', async () => {
    await using proxy = startTcp(BAD_GATEWAY);
    const run = await runUsher(['tools', 's1', '--verbose'], {
      config: {
        servers: [
          {
            name: 's1',
            url: 'http://10.255.255.1:9/mcp',
            allowPrivate: true,
            timeout: { connect: '5s' },
          },
        ],
      },
      env: { HTTP_PROXY: `http://someone:canary-of-the-proxy@127.0.0.1:${proxy.port}` },
    });
    expect(proxy.received()[0]).toContain('10.255.255.1:9');
    expect(run.code).toBe(4);
    expect(run.stderr).toContain('502');
    expect(run.stdout + run.stderr).not.toContain('canary-of-the-proxy');
  });
});
