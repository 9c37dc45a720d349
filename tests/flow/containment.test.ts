/** What one server says or does wrong costs nothing but itself. */
import { expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Hex } from '../../src/base/hash.ts';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { tool } from '../fixtures/servers/script.ts';
import { newFolder } from '../helpers/places.ts';
import { ask, callStep, callThenAnswer, httpEntry, openScene, outcomes } from './scene.ts';

const AUTO = 'mcp: {permissions: auto}\nservers:\n';
const EMPTY = { type: 'object', properties: {} };
const sent = (scene: Awaited<ReturnType<typeof openScene>>) =>
  JSON.stringify(scene.requests.map(({ body }) => body));

test('a secret in a JSON-RPC error, a description or instructions reaches neither model nor answer', async () => {
  const TOKEN = 'tok-1234567890-secret';
  const tools = [
    tool('err', `says ${TOKEN}`, EMPTY, { does: { error: { code: -1, message: `bad ${TOKEN}` } } }),
  ];
  await using server = await startMcpServer({ tools, instructions: `use ${TOKEN}` });
  await using scene = await openScene({
    yaml: AUTO + httpEntry('s1', server.url, ', auth: {type: bearer, tokenEnv: T}'),
    env: { T: TOKEN },
    steps: callThenAnswer(['s1_err', {}]),
  });
  const result = await ask(scene);
  expect(JSON.stringify(result) + sent(scene)).not.toContain(TOKEN);
});
test('a lone surrogate in a pattern does not cost the run', async () => {
  const schema = { type: 'object', properties: { a: { type: 'string', pattern: 'x\ud800y' } } };
  await using server = await startMcpServer({ tools: [tool('t', 'd', schema)] });
  await using scene = await openScene({
    yaml: AUTO + httpEntry('s1', server.url),
    steps: [{ text: 'ok' }],
  });
  expect((await ask(scene)).exit).toBe(0);
});
test.each([1, 9])(
  'hidden text in schema descriptions is taken out, depth %d, property named default',
  async (depth) => {
    let schema: object = { type: 'string', description: 'seen\u{e0041}' };
    for (let at = 0; at < depth; at += 1)
      schema = { type: 'object', properties: { [depth === 1 ? 'default' : 'a']: schema } };
    await using server = await startMcpServer({ tools: [tool('t', 'd', schema)] });
    await using scene = await openScene({
      yaml: AUTO + httpEntry('s1', server.url),
      steps: [{ text: 'ok' }],
    });
    await ask(scene);
    expect(sent(scene)).not.toMatch(/[\u{e0000}-\u{e007f}]/u);
  },
);
test('the record of an invalid call names server and original tool', async () => {
  await using server = await startMcpServer();
  await using scene = await openScene({
    yaml: AUTO + httpEntry('s1', server.url),
    steps: callThenAnswer(['s1_echo', { text: 5 }]),
  });
  expect(outcomes(await ask(scene))).toEqual(['s1/echo invalid']);
});
test('three calls of one turn that time out together are one time-out, not three in a row', async () => {
  const tools = [tool('hang', 'd', EMPTY, { does: { never: true } }), tool('ok', 'd', EMPTY)];
  await using server = await startMcpServer({ tools });
  await using scene = await openScene({
    yaml: AUTO + httpEntry('s1', server.url, ', timeout: {idle: 50ms}'),
    steps: [
      callStep(['s1_hang', { n: 1 }], ['s1_hang', { n: 2 }], ['s1_hang', { n: 3 }]),
      ...callThenAnswer(['s1_ok', {}]),
    ],
  });
  expect(outcomes(await ask(scene)).at(-1)).toBe('s1/ok ok');
});
test('a notice names its server once', async () => {
  await using server = await startMcpServer({
    pageSize: 1,
    cursors: ['z', 'z'],
    tools: ['a', 'b', 'c'].map((n) => tool(n, 'd', EMPTY)),
  });
  await using scene = await openScene({ yaml: AUTO + httpEntry('s1', server.url) });
  expect(scene.report.warnings[0]?.message.match(/s1/g)?.length).toBe(1);
});

test('a result that cannot be kept as a file is a warning, told once, and the call counts', async () => {
  const image = { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' };
  const tools = [tool('shot', 'd', EMPTY, { does: { result: { content: [image] } } })];
  await using server = await startMcpServer({ tools });
  await using scene = await openScene({
    yaml: AUTO + httpEntry('s1', server.url),
    env: { XDG_STATE_HOME: '/dev/null/nowhere' },
    steps: callThenAnswer(['s1_shot', { n: 1 }], ['s1_shot', { n: 2 }]),
  });
  const result = await ask(scene);
  const warnings = scene.events.flatMap((event) =>
    event.type === 'warning' ? [event.message] : [],
  );
  expect(outcomes(result)).toEqual(['s1/shot ok', 's1/shot ok']);
  expect(warnings).toEqual([
    expect.stringContaining("a tool's result could not be saved as a file"),
  ]);
});

test('a server that needs no sign-in works where none can be read', async () => {
  await using server = await startMcpServer({ tools: [tool('ping', 'd', EMPTY)] });
  for (const state of ['/dev/null/nowhere', newFolder()]) {
    const folder = join(state, 'usher', 'logins');
    if (!state.startsWith('/dev')) {
      mkdirSync(folder, { recursive: true });
      const name = `${sha256Hex(server.url.replace(/\/$/, ''))}.json`;
      writeFileSync(join(folder, name), 'torn', { mode: 0o644 });
    }
    await using scene = await openScene({
      yaml: AUTO + httpEntry('s1', server.url),
      env: { XDG_STATE_HOME: state },
      steps: callThenAnswer(['s1_ping', {}]),
    });
    expect([state, outcomes(await ask(scene))]).toEqual([state, ['s1/ping ok']]);
  }
});
