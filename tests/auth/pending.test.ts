import { expect, test } from 'bun:test';
import {
  chmodSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import {
  dropPending,
  finishPending,
  PENDING_MS,
  pendingRedirectUri,
  startPending,
} from '../../src/auth/pending.ts';
import { AuthError, ConfigError, FailedError } from '../../src/base/errors.ts';
import { scrubSecrets } from '../../src/base/redact.ts';
import { newFolder } from '../helpers/places.ts';
import { closedPort } from '../helpers/tcp.ts';
import { createManualClock } from '../mcp/manual-clock.ts';

const issuer = 'https://as.example';
const subject = {
  label: 'server "x"',
  command: 'usher mcp login x',
  key: 'https://x.example/mcp',
  url: 'https://x.example/mcp',
  settings: {},
};
const request = {
  subject,
  client: { clientId: 'c', clientSecret: 'client-secret-0815', method: 'none', kind: 'dcr' },
  scope: 'a b',
  redirectUri: 'http://127.0.0.1:4711/callback',
  dpopJkt: 'jkt',
  dpopKey: { kty: 'EC' },
  discovery: {
    resource: 'https://x.example/mcp',
    resourceScopes: undefined,
    isLegacy: false,
    metadata: {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      code_challenge_methods_supported: ['S256'],
    },
  },
} as const;

function begin() {
  const stateDir = newFolder();
  const ports = { clock: createManualClock(), stateDir };
  const started = startPending(request, ports);
  const state = new URL(started.url).searchParams.get('state') ?? '';
  const folder = join(stateDir, 'logins');
  const files = () => readdirSync(folder);
  const finish = (text: string) => finishPending(subject, text, ports);
  return { ...started, state, ports, files, finish, path: join(folder, files()[0] ?? '') };
}

/** What an error says, as a person sees it. */
function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof AuthError) && !(error instanceof FailedError)) throw error;
    return [error.code, error.message, error.hint];
  }
}

const none = ['auth', 'server "x": no sign-in waits for a code', 'usher mcp login x --print-url'];

test('the second command gets all that the first one knew, once', () => {
  const { url, lines, state, files, finish, path } = begin();
  expect(lines).toEqual([
    'open the address in a browser, on any machine, and sign in to server "x"',
    'the browser ends with an error page, because nothing answers at http://127.0.0.1:4711/callback: that is right',
    'copy the whole address of that page and hand it over within 10 minutes, on stdin:',
    'usher mcp login x --code -',
  ]);
  expect(scrubSecrets(url)).toBe(url);
  const kept: unknown = JSON.parse(readFileSync(path, 'utf8'));
  expect([statSync(path).mode & 0o777, statSync(join(path, '..')).mode & 0o777]).toEqual([
    0o600, 0o700,
  ]);
  const answer = finish(`<http://127.0.0.1:4711/callback?code=c-pending&state=${state}>\n`);
  expect({
    ...answer,
    code: { ...answer.code, params: Object.fromEntries(answer.code.params) },
  }).toEqual({
    code: {
      params: { code: 'c-pending', state },
      verifier: expect.stringMatching(/^[\w-]{43}$/),
      redirectUri: request.redirectUri,
    },
    discovery: request.discovery,
    client: request.client,
    scope: 'a b',
    dpopKey: { kty: 'EC' },
    putBack: expect.any(Function),
  });
  expect(kept).toMatchObject({ verifier: answer.code.verifier });
  expect(scrubSecrets(`${state} ${answer.code.verifier} client-secret-0815`)).toBe('*** *** ***');
  expect(files()).toEqual([]);
  expect(thrownBy(() => finish('c-pending'))).toEqual(none);
});

test('a bare code will do', () => {
  const { finish } = begin();
  expect(Object.fromEntries(finish(' bare-pending \n').code.params)).toEqual({
    code: 'bare-pending',
  });
});

test.each([
  ['nothing', '', 'nothing was pasted', 'usher mcp login x --code -'],
  [
    'the answer of another sign-in',
    'http://127.0.0.1/?code=c-other&state=other',
    'the answer holds another `state`: it belongs to another sign-in',
    'usher mcp login x',
  ],
  [
    'the answer of another server',
    'http://127.0.0.1/?code=c-other&state=other&iss=https://other.example',
    'the answer comes from https://other.example, not from https://as.example',
    'usher mcp login x',
  ],
])('%s leaves it for the right answer', (_name, text, why, hint) => {
  const { finish, state } = begin();
  expect(thrownBy(() => finish(text))).toEqual(['auth', `server "x": ${why}`, hint]);
  expect(finish(`?code=c-right&state=${state}`).code.params.get('code')).toBe('c-right');
});

