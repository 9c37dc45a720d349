import { afterEach, expect, test } from 'bun:test';
import { type CallbackListener, HOLD_MS, openCallback } from '../../src/auth/callback.ts';
import type { OAuthSettings } from '../../src/auth/types.ts';
import { ConfigError, FailedError } from '../../src/base/errors.ts';
import { scrubSecrets } from '../../src/base/redact.ts';
import { closedPort } from '../helpers/tcp.ts';
import { createManualClock } from '../mcp/manual-clock.ts';

const listeners: CallbackListener[] = [];
afterEach(async () => {
  await Promise.all(listeners.splice(0).map((one) => one.close()));
});

async function open(settings: OAuthSettings = {}, preferred?: string) {
  const clock = createManualClock();
  const listener = await openCallback(settings, preferred, clock);
  listeners.push(listener);
  const { port, host, origin } = new URL(listener.redirectUri);
  const get = (path: string, init?: RequestInit) => fetch(`${origin}${path}`, init);
  return { clock, listener, port: Number(port), host, origin, get };
}

const signal = () => new AbortController().signal;
const asObject = (params: URLSearchParams) => Object.fromEntries(params);

/** One request as it is on the wire; resolves with all that came until the server closed. */
function raw(port: number, text: string, hostname = '127.0.0.1'): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    Bun.connect({
      hostname,
      port,
      socket: {
        open: (socket) => void socket.write(text),
        data: (_socket, bytes) => {
          answer += bytes.toString();
        },
        close: () => resolve(answer),
      },
    }).catch(reject);
  });
}

test('an answer is taken and its browser is told how the exchange ended', async () => {
  const { listener, port } = await open();
  expect(listener.redirectUri).toBe(`http://127.0.0.1:${port}/callback`);
  const waiting = listener.wait('s1', signal());
  const browser = raw(
    port,
    `GET /callback?code=code-of-wire&state=s1&iss=i HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`,
  );
  expect(asObject(await waiting)).toEqual({ code: 'code-of-wire', state: 's1', iss: 'i' });
  listener.finish('signed in', 'server "x"');
  const [head = '', body = ''] = (await browser).split('\r\n\r\n');
  expect(
    head
      .split('\r\n')
      .filter((line) => !line.startsWith('Date: '))
      .sort(),
  ).toEqual([
    'Cache-Control: no-store',
    'Connection: close',
    `Content-Length: ${body.length}`,
    "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'",
    'Content-Type: text/html; charset=utf-8',
    'HTTP/1.1 200 OK',
    'Referrer-Policy: no-referrer',
    'X-Content-Type-Options: nosniff',
    'X-Frame-Options: DENY',
  ]);
  expect(body).toContain(
    '<h1>Signed in</h1><p>server &quot;x&quot;</p><p>You can close this window.</p>',
  );
  expect(scrubSecrets('code-of-wire')).toBe('***');
});

test('what a foreign server says is text, never markup', async () => {
  const { listener, get } = await open();
  const waiting = listener.wait('s1', signal());
  const browser = get('/callback?error=access_denied&state=s1');
  await waiting;
  listener.finish('refused', '<script src="//evil">\u202e&\'');
  const text = await (await browser).text();
  expect(text).toContain(
    '<h1>Not signed in</h1><p>&lt;script src=&quot;//evil&quot;&gt;\\u{202e}&amp;&#39;</p>',
  );
});

test('stray requests do not end the wait', async () => {
  const { listener, get } = await open();
  const waiting = listener.wait('s1', signal());
  const statuses = [];
  for (const [path, init] of [
    ['/favicon.ico', {}],
    ['/', {}],
    ['/callback', {}],
    ['/callback?state=other', {}],
    ['/callback/?code=c&state=s1', {}],
    ['/callback?code=c&state=s1', { method: 'HEAD' }],
    ['/callback?code=c&state=s1', { method: 'POST', body: 'x' }],
    ['/callback?code=c&state=s1', { headers: { 'sec-fetch-mode': 'no-cors' } }],
  ] as const) {
    statuses.push((await get(path, init)).status);
  }
  expect(statuses).toEqual([404, 404, 400, 400, 404, 200, 405, 403]);
  const browser = get('/callback?code=right&state=s1');
  expect((await waiting).get('code')).toBe('right');
  listener.finish('signed in', '');
  expect((await browser).status).toBe(200);
});

test.each([
  ['another state', '/callback?code=c&state=other'],
  ['no state', '/callback?error=server_error'],
  ['no code', '/callback?state=s1'],
])('an answer with %s is handed over to be judged', async (_name, path) => {
  const { listener, get, origin } = await open();
  const waiting = listener.wait('s1', signal());
  const browser = get(path);
  expect(await waiting).toEqual(new URL(path, origin).searchParams);
  listener.finish('refused', 'no');
  expect(await (await browser).text()).toContain('Not signed in');
});

test('an answer that comes twice is told so', async () => {
  const { listener, get } = await open();
  const waiting = listener.wait('s1', signal());
  const first = get('/callback?code=c&state=s1');
  await waiting;
  const second = await get('/callback?code=c&state=s1');
  expect([second.status, (await second.text()).includes('was used already')]).toEqual([409, true]);
  listener.finish('signed in', '');
  expect((await first).status).toBe(200);
});

