/** AUTH-15: a sign-in whose browser is missing, or misbehaves. */
import { describe, expect, test } from 'bun:test';
import { answerOf, type Manner } from '../fixtures/auth/browser.ts';
import { oauthEntry, openDesk } from '../fixtures/auth/desk.ts';
import { type AuthServer, startAuthServer } from '../fixtures/auth/server.ts';
import { startModelServer } from '../fixtures/models/server.ts';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { scriptedModel } from '../helpers/config.ts';
import { startPty } from '../helpers/pty.ts';
import { startTcp } from '../helpers/tcp.ts';

const LOGIN = ['mcp', 'login', 's1'];
/** A machine with nothing that opens an address. */
const NO_BROWSER = { BROWSER: '', PATH: '/nonexistent' };

const deskAt = ({ url }: AuthServer, auth: object = {}) =>
  openDesk([oauthEntry('s1', url, { auth: { type: 'oauth', ...auth } })]);

function addressesIn(text: string): readonly string[] {
  return text.match(/http:\/\/\S+\/authorize\?\S+/g) ?? [];
}

describe('the callback', () => {
  test.each<[Manner]>([['follow'], ['favicon'], ['head']])(
    'signs in when the browser does: %s',
    async (manner) => {
      await using server = await startAuthServer();
      const desk = deskAt(server);
      desk.manner = manner;
      const login = await desk.run(LOGIN);
      expect([login.code, addressesIn(login.stderr).length]).toEqual([0, 1]);
      const shown = await desk.shown();
      expect([shown.at(-1)?.status, shown.at(-1)?.body]).toEqual([
        200,
        expect.stringContaining('<h1>Signed in</h1>'),
      ]);
      expect(
        shown.slice(0, -1).filter(({ status }) => status === 200 && manner === 'favicon'),
      ).toEqual([]);
      expect((await desk.run(['tools', 's1'])).code).toBe(0);
      expect(server.tokenRequests()).toHaveLength(1);
    },
  );

  test('that comes twice redeems its code once', async () => {
    await using server = await startAuthServer();
    const desk = deskAt(server);
    desk.manner = 'twice';
    expect((await desk.run(LOGIN)).code).toBe(0);
    const [first, second] = await desk.shown();
    expect(first?.status).toBe(200);
    expect(second?.status).not.toBe(200);
    expect(server.tokenRequests()).toHaveLength(1);
  });

  test.each<[Manner, RegExp]>([
    ['error', /access_denied|refused|denied/],
    ['wrong-state', /state/],
    ['missing-code', /code/],
  ])('ends at once and says why: %s', async (manner, said) => {
    await using server = await startAuthServer();
    const desk = deskAt(server);
    desk.manner = manner;
    const login = await desk.run(LOGIN);
    expect([login.code, login.stdout]).toEqual([6, '']);
    // The address itself is full of these words.
    expect(login.stderr.slice(login.stderr.indexOf('error:'))).toMatch(said);
    expect(login.ms).toBeLessThan(15_000);
    const [page] = await desk.shown();
    expect(page?.body).toContain('<h1>Not signed in</h1>');
    expect(server.tokenRequests()).toEqual([]);
    expect((await desk.run(['tools', 's1'])).code).toBe(6);
  });

  test('with the refusal of the person ends with its words', async () => {
    await using server = await startAuthServer({ consent: 'deny' });
    const desk = deskAt(server);
    const login = await desk.run(LOGIN);
    expect([login.code, login.stdout]).toEqual([6, '']);
    expect(login.stderr).toContain('the person said no');
  });

  test('whose code the server does not take tells the browser so', async () => {
    const body = '{"error":"invalid_grant","error_description":"too late"}';
    const headers = { 'content-type': 'application/json' };
    await using server = await startAuthServer({
      faults: { '/token': { status: 400, headers, body } },
    });
    const desk = deskAt(server);
    const login = await desk.run(LOGIN);
    expect([login.code, login.stdout]).toEqual([6, '']);
    expect(login.stderr).toContain('too late');
    const [page] = await desk.shown();
    expect(page?.body).toContain('<h1>Not signed in</h1>');
    expect(page?.body).toContain('too late');
  });

  test('of two sign-ins at once goes to the one that it belongs to', async () => {
    await using first = await startAuthServer();
    await using second = await startAuthServer();
    const desk = openDesk([oauthEntry('s1', first.url), oauthEntry('s2', second.url)]);
    const all = [LOGIN, LOGIN, ['mcp', 'login', 's2']].map((words) => desk.run(words));
    expect((await Promise.all(all)).map(({ code }) => code)).toEqual([0, 0, 0]);
    expect((await desk.run(['tools'])).code).toBe(0);
  });

  test('is no longer waited for after an interrupt', async () => {
    await using server = await startAuthServer();
    const desk = deskAt(server);
    desk.manner = 'never';
    const run = desk.start(LOGIN);
    await desk.shown();
    run.kill('SIGINT');
    const login = await run.done;
    expect([login.code, login.stdout, login.ms < 10_000]).toEqual([130, '', true]);
  });

  test('signs in to a bare URL', async () => {
    await using server = await startAuthServer();
    const desk = openDesk(undefined);
    expect((await desk.run(['mcp', 'login', server.url])).code).toBe(0);
    expect((await desk.run(['call', server.url, 'read'])).code).toBe(0);
    expect(server.authorizations()).toHaveLength(1);
    expect((await desk.run(['mcp', 'logout', server.url])).code).toBe(0);
    expect((await desk.run(['tools', server.url], { env: { BROWSER: '' } })).code).toBe(6);
  });

  test('on a port that is taken says so before anybody is asked', async () => {
    await using taken = startTcp();
    await using server = await startAuthServer();
    const desk = deskAt(server, { callbackPort: taken.port });
    const login = await desk.run(LOGIN);
    expect(login.code).not.toBe(0);
    expect(login.stderr).toContain(String(taken.port));
    expect(login.stderr).toMatch(/taken|in use/);
    expect([desk.opened(), server.authorizations()]).toEqual([0, []]);
  });
});

