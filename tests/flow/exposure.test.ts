import { describe, expect, test } from 'bun:test';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { tool } from '../fixtures/servers/script.ts';
import {
  ask,
  callStep,
  callThenAnswer,
  httpEntry,
  offered,
  openScene,
  outcomes,
  resultTexts,
  type SceneOptions,
} from './scene.ts';

const AUTO = 'mcp: {permissions: auto}\nservers:\n';
const EMPTY = { type: 'object', properties: {} };
const NEEDS_ID = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };
const TOOLS = [
  tool('get_weather', 'Weather forecast for a city.', EMPTY),
  tool('send_letter', 'Sends a letter by post.', NEEDS_ID),
  tool('roll_dice', 'Rolls dice.', EMPTY),
];

describe('deferred tools', () => {
  test('PI-44: a search declares what it finds from the next request on', async () => {
    await using server = await startMcpServer({ tools: TOOLS });
    await using scene = await openScene({
      yaml: AUTO + httpEntry('s', server.url, ', exposure: deferred'),
      steps: [
        callStep(['tool_search', { query: 'will it rain', limit: 1 }]),
        ...callThenAnswer(['s_get_weather', {}]),
      ],
    });
    const result = await ask(scene);
    expect([offered(scene, 0), offered(scene, 1)]).toEqual([
      ['tool_search'],
      ['tool_search', 's_get_weather'],
    ]);
    expect(resultTexts(scene)[0]).toBe(
      'Declared from your next turn on:\n- s_get_weather: Weather forecast for a city.',
    );
    expect(outcomes(result)).toEqual(['@search/tool_search ok', 's/get_weather ok']);
    expect(scene.host.snapshot().reachable.map(({ name }) => name)).toEqual([
      'get_weather',
      'send_letter',
      'roll_dice',
    ]);
  });

  test('SEARCH-01: one that was never searched for is executed, or answered with its schema', async () => {
    await using server = await startMcpServer({ tools: TOOLS });
    await using scene = await openScene({
      yaml: AUTO + httpEntry('s', server.url, ', exposure: deferred'),
      steps: [
        callStep(['s_send_letter', {}]),
        callStep(['s_send_letter', { id: 'x' }]),
        ...callThenAnswer(['roll_dice', {}]),
      ],
    });
    const result = await ask(scene);
    expect(outcomes(result)).toEqual([
      's/send_letter invalid',
      's/send_letter ok',
      's/roll_dice ok',
    ]);
    expect(resultTexts(scene)[0]).toContain(`Its schema: ${JSON.stringify(NEEDS_ID)}`);
    expect(offered(scene, 1)).toEqual(['tool_search', 's_send_letter']);
  });

  test('PI-04: a deferred tool is asked for like any other', async () => {
    await using server = await startMcpServer({ tools: TOOLS });
    await using scene = await openScene({
      yaml: `servers:\n${httpEntry('s', server.url, ', exposure: deferred')}`,
      steps: callThenAnswer(['s_roll_dice', {}]),
    });
    const result = await ask(scene);
    expect([result.exit, outcomes(result)]).toEqual([5, ['s/roll_dice denied']]);
  });

  test('PI-19: the system prompt names their server, in words that stay the same', async () => {
    await using server = await startMcpServer({
      tools: TOOLS,
      instructions: 'Post and weather.\nMore.',
    });
    await using scene = await openScene({
      yaml: AUTO + httpEntry('s', server.url, ', exposure: deferred, instructions: off'),
      steps: [callStep(['tool_search', { query: 'post' }]), ...callThenAnswer(['s_roll_dice', {}])],
    });
    await ask(scene);
    const systems = scene.requests.map(({ seen }) => seen.system ?? '');
    expect(systems[0]).toContain('tool_search.\n- s (3 tools): Post and weather.');
    expect(new Set(systems).size).toBe(1);
  });

  test('PI-44: what a saved conversation had found or called is declared again when it goes on', async () => {
    await using server = await startMcpServer({ tools: TOOLS });
    const yaml = AUTO + httpEntry('s', server.url, ', exposure: deferred');
    let saved: Parameters<NonNullable<SceneOptions['saving']>['onHistory']>[0] = [];
    const saving = (): SceneOptions['saving'] => ({
      id: 'one',
      beforeSend: () => undefined,
      history: saved,
      kept: [],
      stored: new Map(),
      onHistory: (messages) => {
        saved = structuredClone(messages);
      },
    });
    await using first = await openScene({
      yaml,
      saving: saving(),
      steps: [
        callStep(['tool_search', { query: 'will it rain', limit: 1 }]),
        ...callThenAnswer(['s_roll_dice', {}]),
      ],
    });
    await ask(first);
    await using second = await openScene({
      yaml,
      saving: saving(),
      steps: callThenAnswer(['s_get_weather', {}]),
    });
    const result = await ask(second);
    expect(offered(second, 0)).toEqual(['tool_search', 's_get_weather', 's_roll_dice']);
    expect(outcomes(result)).toEqual(['s/get_weather ok']);
  });

  test('PI-03: tools of one server may differ, with tool_search only where there is use for it', async () => {
    await using server = await startMcpServer({ tools: TOOLS });
    const entry = ', toolExposure: {"*_dice": deferred, roll_dice: hidden}';
    await using scene = await openScene({
      yaml: AUTO + httpEntry('s', server.url, entry),
      steps: [{ text: 'done' }],
    });
    await ask(scene);
    expect(offered(scene, 0)).toEqual(['s_get_weather', 's_send_letter']);
  });

  test('R14: auto declares few tools and defers many', async () => {
    const many = Array.from({ length: 60 }, (_, index) =>
      tool(`tool_${index}`, 'Does a thing that takes many words to tell. '.repeat(20), EMPTY),
    );
    await using few = await startMcpServer({ tools: TOOLS });
    await using lots = await startMcpServer({ tools: many });
    for (const [server, expected] of [
      [few, ['s_get_weather', 's_send_letter', 's_roll_dice']],
      [lots, ['tool_search']],
    ] as const) {
      await using scene = await openScene({
        yaml: `mcp: {permissions: auto, exposure: auto}\nservers:\n${httpEntry('s', server.url)}`,
        steps: [{ text: 'done' }],
      });
      await ask(scene);
      expect(offered(scene, 0)).toEqual([...expected]);
    }
  });
});

