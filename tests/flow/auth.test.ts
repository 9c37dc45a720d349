import { expect, test } from 'bun:test';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { tool } from '../fixtures/servers/script.ts';
import { ask, callThenAnswer, httpEntry, openScene, states } from './scene.ts';

const AUTO = 'mcp: {permissions: auto}\nservers:\n';
const TOKEN = 'tok-1234567890-secret';

test('MM-02 MM-10 MM-11: a bearer token from the named variable goes with every request', async () => {
  await using server = await startMcpServer({ bearer: TOKEN });
  const more = ', tools: [read], auth: {type: bearer, tokenEnv: GH_TOKEN}, permissions: auto';
  await using scene = await openScene({
    yaml: `servers:\n${httpEntry('gh', server.url, more)}`,
    env: { GH_TOKEN: ` ${TOKEN}\n` },
    steps: callThenAnswer(['gh_read', {}]),
  });
  expect((await ask(scene)).answer).toBe('nothing to read');
  const sent = new Set(server.requests.map(({ headers }) => headers['authorization']));
  expect([...sent]).toEqual([`Bearer ${TOKEN}`]);
});

test('MM-11: an API key goes in the header that the config names, with no scheme', async () => {
  await using server = await startMcpServer();
  const auth = ', auth: {type: apiKey, header: X-Api-Key, tokenEnv: KEY}';
  await using scene = await openScene({
    yaml: AUTO + httpEntry('s1', server.url, auth),
    env: { KEY: TOKEN },
    steps: callThenAnswer(['s1_read', {}]),
  });
  await ask(scene);
  const sent = server.requests.map(({ headers }) => [
    headers['x-api-key'],
    headers['authorization'],
  ]);
  expect(new Set(sent.map(String))).toEqual(new Set([`${TOKEN},`]));
});

test.each([
  ['unset', {}],
  ['empty', { TOKEN_VAR: '' }],
  ['blank', { TOKEN_VAR: ' \n' }],
])(
  'MM-12: with the variable %s the server is left out with a warning, nothing is sent',
  async (_name, env) => {
    await using server = await startMcpServer();
    await using other = await startMcpServer();
    const auth = ', auth: {type: bearer, tokenEnv: TOKEN_VAR}';
    await using scene = await openScene({
      yaml: `${AUTO}${httpEntry('locked', server.url, auth)}\n${httpEntry('open', other.url)}`,
      env,
      steps: callThenAnswer(['open_read', {}]),
    });
    expect(states(scene.report)).toEqual({ locked: 'needs_auth', open: 'ready' });
    const error = scene.report.servers[0]?.error;
    expect([error?.message, error?.hint]).toEqual([
      'server "locked" needs a token: the variable TOKEN_VAR is not set or empty',
      'set TOKEN_VAR',
    ]);
    expect([server.requests, (await ask(scene)).answer]).toEqual([[], 'nothing to read']);
  },
);

test.each([
  ['auth: {type: bearer, token: abc123456789}', /tokenEnv/],
  ['headers: {Authorization: "Bearer abc123456789"}', /tokenEnv|Env/],
])(
  'MM-10: a literal token in the file skips the server and is not shown: %s',
  async (entry, remedy) => {
    await using server = await startMcpServer();
    await using scene = await openScene({
      yaml: AUTO + httpEntry('s1', server.url, `, ${entry}`),
      steps: [{ text: 'ok' }],
    });
    const [warning] = scene.config.warnings;
    const text = `${warning?.message}\n${warning?.hint ?? ''}`;
    expect([scene.config.skipped, server.requests]).toEqual([['s1'], []]);
    expect(text).toMatch(remedy);
    expect(text).not.toContain('abc123456789');
  },
);

test('a token that a server sends back reaches neither model nor answer', async () => {
  const leak = { content: [{ type: 'text', text: `your token is ${TOKEN}!` }] };
  const says = tool('whoami', 'Says.', { type: 'object' }, { does: { result: leak } });
  await using server = await startMcpServer({ bearer: TOKEN, tools: [says] });
  await using scene = await openScene({
    yaml: AUTO + httpEntry('s1', server.url, ', auth: {type: bearer, tokenEnv: T}'),
    env: { T: TOKEN },
    steps: callThenAnswer(['s1_whoami', {}]),
  });
  const result = await ask(scene);
  expect(result.answer).toMatch(/^your token is .*!$/);
  expect(JSON.stringify([result, scene.requests.map(({ body }) => body)])).not.toContain(TOKEN);
});

test('a refused token is told as such and the run goes on', async () => {
  await using server = await startMcpServer({ bearer: 'another one' });
  await using scene = await openScene({
    yaml: AUTO + httpEntry('s1', server.url, ', auth: {type: bearer, tokenEnv: T}'),
    env: { T: TOKEN },
    steps: [{ text: 'without it' }],
  });
  expect(scene.report.servers[0]?.error?.message).toContain('refused the configured token (401)');
  expect((await ask(scene)).answer).toBe('without it');
});
