/** Networks as they are: proxies, certificates, redirects, IPv6, on the binary. */
import { describe, expect, test } from 'bun:test';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { startModelServer } from '../fixtures/models/server.ts';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { closedPort } from '../helpers/tcp.ts';
import { runUsher, type UsherOptions } from '../helpers/usher.ts';

const TLS = join(import.meta.dir, '../fixtures/tls');
const pem = (name: string) => Bun.file(join(TLS, name)).text();

/** An MCP server behind TLS; the certificate is for localhost, by the issuer in ca.pem. */
async function startSecure() {
  const inner = await startMcpServer();
  const outer = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    tls: { cert: await pem('good.pem'), key: await pem('good.key') },
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const { method, headers } = request;
      const body = method === 'POST' ? { body: await request.text() } : {};
      return fetch(`http://127.0.0.1:${inner.port}${pathname}`, { method, headers, ...body });
    },
  });
  return {
    url: `https://localhost:${outer.port}/mcp`,
    requests: inner.requests,
    async [Symbol.asyncDispose]() {
      await outer.stop(true);
      await inner.close();
    },
  };
}

const RESULTS: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'socket', version: '1' },
  },
  'tools/list': { tools: [{ name: 'one', inputSchema: { type: 'object' } }] },
};

/** A proxy that opens tunnels, whatever the name asked for, to this port. */
async function startTunnel(port: number) {
  const asked: string[] = [];
  const server = createServer((socket) => {
    socket.once('data', (bytes) => {
      asked.push(bytes.toString('latin1'));
      const onward = connect(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.pipe(onward).pipe(socket);
      });
      for (const one of [socket, onward]) one.on('error', () => one.destroy());
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    asked,
    port: typeof address === 'object' && address !== null ? address.port : 0,
    async [Symbol.asyncDispose]() {
      server.close();
    },
  };
}

function tools(server: object, options: UsherOptions = {}) {
  return runUsher(['tools', 's', '--json'], {
    config: { servers: [{ name: 's', timeout: { connect: '5s' }, ...server }] },
    ...options,
  });
}

describe('certificates', () => {
  test('an issuer in a file beside the config is trusted', async () => {
    await using server = await startSecure();
    const run = await tools({ url: server.url, tls: { ca: join(TLS, 'ca.pem') } });
    expect([run.code, JSON.parse(run.stdout).tools.length > 3]).toEqual([0, true]);
  });

  test('without it the refusal says why, and names the key that helps', async () => {
    await using server = await startSecure();
    const run = await tools({ url: server.url });
    expect([run.code, run.stdout]).toEqual([4, '']);
    expect(run.stderr).toContain('its certificate is from an issuer not known here');
    expect(run.stderr).toContain('tls: { ca: FILE }');
    expect(server.requests).toEqual([]);
  });

  test('a file that is missing skips the server with its line', async () => {
    const run = await tools({ url: 'https://localhost:9/', tls: { ca: 'missing.pem' } });
    expect(run.code).toBe(3);
    expect(run.stderr).toMatch(
      /config\.yaml:\d+:\d+ servers\.s\.tls\.ca: .*missing\.pem does not exist/,
    );
  });

  test('a WebSocket keeps to the same files', async () => {
    using server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      tls: { cert: await pem('good.pem'), key: await pem('good.key') },
      fetch: (request, own) =>
        own.upgrade(request, { headers: { 'sec-websocket-protocol': 'mcp' } })
          ? undefined
          : new Response('no upgrade', { status: 400 }),
      websocket: {
        message(socket, text) {
          const message = JSON.parse(String(text));
          const result = RESULTS[message.method];
          if (message.id === undefined) return;
          const error = { code: -32601, message: 'Method not found' };
          const answer = result === undefined ? { error } : { result };
          socket.send(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...answer }));
        },
      },
    });
    const entry = { url: `wss://localhost:${server.port}/mcp`, transport: 'ws' };
    const trusted = await tools({ ...entry, tls: { ca: join(TLS, 'ca.pem') } });
    expect([trusted.code, JSON.parse(trusted.stdout).tools.length]).toEqual([0, 1]);
    const refused = await tools(entry);
    expect([refused.code, refused.stdout]).toEqual([4, '']);
  });

  test('a damaged one is named before anything is sent', async () => {
    await using server = await startSecure();
    const tls = {
      ca: join(TLS, 'ca.pem'),
      cert: join(TLS, 'good.pem'),
      key: join(TLS, 'other.key'),
    };
    const run = await tools({ url: server.url, tls });
    expect(run.stderr).toContain('other.key is not the key of');
    expect([run.code > 0, server.requests]).toEqual([true, []]);
  });
});

