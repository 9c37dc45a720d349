/**
 * AUTH-13, for all that a sign-in brings: no token, code, verifier, device code or client secret shows in an
 * output, a page, a command line, or a file that others may read.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { answerOf, type Manner } from '../fixtures/auth/browser.ts';
import { type Desk, oauthEntry, openDesk } from '../fixtures/auth/desk.ts';
import type { AuthScript, Fault } from '../fixtures/auth/script.ts';
import { type AuthServer, startAuthServer } from '../fixtures/auth/server.ts';
import { startModelServer } from '../fixtures/models/server.ts';
import { spellingsOf, startReflector } from '../fixtures/servers/malicious-http.ts';
import { scriptedModel } from '../helpers/config.ts';
import type { UsherOptions } from '../helpers/usher.ts';

const CLIENT = { id: 'known-1', secret: 'canary-client-secret-0123456789' };
const reflector = startReflector();
const watcher = watchCommandLines();
const servers: AuthServer[] = [];
const outputs: string[] = [];
const desks: Desk[] = [];
afterAll(async () => {
  watcher.stop();
  for (const one of [...servers, reflector]) await one[Symbol.asyncDispose]();
});

/** A server that repeats all it is sent, and a desk with it. */
async function open(script: AuthScript, auth: object = {}, root: object = {}) {
  const server = await startAuthServer({ echoes: true, ...script }, reflector.url);
  const entry = oauthEntry('s1', server.url, { auth: { type: 'oauth', ...auth } });
  const desk = openDesk([entry], root);
  servers.push(server);
  desks.push(desk);
  return { server, desk };
}

/** Keeps what the command said. */
async function say(desk: Desk, words: readonly string[], options: UsherOptions = {}) {
  const outcome = await desk.run(words, { timeoutMs: 60_000, ...options });
  outputs.push(`${words.join(' ')}\n${outcome.stdout}${outcome.stderr}`);
  return outcome;
}

/** Everything secret, however it is written. */
function needles(): readonly string[] {
  const plain = servers.flatMap((server) => server.secrets());
  return [...plain, CLIENT.secret].flatMap((secret) =>
    // The spelling with a user in front begins alike for all of them.
    spellingsOf(secret).filter((one) => !one.startsWith('dXNlcj')),
  );
}

function leaksIn(texts: readonly string[]): readonly string[] {
  const all = needles();
  return texts.flatMap((text) => {
    const needle = all.find((one) => text.includes(one));
    return needle === undefined ? [] : [`${needle} in ${text.slice(0, 80)}`];
  });
}

describe('no secret of a sign-in shows', () => {
  beforeAll(async () => {
    await useAndRefresh();
    await failAtTheTokenEndpoint();
    await misbehaveAtTheCallback();
    await signInWithoutBrowser();
    await signInWithoutPerson();
  }, 240_000);

  test('in any output, whatever a server repeats', () => {
    expect(outputs.length).toBeGreaterThan(30);
    expect(needles().length).toBeGreaterThan(100);
    expect(leaksIn(outputs)).toEqual([]);
  });

  test('in any page that a browser was shown', () => {
    const pages = desks.flatMap(({ home }) =>
      filesIn(home)
        .filter((file) => file.includes('/shown-'))
        .map((file) => readFileSync(file, 'utf8')),
    );
    expect(pages.length).toBeGreaterThan(5);
    expect(leaksIn(pages)).toEqual([]);
  });

  test('in any command line of any process', () => {
    expect(watcher.seen.size).toBeGreaterThan(3);
    expect(leaksIn([...watcher.seen])).toEqual([]);
  });

  test('in any file but those that only their owner may read, in the one place for them', () => {
    const files = desks.flatMap(({ home }) =>
      filesIn(home).map((file) => ({ file, name: relative(home, file) })),
    );
    const all = needles();
    const holders = files.filter(({ file }) => {
      const text = readFileSync(file, 'utf8');
      return all.some((needle) => text.includes(needle));
    });
    expect(holders.length).toBeGreaterThan(0);
    const misplaced = holders.filter(({ name }) => !name.startsWith('state/usher/logins/'));
    expect(misplaced.map(({ name }) => name)).toEqual([]);
    const modes = holders.map(({ file }) => (statSync(file).mode & 0o777).toString(8));
    expect([...new Set(modes)]).toEqual(['600']);
  });
});