describe('without a browser', () => {
  test('and without anybody to paste, the end comes at once and names the other ways', async () => {
    await using server = await startAuthServer();
    const login = await deskAt(server).run(LOGIN, { env: NO_BROWSER });
    expect([login.code, login.stdout]).toEqual([6, '']);
    expect(login.stderr).toMatch(/--print-url/);
    expect(login.ms).toBeLessThan(15_000);
  });

  test.each([
    ['the redirected URL', (answer: URL) => answer.href],
    ['the code alone', (answer: URL) => answer.searchParams.get('code') ?? ''],
  ])('%s is pasted at the terminal', async (_name, pasted) => {
    await using server = await startAuthServer();
    const desk = deskAt(server);
    const options = {
      home: desk.home,
      config: config(server),
      env: { ...desk.env, ...NO_BROWSER },
    };
    const screen = startPty([...LOGIN, '--no-browser'], options);
    try {
      const text = await screen.waitFor(/http:\/\/\S+\/authorize\?\S+[\s\S]*\n/);
      const [address = ''] = addressesIn(text);
      screen.send(`${pasted(await answerOf(address))}\r`);
      expect(await screen.exited).toBe(0);
      expect(addressesIn(screen.text())).toHaveLength(1);
    } finally {
      screen.close();
    }
    expect((await desk.run(['tools', 's1'])).code).toBe(0);
  });

  test('an answer to another question that is pasted is not taken', async () => {
    await using server = await startAuthServer();
    const desk = deskAt(server);
    const options = {
      home: desk.home,
      config: config(server),
      env: { ...desk.env, ...NO_BROWSER },
    };
    const screen = startPty([...LOGIN, '--no-browser'], options);
    try {
      const [address = ''] = addressesIn(
        await screen.waitFor(/http:\/\/\S+\/authorize\?\S+[\s\S]*\n/),
      );
      const answer = await answerOf(address);
      answer.searchParams.set('state', 'another');
      screen.send(`${answer.href}\r`);
      expect(await screen.exited).toBe(6);
      expect(screen.text()).toContain('belongs to another sign-in');
      expect(server.tokenRequests()).toEqual([]);
    } finally {
      screen.close();
    }
  });

  test('in two commands: the address first, its answer later, once', async () => {
    await using server = await startAuthServer();
    const desk = deskAt(server);
    const first = await desk.run([...LOGIN, '--print-url'], { env: NO_BROWSER });
    expect(first.code).toBe(0);
    const [address = ''] = addressesIn(first.stdout);
    const answer = await answerOf(address);
    const finish = [...LOGIN, '--code', '-'];
    const stdin = { bytes: `${answer.href}\n` };
    const slip = await desk.run(finish, { stdin: { bytes: 'no-such-code\n' }, env: NO_BROWSER });
    expect([slip.code, slip.stderr]).toEqual([6, expect.stringContaining('--code - once more')]);
    const second = await desk.run(finish, { stdin, env: NO_BROWSER });
    expect([second.code, second.stderr]).toEqual([0, expect.any(String)]);
    expect((await desk.run(['tools', 's1'])).code).toBe(0);
    const got = await desk.run(['mcp', 'get', 's1']);
    expect(got.stdout).toContain(`signed in: by ${server.issuer}`);
    expect(got.stdout).not.toContain('sign in: ');
    expect((await desk.run(finish, { stdin, env: NO_BROWSER })).code).toBe(6);
    expect(server.tokenRequests()).toHaveLength(2);
  });

  test('with another device', async () => {
    await using server = await startAuthServer({ device: { pending: 1 } });
    const desk = deskAt(server);
    const login = await desk.run([...LOGIN, '--device'], { env: NO_BROWSER });
    expect([login.code, login.stderr]).toEqual([0, expect.stringContaining('WDJB-MJHT')]);
    expect((await desk.run(['tools', 's1'])).code).toBe(0);
    expect(server.authorizations()).toEqual([]);
  });

  test.each([
    ['access_denied', /denied|refused/],
    ['expired_token', /in time|expired/],
  ] as const)('with another device that ends in %s', async (end, said) => {
    await using server = await startAuthServer({ device: { pending: 0, end } });
    const login = await deskAt(server).run([...LOGIN, '--device'], { env: NO_BROWSER });
    expect([login.code, login.stdout]).toEqual([6, '']);
    expect(login.stderr).toMatch(said);
  });
});

