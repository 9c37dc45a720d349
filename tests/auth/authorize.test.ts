import { afterEach, describe, expect, test } from 'bun:test';
import { startAuthorization } from '../../src/auth/authorization-url.ts';
import { AUTHORIZE_MS, authorize, hostNotes } from '../../src/auth/authorize.ts';
import { type CallbackListener, openCallback } from '../../src/auth/callback.ts';
import type { Interaction, OAuthSettings, ServerMetadata } from '../../src/auth/types.ts';
import { systemClock } from '../../src/base/clock.ts';
import { AuthError } from '../../src/base/errors.ts';
import { createOpenUrl } from '../../src/base/open-url.ts';
import { scrubSecrets } from '../../src/base/redact.ts';
import { createManualClock } from '../mcp/manual-clock.ts';

const listeners: CallbackListener[] = [];
afterEach(async () => {
  await Promise.all(listeners.splice(0).map((one) => one.close()));
});

const issuer = 'https://as.example';
const metadata: ServerMetadata = {
  issuer,
  authorization_endpoint: `${issuer}/authorize?tenant=t%201&state=mine#top`,
  token_endpoint: `${issuer}/token`,
  code_challenge_methods_supported: ['plain', 'S256'],
};
const subject = {
  label: 'server "x"',
  command: 'usher mcp login x',
  key: 'https://x.example/mcp',
  url: 'https://x.example/mcp',
  settings: {} satisfies OAuthSettings,
};
const client = { clientId: 'c 1', method: 'none', kind: 'dcr' } as const;

function target(changes: Partial<ServerMetadata> = {}, isLegacy = false) {
  const resource: string | undefined = 'https://x.example/mcp';
  return {
    subject,
    client,
    scope: undefined as string | undefined,
    redirectUri: 'http://127.0.0.1:1/callback',
    discovery: {
      resource,
      resourceScopes: undefined,
      isLegacy,
      metadata: { ...metadata, ...changes },
    },
  };
}

interface Person {
  /** What opens in the browser: requests of the callback, with STATE in place of the state. */
  readonly visits?: readonly string[];
  readonly noBrowser?: boolean;
  readonly fails?: boolean;
  readonly pastes?: readonly string[];
  readonly noListener?: boolean;
  readonly metadata?: Partial<ServerMetadata>;
}

/** One sign-in by this person, with all that was told and shown. */
async function signIn(person: Person) {
  const clock = createManualClock();
  const listener = person.noListener ? undefined : await openCallback({}, undefined, clock);
  if (listener !== undefined) listeners.push(listener);
  const told: string[] = [];
  const pages: Promise<string>[] = [];
  const pastes = [...(person.pastes ?? [])];
  let state = '';
  let gone: AbortSignal | undefined;
  const begun = Promise.withResolvers<void>();
  const interaction: Interaction = {
    openUrl:
      person.noBrowser === true
        ? undefined
        : async (url) => {
            state = new URL(url).searchParams.get('state') ?? '';
            begun.resolve();
            for (const visit of person.visits ?? []) {
              const address = `${listener?.redirectUri}${visit.replace('STATE', state)}`;
              pages.push(fetch(address).then((response) => response.text()));
              if (visit.startsWith('/')) await pages.at(-1);
            }
            return person.fails !== true;
          },
    tell: (lines) => {
      told.push(...lines);
      state = new URL(told[1] ?? '').searchParams.get('state') ?? '';
    },
    readPaste:
      person.pastes === undefined
        ? undefined
        : async (signal) => {
            gone = signal;
            const next = pastes.shift();
            if (next === undefined)
              return new Promise((_, reject) =>
                signal.addEventListener('abort', () => reject(signal.reason)),
              );
            return next.replace('STATE', state);
          },
  };
  const stop = new AbortController();
  const { redirectUri } = listener ?? target();
  const request = { ...target(person.metadata), redirectUri, listener };
  const ending = authorize(request, { clock }, interaction, stop.signal).then(
    (code) => ({ ...code, params: Object.fromEntries(code.params) }),
    (error: unknown) => error,
  );
  const pageTexts = async () => {
    await listener?.close();
    return (await Promise.all(pages)).map((page) => /<h1>(.*)<\/h1>/.exec(page)?.[1]);
  };
  const isPasteGone = () => gone?.aborted;
  return { clock, listener, told, ending, begun: begun.promise, stop, pageTexts, isPasteGone };
}

