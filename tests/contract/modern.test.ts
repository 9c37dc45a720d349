/** What a connection promises with a 2026-07-28 server, whatever its messages travel on and whoever wrote it. */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { ServerEndpoint } from '../../src/config/types.ts';
import type { Connection } from '../../src/mcp/types.ts';
import type { ToolProgress } from '../../src/tools/types.ts';
import { startModernSdk } from '../fixtures/servers/modern-sdk.ts';
import { callTool, failureOf, httpEndpoint, never, open, stdioEndpoint } from '../mcp/rig.ts';

interface Peer extends AsyncDisposable {
  readonly endpoint: ServerEndpoint;
}

const script = join(import.meta.dir, '../fixtures/servers/modern-stdio.ts');

function overHttp(legacy?: 'reject'): Peer {
  const server = startModernSdk(legacy === undefined ? {} : { legacy });
  return {
    endpoint: httpEndpoint(server.url),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function overStdio(...args: readonly string[]): Peer {
  return {
    endpoint: stdioEndpoint(process.execPath, [script, ...args]),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

const PEERS: Readonly<Record<string, () => Peer>> = {
  'HTTP, both generations': () => overHttp(),
  'HTTP, the new one alone': () => overHttp('reject'),
  'stdio, both generations': () => overStdio(),
  'stdio, the new one alone': () => overStdio('reject'),
};
const asked: unknown[] = [];
const ports = {
  serverRequests: new Map([
    [
      'elicitation/create',
      async (server: string, params: unknown) => {
        asked.push([server, params]);
        return { action: 'accept', content: { ok: true } };
      },
    ],
  ]),
  clientCapabilities: { roots: {}, elicitation: { form: {} } },
};
const textOf = async (call: ReturnType<typeof callTool>) => (await call).content[0]?.['text'];

describe.each(Object.entries(PEERS))('over %s', (_name, start) => {
  async function meet(peer: Peer, protocol: 'auto' | '2026-07-28' = 'auto') {
    const connection = open(peer.endpoint, ports, { protocol });
    await connection.connect(never);
    return connection;
  }
  const names = (connection: Connection) => connection.status().tools.map(({ name }) => name);

  test.each(['auto', '2026-07-28'] as const)(
    'with protocol %s it is met as modern',
    async (pin) => {
      await using peer = start();
      await using connection = await meet(peer, pin);
      const { state, era, protocolVersion, serverInfo, instructions, capabilities } =
        connection.status();
      expect({ state, era, protocolVersion, serverInfo, instructions, capabilities }).toEqual({
        state: 'ready',
        era: 'modern',
        protocolVersion: '2026-07-28',
        serverInfo: { name: 'modern', version: '2.0.0' },
        instructions: 'be modern',
        capabilities: { tools: { listChanged: true } },
      });
      expect(names(connection)).toEqual(['echo', 'region', 'slow', 'ask']);
    },
  );

  test('calls give results, refusals their reason', async () => {
    await using peer = start();
    await using connection = await meet(peer);
    expect(await textOf(callTool(connection, 'echo', { text: 'hi 🙂' }))).toBe('hi 🙂');
    expect((await failureOf(callTool(connection, 'nope'))).message).toContain('nope');
  });

  test('marked arguments arrive, as headers where there are headers', async () => {
    await using peer = start();
    await using connection = await meet(peer);
    const header = peer.endpoint.kind === 'http' ? '=?base64?IG9zdCA=?=' : 'undefined';
    expect(await textOf(callTool(connection, 'region', { region: ' ost ' }))).toBe(
      ` ost  ${header}`,
    );
  });

  test('a question in a call is answered and the call goes on', async () => {
    await using peer = start();
    await using connection = await meet(peer);
    asked.length = 0;
    expect(await textOf(callTool(connection, 'ask'))).toBe('true  st/äte=+"\\u0000 ');
    expect(asked).toHaveLength(1);
  });

  test('progress comes, and an abandoned call leaves the connection usable', async () => {
    await using peer = start();
    await using connection = await meet(peer);
    const control = new AbortController();
    const seen: ToolProgress[] = [];
    const failing = failureOf(
      callTool(
        connection,
        'slow',
        {},
        {
          signal: control.signal,
          onProgress: (progress) => {
            seen.push(progress);
            control.abort(new Error('enough'));
          },
        },
      ),
    );
    expect([(await failing).message, seen]).toEqual([
      'enough',
      [{ progress: 1, total: 2, message: 'half' }],
    ]);
    expect(await textOf(callTool(connection, 'echo', { text: 'on' }))).toBe('on');
  });
});