test('a run with nobody there never starts a sign-in, but names it (R5)', async () => {
  await using server = await startAuthServer();
  const model = await startModelServer({ format: 'openai', script: [{ text: 'without it' }] });
  await using plain = await startMcpServer();
  const servers = [oauthEntry('s1', server.url), { name: 's2', url: plain.url }];
  const desk = openDesk(servers, { model: scriptedModel(model) });
  const run = await desk.run(['--prompt', 'go']);
  await model.close();
  expect([run.code, run.stdout]).toEqual([0, 'without it\n']);
  expect(run.stderr).toContain('usher mcp login s1');
  const asked = server.requests.filter((one) => one.side === 'as');
  expect([asked, desk.opened()]).toEqual([[], 0]);
});

test('a call of a server that needs a sign-in says so, typed as a prompt or made by a script', async () => {
  await using server = await startAuthServer();
  await using plain = await startMcpServer();
  const servers = [oauthEntry('s1', server.url), { name: 's2', url: plain.url }];
  const desk = openDesk(servers);
  for (const prompt of ['s1/echo text=1', 's1/echo']) {
    const run = await desk.run(['--prompt', prompt]);
    expect([prompt, run.code, run.stdout]).toEqual([prompt, 6, '']);
    expect(run.stderr).toContain('"s1" needs a sign-in (401)\n  usher mcp login s1');
    expect(run.stderr).not.toContain('no tool');
  }
  const stdin = { bytes: 'await tools.s1.echo({text: "1"})' };
  const script = await desk.run(['run', '-'], { stdin });
  expect(script.code).toBe(1);
  expect(script.stderr).toMatch(/error: [^\n]*usher mcp login s1/);
});

function config({ url }: AuthServer) {
  return { servers: [oauthEntry('s1', url)] };
}