test('nobody waits before the sign-in begins and after it was given up', async () => {
  const { listener, get } = await open();
  expect((await get('/callback?code=c&state=s1')).status).toBe(404);
  const stop = new AbortController();
  const waiting = listener.wait('s1', stop.signal);
  stop.abort(new Error('given up'));
  await expect(waiting).rejects.toThrow('given up');
  expect((await get('/callback?code=c&state=s1')).status).toBe(409);
});

test('foreign hosts and origins get nothing, whatever they ask for', async () => {
  const { listener, port } = await open();
  const waiting = listener.wait('s1', signal());
  const statusOf = async (headers: string) =>
    (await raw(port, `GET /callback?code=c&state=s1 HTTP/1.1\r\n${headers}\r\n\r\n`)).split(' ')[1];
  const own = `Host: 127.0.0.1:${port}`;
  const refused = [
    'Host: evil.example',
    `Host: evil.example:${port}`,
    `Host: [::1]:${port}`,
    `Host: localhost:${port}`,
    'Host: 127.0.0.1',
    `${own}\r\nHost: evil.example`,
    `${own}\r\nOrigin: http://evil.example`,
    `${own}\r\nOrigin: null`,
    `${own}\r\nOrigin: http://localhost:${port}`,
    `${own}\r\nOrigin: http://127.0.0.1:1`,
  ];
  const statuses = [];
  for (const headers of refused) statuses.push(await statusOf(headers));
  expect(statuses).toEqual(refused.map(() => '403'));
  const browser = statusOf(`${own}\r\nOrigin: http://127.0.0.1:${port}`);
  await waiting;
  listener.finish('signed in', '');
  expect(await browser).toBe('200');
});

test('a browser is sent to the terminal when nobody says within 10 s how it ended', async () => {
  const { listener, clock, get } = await open();
  const waiting = listener.wait('s1', signal());
  const browser = get('/callback?code=c&state=s1');
  await waiting;
  await clock.advance(HOLD_MS);
  expect(await (await browser).text()).toContain('<h1>Go back to the terminal</h1>');
  expect(clock.waiting).toBe(0);
});

test('closing answers the browser that waits, rejects the wait and frees the port', async () => {
  const { listener, clock, get, port } = await open();
  const waiting = listener.wait('s1', signal());
  const browser = get('/callback?code=c&state=s1');
  await waiting;
  const next = listener.wait('s2', signal()).catch((error: unknown) => error);
  await Promise.all([listener.close(), listener.close()]);
  expect(await (await browser).text()).toContain('Go back to the terminal');
  expect(await next).toEqual(new FailedError('the sign-in was ended'));
  expect(clock.waiting).toBe(0);
  const again = await open({ callbackPort: port });
  expect(again.port).toBe(port);
});

test('a connection that never asks anything does not keep it from closing', async () => {
  const { listener, port } = await open();
  const opened = Promise.withResolvers<void>();
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: { open: () => opened.resolve(), data: () => undefined },
  });
  await opened.promise;
  await listener.close();
  socket.end();
  await expect(raw(port, '')).rejects.toThrow();
});

test('the port of an earlier registration is used again while it is free', async () => {
  const preferred = `http://127.0.0.1:${closedPort()}/callback`;
  const first = await open({}, preferred);
  expect(first.listener.redirectUri).toBe(preferred);
  const second = await open({}, preferred);
  expect(second.listener.redirectUri).not.toBe(preferred);
  const settings = { callbackPort: closedPort() };
  expect((await open(settings, preferred)).port).toBe(settings.callbackPort);
});

test('a configured port that is taken is named', async () => {
  const { port } = await open();
  await expect(
    openCallback({ callbackPort: port }, undefined, createManualClock()),
  ).rejects.toThrow(new FailedError(`port ${port} of the callback is taken by another program`));
});

test('a configured callbackUrl is sent as it is and listened to on its loopback address', async () => {
  const port = closedPort();
  const callbackUrl = `http://LocalHost:${port}/done?tenant=1`;
  const { listener } = await open({ callbackUrl });
  expect(listener.redirectUri).toBe(callbackUrl);
  const waiting = listener.wait('s1', signal());
  const browser = raw(
    port,
    `GET /done?tenant=1&code=c&state=s1 HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`,
  );
  expect(asObject(await waiting)).toEqual({ tenant: '1', code: 'c', state: 's1' });
  listener.finish('signed in', '');
  expect(await browser).toStartWith('HTTP/1.1 200 OK');
});

test.each([
  ['https://localhost:8765/cb', 'must be http'],
  ['http://0.0.0.0:8765/cb', 'has a host that is not this machine'],
  ['http://192.168.1.4:8765/cb', 'has a host that is not this machine'],
  ['http://localhost.evil.example:8765/cb', 'has a host that is not this machine'],
  ['http://me@localhost:8765/cb', 'holds a user name'],
  ['http://localhost:8765/cb#x', 'holds a fragment'],
  ['http://localhost:0/cb', 'needs a port'],
  ['localhost', 'is no URL'],
])('callbackUrl %s is refused', async (callbackUrl, why) => {
  await expect(openCallback({ callbackUrl }, undefined, createManualClock())).rejects.toThrow(
    new ConfigError(`callbackUrl "${callbackUrl}" ${why}`),
  );
});