/** An authorization server that never asks anything. */
function startServer() {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      const { searchParams, origin } = new URL(request.url);
      const back = new URL(searchParams.get('redirect_uri') ?? '');
      back.searchParams.set('code', 'code-of-curl');
      back.searchParams.set('state', searchParams.get('state') ?? '');
      back.searchParams.set('iss', origin);
      return Response.redirect(back.href);
    },
  });
  return {
    origin: `http://127.0.0.1:${server.port}`,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

/** What an error says, as a person sees it. */
const said = (thrown: unknown) =>
  thrown instanceof AuthError ? [thrown.message, thrown.hint] : thrown;

describe('the address', () => {
  test('keeps its own parameters and holds ours', () => {
    const started = startAuthorization({ ...target(), scope: 'a b', dpopJkt: 'jkt' });
    const url = new URL(started.url);
    const challenge = new Bun.CryptoHasher('sha256').update(started.verifier).digest('base64url');
    expect(`${url.origin}${url.pathname}${url.hash}`).toBe(`${issuer}/authorize`);
    expect([...url.searchParams]).toEqual([
      ['tenant', 't 1'],
      ['state', started.state],
      ['response_type', 'code'],
      ['client_id', 'c 1'],
      ['redirect_uri', 'http://127.0.0.1:1/callback'],
      ['code_challenge', challenge],
      ['code_challenge_method', 'S256'],
      ['scope', 'a b'],
      ['resource', 'https://x.example/mcp'],
      ['dpop_jkt', 'jkt'],
    ]);
    expect(started.verifier).toMatch(/^[\w-]{43}$/);
    expect(scrubSecrets(started.verifier)).toBe('***');
    expect(scrubSecrets(started.url)).toBe(started.url);
  });

  test('is another one each time and holds nothing that is not known', () => {
    const bare = target();
    const discovery = { ...bare.discovery, resource: undefined };
    const [one, two] = [startAuthorization({ ...bare, discovery }), startAuthorization(bare)];
    expect([one.state === two.state, one.verifier === two.verifier]).toEqual([false, false]);
    const names = [...new URL(one.url).searchParams.keys()];
    expect(names.filter((name) => /scope|resource|dpop_jkt|prompt/.test(name))).toEqual([]);
  });

  test('is refused where it is longer than servers and terminals take', () => {
    const scope = Array.from({ length: 1000 }, (_, at) => `scope-${at}-of-many`).join(' ');
    expect(() => startAuthorization({ ...target(), scope })).toThrow(
      'server "x": the address to sign in at is longer than 16 KiB',
    );
  });

  test('asks for consent where a refresh token of OpenID is wanted', () => {
    const { url } = startAuthorization({ ...target(), scope: 'a offline_access' });
    expect(new URL(url).searchParams.get('prompt')).toBe('consent');
  });

  test.each([
    ['PKCE by plain alone', { code_challenge_methods_supported: ['plain'] }],
    ['a file', { authorization_endpoint: 'file:///etc/passwd' }],
    ['a script', { authorization_endpoint: 'javascript:alert(1)' }],
    ['a user name', { authorization_endpoint: 'https://me@as.example/' }],
    ['no URL', { authorization_endpoint: 'authorize' }],
  ])('is refused with %s', (_name, changes) => {
    expect(() => startAuthorization(target(changes))).toThrow(AuthError);
  });

  test('is refused without an endpoint, and without a word on PKCE unless the server is of 2025-03-26', () => {
    const { authorization_endpoint: _, ...noEndpoint } = metadata;
    const { code_challenge_methods_supported: __, ...silent } = metadata;
    const start = (document: ServerMetadata, isLegacy: boolean) =>
      startAuthorization({
        ...target(),
        discovery: { ...target().discovery, isLegacy, metadata: document },
      }).url;
    expect(() => start(noEndpoint, false)).toThrow('has no authorization endpoint');
    expect(() => start(silent, false)).toThrow('does not say that it supports PKCE');
    expect(start(silent, true)).toStartWith(issuer);
  });
});

describe('an answer through the browser', () => {
  test('is taken after stray requests, and the address is told once', async () => {
    const run = await signIn({
      visits: ['/../favicon.ico', '?code=c1-of-browser&state=STATE&iss=https://as.example'],
    });
    const code = await run.ending;
    run.listener?.finish('signed in', '');
    const url = run.told[1] ?? '';
    expect(run.told).toEqual([
      'open this address to sign in to server "x":',
      url,
      'trying to open it in a browser',
      'waiting for 5 minutes at most; Ctrl-C gives up',
    ]);
    expect(code).toEqual({
      params: { code: 'c1-of-browser', state: new URL(url).searchParams.get('state'), iss: issuer },
      verifier: expect.stringMatching(/^[\w-]{43}$/),
      redirectUri: run.listener?.redirectUri,
    });
    expect(await run.pageTexts()).toEqual(['Nothing to do here', 'Signed in']);
    expect(run.clock.waiting).toBe(0);
  });

  test.each([
    ['?error=access_denied&state=STATE', 'the sign-in was refused (access_denied)'],
    [
      '?error=server_error&error_description=not%0Atoday%1b[2J&state=STATE',
      'the authorization server ended the sign-in (server_error: not today\\u{1b}[2J)',
    ],
    [
      '?code=c1-refused&state=wrong',
      'the answer holds another `state`: it belongs to another sign-in',
    ],
    ['?code=c1-refused', 'the answer holds no `state`: it belongs to another sign-in'],
    [
      '?error=access_denied&state=wrong',
      'the answer holds another `state`: it belongs to another sign-in',
    ],
    ['?state=STATE', 'the answer holds no code'],
    ['?code=&state=STATE', 'the answer holds no code'],
    ['?code=c1-refused&code=c2&state=STATE', 'the answer holds `code` twice'],
    [
      '?code=c1-refused&state=STATE&iss=https://as.example/',
      'the answer comes from https://as.example/, not from https://as.example',
    ],
    [
      '?error=access_denied&state=STATE&iss=https://evil.example',
      'the answer comes from https://evil.example, not from https://as.example',
    ],
  ])('ends it at once: %s', async (visit, why) => {
    const run = await signIn({ visits: [visit] });
    expect(said(await run.ending)).toEqual([`server "x": ${why}`, 'usher mcp login x']);
    expect(await run.pageTexts()).toEqual(['Not signed in']);
    expect(run.clock.waiting).toBe(0);
  });

  test('must name its server where that was promised', async () => {
    const run = await signIn({
      metadata: { authorization_response_iss_parameter_supported: true },
      visits: ['?code=c1-refused&state=STATE'],
    });
    expect(said(await run.ending)).toEqual([
      'server "x": the answer does not say that it comes from https://as.example',
      'usher mcp login x',
    ]);
  });

  test('is waited for 5 minutes', async () => {
    const run = await signIn({});
    await run.begun;
    await run.clock.advance(AUTHORIZE_MS - 1);
    expect(run.clock.waiting).toBe(1);
    await run.clock.advance(1);
    expect(said(await run.ending)).toEqual([
      'server "x": nobody finished the sign-in within 5 minutes',
      'usher mcp login x; where the browser showed that usher is not known there, usher mcp logout x first',
    ]);
    const late = await fetch(`${run.listener?.redirectUri}?code=c&state=s`);
    expect(late.status).toBe(404);
  });

  test.skipIf(Bun.which('curl') === null)(
    'may be faster than the browser starts: curl as a browser',
    async () => {
      await using server = startServer();
      const listener = await openCallback({}, undefined, systemClock);
      listeners.push(listener);
      const env = { BROWSER: 'curl -sL -o /dev/null', PATH: String(Bun.env['PATH']) };
      const { client, scope, discovery } = target({
        issuer: server.origin,
        authorization_endpoint: `${server.origin}/authorize`,
      });
      const { redirectUri } = listener;
      const code = await authorize(
        { subject, client, scope, discovery, redirectUri, listener },
        { clock: systemClock },
        { openUrl: createOpenUrl(env, systemClock), tell: () => undefined, readPaste: undefined },
        new AbortController().signal,
      );
      expect(code.params.get('code')).toBe('code-of-curl');
      listener.finish('signed in', '');
    },
  );

  test('is no longer waited for when the address cannot be told', async () => {
    const listener = await openCallback({}, undefined, createManualClock());
    listeners.push(listener);
    const broken = new Error('stderr is closed');
    const tell = () => {
      throw broken;
    };
    const ending = authorize(
      { ...target(), redirectUri: listener.redirectUri, listener },
      { clock: createManualClock() },
      { openUrl: undefined, tell, readPaste: undefined },
      new AbortController().signal,
    );
    expect(await ending.catch((error: unknown) => error)).toBe(broken);
    expect((await fetch(`${listener.redirectUri}?code=c&state=s`)).status).toBe(404);
  });

  test('is no longer waited for when the caller gives up', async () => {
    const run = await signIn({});
    await run.begun;
    run.stop.abort(new Error('given up'));
    expect(await run.ending).toEqual(new Error('given up'));
    expect(run.clock.waiting).toBe(0);
  });

  test('reaches the right one of two sign-ins at once', async () => {
    const runs = await Promise.all([
      signIn({ visits: ['?code=code-of-one&state=STATE'] }),
      signIn({ visits: ['?code=code-of-two&state=STATE'] }),
    ]);
    const codes = await Promise.all(runs.map((run) => run.ending));
    expect(codes).toEqual([
      expect.objectContaining({ params: expect.objectContaining({ code: 'code-of-one' }) }),
      expect.objectContaining({ params: expect.objectContaining({ code: 'code-of-two' }) }),
    ]);
  });
});

describe('an answer that is pasted', () => {
  test('is taken beside a listener, whose browser comes too late then', async () => {
    const run = await signIn({
      fails: true,
      pastes: ['', 'http://nowhere.example/?code=c1-pasted&state=STATE'],
    });
    const state = new URL(run.told[1] ?? '').searchParams.get('state');
    expect(await run.ending).toEqual({
      params: { code: 'c1-pasted', state },
      verifier: expect.any(String),
      redirectUri: run.listener?.redirectUri,
    });
    expect(run.told.slice(3).sort()).toEqual([
      'if the browser cannot come back here: paste the address that it ends at, or the code',
      'no browser could be started here: open the address yourself',
      'nothing was pasted',
      'waiting for 5 minutes at most; Ctrl-C gives up',
    ]);
    expect((await fetch(`${run.listener?.redirectUri}?code=c&state=${state}`)).status).toBe(409);
  });

  test('may be a bare code', async () => {
    const run = await signIn({ noBrowser: true, noListener: true, pastes: ['"bare-code"\n'] });
    expect(await run.ending).toEqual({
      params: { code: 'bare-code' },
      verifier: expect.any(String),
      redirectUri: 'http://127.0.0.1:1/callback',
    });
  });

  test.each([
    [
      '?code=c1-pasted&state=wrong',
      'the answer holds another `state`: it belongs to another sign-in',
    ],
    ['?code=c1-pasted&state=STATE&iss=x', 'the answer comes from x, not from https://as.example'],
    ['?error=access_denied&state=STATE', 'the sign-in was refused (access_denied)'],
  ])('ends it at once: %s', async (paste, why) => {
    const run = await signIn({ noBrowser: true, pastes: [`http://127.0.0.1:1/callback${paste}`] });
    expect(said(await run.ending)).toEqual([`server "x": ${why}`, 'usher mcp login x']);
  });

  test('is no longer asked for when the browser was quicker', async () => {
    const run = await signIn({ visits: ['?code=c1-quicker&state=STATE'], pastes: [] });
    expect(await run.ending).toMatchObject({ params: { code: 'c1-quicker' } });
    expect(run.isPasteGone()).toBe(true);
  });

  test('is asked for 5 times at most when nothing can be used', async () => {
    const pastes = ['', '', '', '', '', 'late-code'];
    const run = await signIn({ noBrowser: true, noListener: true, pastes });
    expect(said(await run.ending)).toEqual([
      'server "x": nothing that was pasted could be used',
      'usher mcp login x --print-url',
    ]);
    const beside = await signIn({ pastes });
    await beside.clock.advance(AUTHORIZE_MS);
    expect(said(await beside.ending)).toEqual([
      'server "x": nobody finished the sign-in within 5 minutes',
      'usher mcp login x; where the browser showed that usher is not known there, usher mcp logout x first',
    ]);
  });
});

describe('without a way to be answered', () => {
  test.each([
    ['no browser starts and nobody can paste', { fails: true }, 'no browser could be started here'],
    ['nobody listens or pastes', { noListener: true }, 'nobody can paste the answer here'],
  ])('it ends at once: %s', async (_name, person, why) => {
    const run = await signIn(person);
    expect(said(await run.ending)).toEqual([`server "x": ${why}`, 'usher mcp login x --print-url']);
    expect(run.clock.waiting).toBe(0);
  });
});

test.each([
  [`${issuer}/authorize`, []],
  [
    'https://login.example/a',
    ['it leads to login.example; the authorization server is https://as.example'],
  ],
  [
    'https://xn--pypal-4ve.example/',
    [
      'it leads to xn--pypal-4ve.example; the authorization server is https://as.example',
      'its host xn--pypal-4ve.example reads as p\u0430ypal.example: it may imitate a name that you know',
    ],
  ],
  [
    'http://10.1.2.3/',
    [
      'it leads to 10.1.2.3; the authorization server is https://as.example',
      'it is not encrypted (http)',
    ],
  ],
])('the host of %s is named where it is not the one to expect', (url, notes) => {
  expect(hostNotes(url, issuer)).toEqual(notes);
});
