// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references are what is tested.
import { expect, test } from 'bun:test';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import * as usher from '../../src/index.ts';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { tool } from '../fixtures/servers/script.ts';
import { newFolder, writeFiles } from '../helpers/places.ts';
import {
  ask,
  callThenAnswer,
  httpEntry,
  offered,
  openScene,
  outcomes,
  states,
  stdioEntry,
} from './scene.ts';

const AUTO = 'mcp: {permissions: auto}\nservers:\n';
const EMPTY = { type: 'object', properties: {} };

test('MM-02: name, url, tools, auth and permissions are all a server needs', async () => {
  await using server = await startMcpServer({ bearer: 'a-token-of-the-test' });
  await using scene = await openScene({
    yaml: [
      'servers:',
      '  - name: context7',
      `    url: ${server.url}`,
      '    tools: [read, odd-name.v2]',
      '    auth: {type: bearer, tokenEnv: C7_TOKEN}',
      '    permissions: auto',
    ].join('\n'),
    env: { C7_TOKEN: 'a-token-of-the-test' },
    steps: callThenAnswer(['context7_odd_name_v2', {}]),
  });
  const result = await ask(scene);
  expect([offered(scene, 0), outcomes(result), scene.config.warnings]).toEqual([
    ['context7_read', 'context7_odd_name_v2'],
    ['context7/odd-name.v2 ok'],
    [],
  ]);
});

test('R16: a project file starts nothing, and one warning names it', async () => {
  await using server = await startMcpServer();
  const home = writeFiles(newFolder(), { '.config/usher/config.yaml': 'servers: []' });
  const cwd = writeFiles(newFolder(), {
    'usher.yaml': `servers:\n${httpEntry('sneaky', server.url)}`,
  });
  const config = await usher.loadConfig({ env: { HOME: home }, cwd });
  expect(config.warnings.map(({ message }) => message)).toEqual([
    expect.stringContaining('usher.yaml'),
  ]);
  const host = embed(config, cwd);
  const report = await host.start(new AbortController().signal);
  await host.close();
  expect([report.servers, server.requests]).toEqual([[], []]);
});

test('R17: references expand in url, headers and env; a missing one skips that server alone', async () => {
  await using server = await startMcpServer();
  const more = ', headers: {X-Team: "${TEAM:-none}", X-Zone: "${ZONE:-z}"}';
  const shows = [tool('env', 'Shows.', EMPTY, { does: { env: true } })];
  await using scene = await openScene({
    yaml: [
      AUTO + httpEntry('web', 'http://127.0.0.1:${PORT}/mcp', more),
      stdioEntry('local', { tools: shows }, ', env: {SHOWN: "<${TEAM}>"}'),
      httpEntry('lost', 'https://${NO_SUCH_HOST}/mcp'),
    ].join('\n'),
    env: { PORT: String(server.port), TEAM: 'blue' },
    steps: callThenAnswer(['local_env', {}]),
  });
  expect([states(scene.report), scene.config.skipped]).toEqual([
    { web: 'ready', local: 'ready' },
    ['lost'],
  ]);
  expect(scene.config.warnings[0]?.message).toContain('NO_SUCH_HOST');
  const [first] = server.requests;
  expect([first?.headers['x-team'], first?.headers['x-zone']]).toEqual(['blue', 'z']);
  expect(JSON.parse((await ask(scene)).answer)).toMatchObject({ SHOWN: '<blue>' });
});

test('R18 R19: plain http beyond this machine, private addresses, userinfo and fragments are refused', async () => {
  const entries = {
    plain: 'http://example.com/mcp',
    private: 'https://192.168.1.5/mcp',
    user: 'https://me:word@example.com/mcp',
    fragment: 'https://example.com/mcp#part',
  };
  await using scene = await openScene({
    yaml:
      AUTO +
      Object.entries(entries)
        .map(([name, url]) => httpEntry(name, url))
        .join('\n'),
    steps: [{ text: 'ok' }],
  });
  expect([scene.config.skipped, scene.report.servers]).toEqual([Object.keys(entries), []]);
  const texts = scene.config.warnings.map(({ message }) => message);
  expect(texts.join('\n')).not.toContain('me:word');
  expect(texts).toEqual([
    expect.stringContaining('write https'),
    expect.stringContaining('allowPrivate: true'),
    expect.stringContaining('user name and password'),
    expect.stringContaining('fragment'),
  ]);
});

test('R20: a process gets the allowlist, env and envPass, and nothing else of ours', async () => {
  const tools = [tool('env', 'Shows.', EMPTY, { does: { env: true } })];
  await using scene = await openScene({
    yaml: AUTO + stdioEntry('local', { tools }, ', env: {GIVEN: "1"}, envPass: [PASSED]'),
    env: {
      LANG: 'C',
      PASSED: 'yes',
      API_SECRET: 'no',
      HTTPS_PROXY: 'http://me:word@proxy.example:1',
    },
    steps: callThenAnswer(['local_env', {}]),
  });
  const env: unknown = JSON.parse((await ask(scene)).answer);
  expect(env).toMatchObject({
    GIVEN: '1',
    PASSED: 'yes',
    LANG: 'C',
    HOME: scene.home,
    HTTPS_PROXY: 'http://proxy.example:1',
  });
  expect(Object.keys(Object(env))).not.toContainAnyValues(['API_SECRET', 'SCRIPTED_KEY']);
});

test('MM-27: a program that embeds usher needs what the package exports, and nothing else', async () => {
  await using server = await startMcpServer();
  expect(Object.keys(usher).toSorted()).toEqual(['createHost', 'loadConfig']);
  const cwd = writeFiles(newFolder(), { 'mine.yaml': AUTO + httpEntry('s1', server.url) });
  const config = await usher.loadConfig({ configFlag: 'mine.yaml', env: {}, cwd });
  const host = embed(config, cwd);
  const signal = new AbortController().signal;
  const report = await host.start(signal);
  expect([report.fatal, host.modelLabel]).toEqual([
    undefined,
    'offline (rule-based router, no language model)',
  ]);
  const result = await host.prompt('s1/echo text=hello', signal);
  const called = await host.call(
    { id: '1', name: 's1.read', arguments: {}, invalidArguments: undefined, origin: 'user' },
    signal,
  );
  await host.close();
  expect([result.exit, result.answer.trim()]).toEqual([0, '{"text":"hello"}']);
  expect(called.kind === 'result' && called.rendered.text).toBe('nothing to read');
});

/** A host as an embedding program makes it: nobody to ask, all defaults. */
function embed(config: usher.Config, cwd: string): usher.Host {
  return usher.createHost(
    {
      config,
      cwd,
      askUser: undefined,
      onEvent: () => undefined,
      servers: undefined,
      toolPatterns: { only: undefined, without: [] },
      permissions: undefined,
      yes: [],
      limits: { maxTurns: 5, maxTokens: undefined, onDenied: 'fail' },
      artifacts: 'off',
      preloadModel: false,
      patienceMs: undefined,
    },
    { env: {}, clock: systemClock, log: silentLog },
  );
}