test.each([
  ['error=access_denied', 'the sign-in was refused (access_denied)'],
  [
    'code=c-wrong&iss=https://evil.example',
    'the answer comes from https://evil.example, not from https://as.example',
  ],
])('an answer that is bad uses it up: %s', (answer, why) => {
  const { finish, state, files } = begin();
  const message = `server "x": ${why}`;
  expect(thrownBy(() => finish(`?${answer}&state=${state}`))).toEqual([
    'auth',
    message,
    'usher mcp login x',
  ]);
  expect(files()).toEqual([]);
});

test('it counts for 10 minutes', async () => {
  const [early, late] = [begin(), begin()];
  await early.ports.clock.advance(PENDING_MS);
  expect(early.finish('c-early').code.params.get('code')).toBe('c-early');
  await late.ports.clock.advance(PENDING_MS + 1);
  expect(thrownBy(() => late.finish('c-late'))).toEqual([
    'auth',
    'server "x": the address was printed more than 10 minutes ago and no longer counts',
    'usher mcp login x --print-url',
  ]);
  expect(late.files()).toEqual([]);
});

test('another server has none, and the newest address alone counts', () => {
  const { ports, state, finish } = begin();
  const other = { ...subject, key: 'https://y.example/mcp' };
  expect(thrownBy(() => finishPending(other, 'c', ports))).toEqual(none);
  startPending(request, ports);
  expect(thrownBy(() => finish(`?code=c-old&state=${state}`))).toEqual([
    'auth',
    'server "x": the answer holds another `state`: it belongs to another sign-in',
    'usher mcp login x',
  ]);
});

test('signing out drops it', () => {
  const { ports, finish } = begin();
  expect([dropPending(subject, ports), dropPending(subject, ports)]).toEqual([true, false]);
  expect(thrownBy(() => finish('c'))).toEqual(none);
});

test('a file that others may read, a broken one and a symlink are not used', () => {
  const open = begin();
  chmodSync(open.path, 0o644);
  expect(thrownBy(() => open.finish('c'))).toEqual([
    'failed',
    `${open.path} has mode 644: others may use it; it is not used`,
    `chmod 600 ${open.path}`,
  ]);
  const broken = begin();
  writeFileSync(broken.path, '{"version":1}');
  const [code, , hint] = [thrownBy(() => broken.finish('c'))].flat();
  expect([code, hint]).toEqual(['failed', `remove ${broken.path}`]);
  const linked = begin();
  dropPending(subject, linked.ports);
  symlinkSync('/dev/null', linked.path);
  expect(thrownBy(() => linked.finish('c'))).toEqual([
    'failed',
    `${linked.path} is a symlink; it is not used`,
    `remove ${linked.path}`,
  ]);
  expect(() => startPending(request, linked.ports)).toThrow(FailedError);
});

test('a folder that is a symlink gets and gives no sign-in', () => {
  const { ports, finish } = begin();
  const folder = join(ports.stateDir, 'logins');
  const elsewhere = join(ports.stateDir, 'elsewhere');
  renameSync(folder, elsewhere);
  symlinkSync(elsewhere, folder);
  const refused = ['failed', `${folder} is a symlink; no login is kept in it`, `remove ${folder}`];
  expect(thrownBy(() => finish('c'))).toEqual(refused);
  expect(thrownBy(() => startPending(request, ports))).toEqual(refused);
});

test('without a folder of state nothing is begun', () => {
  const ports = { clock: createManualClock(), stateDir: undefined };
  expect(() => startPending(request, ports)).toThrow(FailedError);
  expect(dropPending(subject, ports)).toBe(false);
});

test('the address to come back to is known beforehand and nobody listens there', async () => {
  const uri = (settings: object, preferred?: string) =>
    pendingRedirectUri(settings, preferred, createManualClock());
  const preferred = `http://127.0.0.1:${closedPort()}/callback`;
  expect(await uri({}, preferred)).toBe(preferred);
  expect(await uri({ callbackUrl: 'http://localhost:1/x' }, preferred)).toBe(
    'http://localhost:1/x',
  );
  expect(await uri({ callbackPort: 7 }, preferred)).toBe('http://127.0.0.1:7/callback');
  await expect(uri({ callbackUrl: 'https://me.example/cb' })).rejects.toThrow(ConfigError);
  const free = await uri({});
  expect(free).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  await expect(fetch(free)).rejects.toThrow();
});
