import { afterEach, describe, expect, test } from 'bun:test';
import { tmpdir } from 'node:os';
import { findBreach } from '../fixtures/models/rules.ts';
import { type ModelServer, startModelServer } from '../fixtures/models/server.ts';
import { DEFAULT_RULES, type Rule, type SeenRequest } from '../fixtures/models/types.ts';

/** The scripted servers are themselves evidence: each rule must be able to refuse. */
describe('a rule of the scripted servers', () => {
  const tool = { name: 't', description: '', schema: { type: 'object', properties: {} } };
  const fine: SeenRequest = {
    system: '',
    turns: [
      { role: 'user', text: 'x' },
      {
        role: 'assistant',
        text: '',
        calls: [{ id: 'c', name: 't', arguments: '{}' }],
        reasoning: 'r',
      },
      { role: 'tool', results: [{ id: 'c', text: 'r' }] },
    ],
    tools: [tool],
    hasImage: false,
  };
  const [user, calling, results] = fine.turns;
  if (user === undefined || calling?.role !== 'assistant' || results?.role !== 'tool')
    throw new Error('bad sample');
  const breaches: readonly (readonly [Rule, Partial<SeenRequest>])[] = [
    ['pairing', { turns: [user, calling] }],
    ['pairing', { turns: [user, calling, user] }],
    ['pairing', { turns: [user, results] }],
    [
      'pairing',
      { turns: [user, calling, { ...results, results: [...results.results, ...results.results] }] },
    ],
    ['names', { tools: [{ ...tool, name: 'a b' }] }],
    ['names', { tools: [{ ...tool, name: 'x'.repeat(65) }] }],
    ['duplicates', { tools: [tool, tool] }],
    ['schema', { tools: [{ ...tool, schema: { type: 'object' } }] }],
    ['schema', { tools: [{ ...tool, schema: { properties: {} } }] }],
    ['combinators', { tools: [{ ...tool, schema: { ...tool.schema, anyOf: [] } }] }],
    ['keywords', { tools: [{ ...tool, schema: { ...tool.schema, $defs: {} } }] }],
    ['images', { hasImage: true }],
    [
      'arguments',
      { turns: [user, { ...calling, calls: [{ id: 'c', name: 't', arguments: '' }] }, results] },
    ],
    ['empty', { turns: [user, calling, { ...results, results: [{ id: 'c', text: '' }] }] }],
    ['empty', { turns: [] }],
    ['reasoning-required', { turns: [user, { ...calling, reasoning: undefined }, results] }],
    ['reasoning-forbidden', { turns: [user, { ...calling, calls: [], text: 'a' }] }],
    ['max-tools', { tools: Array.from({ length: 129 }, (_, n) => ({ ...tool, name: `t${n}` })) }],
  ];
  for (const [rule, change] of breaches) {
    test(`refuses what breaks it and takes what does not: ${rule} ${JSON.stringify(change).slice(0, 60)}`, () => {
      expect(findBreach('responses', [rule], fine, '{}')).toBeUndefined();
      expect(findBreach('responses', [rule], { ...fine, ...change }, '{}')).toBeString();
    });
  }

  test('finds a lone surrogate in any spelling', () => {
    for (const body of ['{"a":"\\ud83d"}', '{"\\udc00":1}']) {
      expect(findBreach('openai', DEFAULT_RULES, fine, body)).toContain('surrogate');
    }
    expect(findBreach('openai', DEFAULT_RULES, fine, '{"a":"\\ud83d\\ude00"}')).toBeUndefined();
  });
});

describe('the scripted server', () => {
  let server: ModelServer | undefined;
  afterEach(async () => {
    await server?.close();
  });

  test('logs requests, refuses by rule and says when its script ends', async () => {
    server = await startModelServer({ format: 'openai', script: [{ text: 'a' }] });
    const { baseUrl, port } = server;
    const post = (body: object) =>
      fetch(`${baseUrl}/chat/completions`, { method: 'POST', body: JSON.stringify(body) });
    expect((await post({ messages: [] })).status).toBe(400);
    const hello = { messages: [{ role: 'user', content: 'x' }] };
    expect(await (await post(hello)).text()).toEndWith('data: [DONE]\n\n');
    expect((await post(hello)).status).toBe(500);
    const log = await (await fetch(`http://127.0.0.1:${port}/_log`)).json();
    expect(log).toMatchObject([{ status: 400 }, { status: 200, body: hello }, { status: 500 }]);
  });

  test('runs as a process and prints its port', async () => {
    const script = `${process.cwd()}/tests/fixtures/models/main.ts`;
    const file = `${tmpdir()}/usher-script-${process.pid}.json`;
    await Bun.write(file, '{"steps":[{"text":"a"}]}');
    const child = Bun.spawn([process.execPath, script, '--format', 'anthropic', '--script', file], {
      stdout: 'pipe',
      stderr: 'inherit',
    });
    try {
      const { value } = await child.stdout.getReader().read();
      expect(new TextDecoder().decode(value)).toMatch(/^port \d+\n$/);
    } finally {
      child.kill();
      await child.exited;
      await Bun.file(file).delete();
    }
  });
});
