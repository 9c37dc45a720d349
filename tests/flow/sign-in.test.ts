/** Signing in and out on a person's word, through the whole host. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { UsageError } from '../../src/base/errors.ts';
import { silentLog } from '../../src/base/log.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { ServerConfig } from '../../src/config/types.ts';
import { createSignIns, type SignInRequest } from '../../src/host/sign-ins.ts';
import { refusalOf } from '../auth/site.ts';
import { answerOf, browse } from '../fixtures/auth/browser.ts';
import { startAuthServer } from '../fixtures/auth/server.ts';
import { newFolder } from '../helpers/places.ts';
import { ask, callThenAnswer, httpEntry, openScene, states } from './scene.ts';

const never = new AbortController().signal;

/** A person whose browser does as told. */
function by(openUrl: (url: string) => Promise<unknown>): SignInRequest {
  const interaction = {
    openUrl: (url: string) => openUrl(url).then(() => true),
    tell: () => undefined,
    readPaste: undefined,
  };
  return { how: { kind: 'here', interaction, isByDevice: false }, scope: undefined };
}

const OAUTH = 'auth: { type: oauth } in place of that makes it so';
const following = by((url) => browse('follow', url));

/** What `usher mcp login` and `logout` use, over the servers of `yaml`. */
async function openDesk(yaml: string, more: Readonly<Record<string, string>> = {}) {
  const home = newFolder();
  const env = { HOME: home, USHER_KEYRING: 'off', ...more };
  const configFlag = join(home, 'config.yaml');
  await Bun.write(configFlag, yaml);
  const config = await loadConfig({ configFlag, env, cwd: home });
  const signIns = createSignIns(config, { cwd: home }, { env, clock: systemClock, log: silentLog });
  const server = (name: string): ServerConfig => {
    const found = config.servers.find((one) => one.name === name);
    if (found === undefined) throw new Error(`no server ${name}`);
    return found;
  };
  return { signIns, server };
}

test('in a session, a second sign-in that is given up leaves the first one in use', async () => {
  await using server = await startAuthServer();
  await using scene = await openScene({
    yaml: `mcp: {permissions: auto}\nservers:\n${httpEntry('s1', server.url, ', auth: {type: oauth}')}`,
    env: { USHER_KEYRING: 'off' },
    steps: callThenAnswer(['s1_read', {}]),
  });
  expect(states(scene.report)).toEqual({ s1: 'needs_auth' });
  await scene.host.signIn('s1', following, never);
  const person = new AbortController();
  const givenUp = by(async () => person.abort(new Error('enough')));
  await expect(scene.host.signIn('s1', givenUp, person.signal)).rejects.toThrow('enough');
  expect((await ask(scene)).answer).toBe('nothing to read');
  expect(server.authorizations()).toHaveLength(1);
});

test('an entry without auth is signed in to on a person’s word, though its server only says 401', async () => {
  await using server = await startAuthServer({ challenge: { none: true } });
  const desk = await openDesk(`servers:\n${httpEntry('s1', server.url)}`);
  const outcome = await desk.signIns.signIn(desk.server('s1'), following, never);
  expect(outcome).toMatchObject({ kind: 'signed in', issuer: server.issuer, tools: 9 });
});

test('after signing out, an address that was printed before is worth nothing', async () => {
  await using server = await startAuthServer();
  const desk = await openDesk(`servers:\n${httpEntry('s1', server.url, ', auth: {type: oauth}')}`);
  const s1 = desk.server('s1');
  await desk.signIns.signIn(s1, following, never);
  const printed = await desk.signIns.signIn(
    s1,
    { how: { kind: 'address' }, scope: undefined },
    never,
  );
  if (printed.kind !== 'address') throw new Error(printed.kind);
  const pasted = (await answerOf(printed.url)).href;
  expect(await desk.signIns.signOut(s1, never)).toBe(true);
  const finishing = desk.signIns.signIn(
    s1,
    { how: { kind: 'code', pasted }, scope: undefined },
    never,
  );
  await expect(finishing).rejects.toThrow('server "s1": no sign-in waits for a code');
});

test.each([
  ['part', 'it is a part of usher', undefined],
  ['program', 'it is a program on this machine', 'what it needs goes in by env or envPass'],
  ['socket', 'it is spoken to over a WebSocket', 'auth: bearer or headers go with that'],
  ['desk', 'it uses the login work', 'usher login work'],
  ['named', 'its token stands in the variable TOK', OAUTH],
  ['helped', 'its headers hold a credential, or headersCommand gives one', OAUTH],
] as const)('%s, which is not signed in to, says what is done instead', async (name, why, hint) => {
  const desk = await openDesk(`
servers:
  - {name: part, builtin: workspace}
  - {name: socket, url: "ws://127.0.0.1:9/mcp", transport: ws}
  - {name: program, command: x}
  - {name: desk, url: "http://127.0.0.1:9/mcp", auth: {type: provider, provider: work}}
  - {name: named, url: "http://127.0.0.1:9/mcp", auth: {type: bearer, tokenEnv: TOK}}
  - {name: helped, url: "http://127.0.0.1:9/mcp", headersCommand: [x]}
logins: {work: {issuer: "http://127.0.0.1:9"}}
`);
  const error = await desk.signIns.signIn(desk.server(name), following, never).catch((e) => e);
  expect([error.message, error.hint]).toEqual([`server ${name} is not signed in to: ${why}`, hint]);
});

test('nobody is asked where there is no folder to keep the sign-in in', async () => {
  await using server = await startAuthServer();
  const yaml = `servers:\n${httpEntry('s1', server.url)}\nlogins:\n  work: {issuer: "${server.issuer}"}`;
  const desk = await openDesk(yaml, { HOME: '' });
  const refused = (label: string) => ({
    name: 'FailedError',
    message: `${label}: there is no folder to remember the sign-in in`,
    hint: 'set HOME or XDG_STATE_HOME',
  });
  const { signIns } = desk;
  expect(await refusalOf(signIns.signIn(desk.server('s1'), following, never))).toEqual(
    refused('server "s1"'),
  );
  expect(await refusalOf(signIns.signInNamed('work', following, never))).toEqual(
    refused('login "work"'),
  );
  expect(server.requests).toEqual([]);
});

test.each([
  ['an address', { kind: 'address' }],
  ['a code', { kind: 'code', pasted: 'abc' }],
] as const)('a grant without a person gives no one %s to carry', async (_name, how) => {
  await using server = await startAuthServer({ client: { id: 'robot', secret: 'shhh-0123' } });
  const auth =
    ', auth: {type: oauth, grant: client_credentials, clientId: robot, clientSecretEnv: SECRET}';
  const desk = await openDesk(`servers:\n${httpEntry('s1', server.url, auth)}`);
  const refused = desk.signIns.signIn(desk.server('s1'), { how, scope: undefined }, never);
  const error = await refused.catch((thrown: unknown) => thrown);
  if (!(error instanceof UsageError)) throw error;
  expect([error.message, error.hint]).toEqual([
    'server "s1" is signed in to by the grant client_credentials, which needs nobody',
    'usher mcp login s1',
  ]);
  expect(server.paths()).toEqual([]);
});

test('a sign-in that is not enough says what kind of error is left', async () => {
  await using server = await startAuthServer({ grants: 'a', needs: { 'tools/list': 'b' } });
  const desk = await openDesk(`servers:\n${httpEntry('s1', server.url, ', auth: {type: oauth}')}`);
  const outcome = await desk.signIns.signIn(desk.server('s1'), following, never);
  expect(outcome).toMatchObject({ kind: 'signed in', tools: undefined, trouble: { exit: 6 } });
});