test('codemode tools without the tool that runs scripts are deferred, with one warning', async () => {
  await using server = await startMcpServer({ tools: TOOLS });
  await using scene = await openScene({
    yaml: AUTO + httpEntry('s', server.url, ', exposure: codemode'),
    toolPatterns: { only: undefined, without: ['codemode'] },
    steps: [callStep(['tool_search', { query: 'dice' }]), ...callThenAnswer(['s_roll_dice', {}])],
  });
  const result = await ask(scene);
  expect([offered(scene, 0), outcomes(result)]).toEqual([
    ['tool_search'],
    ['@search/tool_search ok', 's/roll_dice ok'],
  ]);
  const warnings = scene.events.filter(({ type }) => type === 'warning');
  expect(warnings).toEqual([
    {
      type: 'warning',
      message:
        'the tool codemode is left out: tools with exposure: codemode are found with tool_search',
      hint: 'defaultTools, --tool and --no-tool decide on codemode',
    },
  ]);
});

describe('an embeddings endpoint', () => {
  const ENTRY = (url: string) =>
    `search: {embeddings: {baseUrl: "${url}", model: m, apiKeyEnv: EMBED_KEY}}\n`;

  test('brings in what words alone do not find', async () => {
    await using server = await startMcpServer({ tools: TOOLS });
    const asked: unknown[] = [];
    using endpoint = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(request) {
        const { input }: { input: string[] } = JSON.parse(await request.text());
        asked.push([new URL(request.url).pathname, request.headers.get('authorization')]);
        const data = input.map((text, index) => ({
          index,
          embedding: /dice|zufallskubus/.test(text) ? [1, 0] : [0, 1],
        }));
        return Response.json({ data });
      },
    });
    await using scene = await openScene({
      yaml: ENTRY(`${endpoint.url}v1/`) + AUTO + httpEntry('s', server.url),
      env: { EMBED_KEY: 'key-of-embeddings' },
    });
    const found = await scene.host.find('zufallskubus', 1, new AbortController().signal);
    expect(found.map(({ tool: one }) => one.name)).toEqual(['roll_dice']);
    await scene.host.find('zufallskubus', 1, new AbortController().signal);
    expect(asked).toEqual(Array(3).fill(['/v1/embeddings', 'Bearer key-of-embeddings']));
  });

  test('that fails leaves the search by words, with one warning', async () => {
    await using server = await startMcpServer({ tools: TOOLS });
    using endpoint = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () => new Response('', { status: 503 }),
    });
    await using scene = await openScene({
      yaml: ENTRY(`${endpoint.url}v1`) + AUTO + httpEntry('s', server.url),
      env: { EMBED_KEY: 'key-of-embeddings' },
    });
    for (let turn = 0; turn < 2; turn += 1) {
      const found = await scene.host.find('dice', 3, new AbortController().signal);
      expect(found.map(({ tool: one }) => one.name)).toEqual(['roll_dice']);
    }
    const warnings = scene.events.filter(({ type }) => type === 'warning');
    expect(warnings).toEqual([
      {
        type: 'warning',
        message: 'tools are searched by words alone: the embeddings endpoint answered 503',
        hint: undefined,
      },
    ]);
  });
});