async function useAndRefresh(): Promise<void> {
  const model = await startModelServer({
    format: 'openai',
    script: [
      {
        toolCalls: ['leak', 'fail', 'break'].map((name) => ({
          name: `s1_${name}`,
          arguments: '{}',
        })),
      },
      { text: 'they say {{result}}' },
    ],
  });
  const { server, desk } = await open(
    {
      clientMethod: 'client_secret_post',
      challenge: { scope: 'a' },
      needs: { 'tools/call refuse': 'b' },
    },
    {},
    { model: scriptedModel(model) },
  );
  await say(desk, ['tools', 's1', '-vv']);
  expect((await say(desk, ['mcp', 'login', 's1', '-vv'])).code).toBe(0);
  await say(desk, ['tools', 's1', '--json', '-vv']);
  for (const tool of ['leak', 'fail', 'break', 'refuse']) {
    await say(desk, ['call', 's1', tool, '-vv']);
    await say(desk, ['call', 's1', tool, '--json']);
  }
  server.ledger.expireAccess();
  await say(desk, ['call', 's1', 'leak', '-vv']);
  await say(desk, ['--prompt', 'go', '-vv']);
  for (const words of [
    'mcp list --json',
    'mcp list --check -vv',
    'mcp get s1',
    'mcp doctor -vv',
    'mcp doctor --json',
    'config check',
    'sessions',
  ]) {
    await say(desk, words.split(' '));
  }
  server.change({ faults: { '/mcp': { status: 500, body: 'broken' } } });
  await say(desk, ['tools', 's1', '-vv']);
  server.change({ faults: {} });
  server.ledger.revoke();
  await say(desk, ['tools', 's1', '-vv']);
  await say(desk, ['mcp', 'login', 's1', '-vv']);
  await say(desk, ['mcp', 'logout', 's1', '-vv']);
  await model.close();
}

/** Answers of the token endpoint that are none, or say too much. */
async function failAtTheTokenEndpoint(): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const faults: readonly Fault[] = [
    { status: 400, headers, body: '{"error":"invalid_grant","error_description":"no {mcp}"}' },
    { status: 200, headers, body: '{"token_type":"Bearer"}' },
    { status: 200, body: '<html>{"access_token":"' },
    { status: 307, headers: { location: '{as}/elsewhere' } },
    { status: 503, body: 'later' },
  ];
  for (const fault of faults) {
    const { desk } = await open({ faults: { '/token': fault } });
    const login = await say(desk, ['mcp', 'login', 's1', '-vv']);
    expect(login.code).not.toBe(0);
  }
  // Without PKCE's verifier matching, the fake repeats the whole form in its refusal.
  const { server, desk } = await open({});
  server.change({ client: { id: 'x' }, faults: {} });
  await say(desk, ['mcp', 'login', 's1']);
  server.ledger.clients.clear();
  server.ledger.expireAccess();
  await say(desk, ['tools', 's1', '-vv']);
}

async function misbehaveAtTheCallback(): Promise<void> {
  const manners: readonly Manner[] = ['error', 'missing-code', 'wrong-state', 'twice', 'foreign'];
  for (const manner of manners) {
    const { desk } = await open({});
    desk.manner = manner;
    await say(desk, ['mcp', 'login', 's1', '-vv']);
    await desk.shown();
  }
}

async function signInWithoutBrowser(): Promise<void> {
  const { server, desk } = await open({ device: { pending: 1 } });
  await say(desk, ['mcp', 'login', 's1', '--device', '-vv']);
  const { stdout } = await say(desk, ['mcp', 'login', 's1', '--print-url', '-vv']);
  const [address = ''] = /http:\/\/\S+\/authorize\?\S+/.exec(stdout) ?? [];
  const stdin = { bytes: `${(await answerOf(address)).href}\n` };
  expect((await say(desk, ['mcp', 'login', 's1', '--code', '-', '-vv'], { stdin })).code).toBe(0);
  const again = await answerOf(address);
  await say(desk, ['mcp', 'login', 's1', '--code', '-', '-vv'], { stdin: { bytes: again.href } });
  expect(server.tokenRequests('authorization_code')).toHaveLength(1);
}

async function signInWithoutPerson(): Promise<void> {
  const auth = { clientId: CLIENT.id, clientSecretEnv: 'THE_SECRET', grant: 'client_credentials' };
  for (const clientMethod of ['client_secret_basic', 'client_secret_post'] as const) {
    const { server, desk } = await open({ client: CLIENT, clientMethod }, auth);
    const env = { THE_SECRET: CLIENT.secret };
    expect((await say(desk, ['tools', 's1', '-vv'], { env })).code).toBe(0);
    server.change({ client: { ...CLIENT, secret: 'another' } });
    server.ledger.expireAccess();
    await say(desk, ['tools', 's1', '-vv'], { env });
    await say(desk, ['mcp', 'doctor', 's1', '-vv'], { env });
  }
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Every command line that shows up in the process list. */
function watchCommandLines() {
  const seen = new Set<string>();
  const look = () => {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        if (/usher|browser/.test(line)) seen.add(line.replaceAll('\0', ' '));
      } catch {
        // It ended between the two looks.
      }
    }
  };
  const timer = process.platform === 'linux' ? setInterval(look, 25) : undefined;
  return { seen, stop: () => clearInterval(timer) };
}