describe('proxies', () => {
  test('HTTPS goes through a tunnel, with the certificate checked at its end', async () => {
    await using server = await startSecure();
    await using tunnel = await startTunnel(Number(new URL(server.url).port));
    const run = await tools(
      { url: 'https://localhost.localdomain.example/mcp', tls: { ca: join(TLS, 'ca.pem') } },
      { env: { HTTPS_PROXY: `http://me:canary-word@127.0.0.1:${tunnel.port}` } },
    );
    expect(tunnel.asked[0]).toStartWith('CONNECT localhost.localdomain.example:443 HTTP/1.1\r\n');
    // The name is another than the certificate's.
    expect(run.stderr).toContain('its certificate is for another host');
    expect(run.stderr).toContain(
      `through the proxy http://127.0.0.1:${tunnel.port} of HTTPS_PROXY`,
    );
    expect(run.stdout + run.stderr).not.toContain('canary-word');
  });

  test("a server's own proxy is used for loopback as well, whatever NO_PROXY says", async () => {
    await using server = await startSecure();
    await using tunnel = await startTunnel(Number(new URL(server.url).port));
    const run = await tools(
      {
        url: server.url,
        proxy: `http://127.0.0.1:${tunnel.port}`,
        tls: { ca: join(TLS, 'ca.pem') },
      },
      { env: { NO_PROXY: '*' } },
    );
    expect([run.code, tunnel.asked.length > 0]).toEqual([0, true]);
  });

  test('one that is down is named, with what goes past it', async () => {
    const address = `http://127.0.0.1:${closedPort()}`;
    const env = { HTTPS_PROXY: address };
    const server = { url: 'https://mcp.example/mcp', timeout: { connect: '3s' } };
    const run = await tools(server, { env });
    expect(run.code).toBe(4);
    expect(run.stderr).toContain(
      `connection refused (through the proxy ${address} of HTTPS_PROXY)`,
    );
    expect(run.stderr).toContain('NO_PROXY=mcp.example goes past the proxy');
    const past = await tools({ ...server, proxy: 'none' }, { env });
    expect([past.code, past.stderr.includes('proxy')]).toEqual([4, false]);
  });

  test('models go through it, and loopback models do not', async () => {
    const model = await startModelServer({
      format: 'openai',
      script: { steps: [{ text: 'by way of a proxy' }], after: 'repeat' },
    });
    const proxy = model.baseUrl.replace(/\/v1$/, '');
    const ask = (baseUrl: string, env: Readonly<Record<string, string>>) =>
      runUsher(['-p', 'go'], {
        config: {
          model: { provider: 'openai-compatible', name: 'm', baseUrl, allowPrivate: true },
          servers: [],
        },
        env,
      });
    const far = await ask('http://10.255.255.1/v1', { HTTP_PROXY: proxy });
    const near = await ask(model.baseUrl, { HTTP_PROXY: `http://127.0.0.1:${closedPort()}` });
    await model.close();
    expect([far.stdout, near.stdout]).toEqual(['by way of a proxy\n', 'by way of a proxy\n']);
  });
});

describe('addresses', () => {
  test('IPv6 is an address as any other, in a config and bare', async () => {
    const inner = await startMcpServer();
    using outer = Bun.serve({
      port: 0,
      hostname: '::1',
      fetch: async (request) =>
        fetch(`http://127.0.0.1:${inner.port}/mcp`, {
          method: request.method,
          headers: request.headers,
          ...(request.method === 'POST' ? { body: await request.text() } : {}),
        }),
    });
    const url = `http://[::1]:${outer.port}/mcp`;
    const runs = [await tools({ url }), await runUsher(['tools', url, '--json'])];
    await inner.close();
    expect(runs.map(({ code, stdout }) => [code, JSON.parse(stdout).tools.length > 3])).toEqual([
      [0, true],
      [0, true],
    ]);
  });

  test('R18: a redirect within the origin is followed, unless the entry refuses', async () => {
    const to = { status: 307, headers: { location: '/mcp' } };
    await using server = await startMcpServer({ paths: { '/old': to } });
    const url = server.url.replace('/mcp', '/old');
    expect((await tools({ url })).code).toBe(0);
    const refused = await tools({ url, redirects: 'refuse' });
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain('redirects (307) to /mcp; this is not followed');
  });

  test('R19: strictUrl refuses a query', async () => {
    const run = await tools({ url: 'https://mcp.example/mcp?tenant=a', strictUrl: true });
    expect(run.code).toBe(3);
    expect(run.stderr).toContain('a query string is not allowed with strictUrl: true');
  });
});
