/** Answers that are well sent and badly made: one odd thing costs that thing, never the rest. */
import { describe, expect, test } from 'bun:test';
import {
  event,
  type Hostility,
  reply,
  startHostile,
  startStream,
} from '../fixtures/servers/hostile.ts';
import type { Json } from '../fixtures/servers/script.ts';
import { httpEntry, openScene, type Scene } from '../flow/scene.ts';
import { cpuMs } from '../helpers/cpu.ts';

const CLOCKS = ', permissions: auto, timeout: {connect: 5s, idle: 2s, max: 4s}';
const object = { type: 'object', properties: {} };
const GOOD = { name: 'good', description: 'a good one', inputSchema: object };

/** Answers one method with this result. */
function resultAt(at: string, result: unknown): Hostility {
  return ({ method, message }, wire) => {
    if (method !== at) return false;
    reply(wire, JSON.stringify({ jsonrpc: '2.0', id: message['id'], result }));
    return true;
  };
}

async function withTools<T>(
  tools: readonly unknown[],
  work: (scene: Scene) => Promise<T> | T,
): Promise<T> {
  await using server = await startHostile(resultAt('tools/list', { tools }));
  await using scene = await openScene({ yaml: `servers:\n${httpEntry('s', server.url, CLOCKS)}` });
  return await work(scene);
}

function names(scene: Scene): readonly string[] {
  return scene.host.snapshot().tools.map(({ name }) => name);
}

describe.concurrent('a list with a tool that', () => {
  test.each<readonly [string, Json, boolean]>([
    ['has no schema', { name: 'odd' }, true],
    ['has a schema of null', { name: 'odd', inputSchema: null }, true],
    ['has a schema without a type', { name: 'odd', inputSchema: { properties: {} } }, true],
    ['has nulls for texts', { ...GOOD, name: 'odd', description: null, annotations: null }, true],
    [
      'has an output schema of another type',
      { ...GOOD, name: 'odd', outputSchema: { type: 'array', items: {} } },
      true,
    ],
    [
      'has a pattern that no engine compiles',
      {
        ...GOOD,
        name: 'odd',
        outputSchema: { type: 'object', pattern: '(?<bad', $ref: '#/nowhere' },
      },
      true,
    ],
    [
      'refers to a schema elsewhere',
      { name: 'odd', inputSchema: { type: 'object', $ref: 'http://127.0.0.1:9/schema' } },
      true,
    ],
    [
      'refers to itself without end',
      { name: 'odd', inputSchema: { type: 'object', properties: { a: { $ref: '#' } } } },
      true,
    ],
    ['has no name', { description: 'nameless', inputSchema: object }, false],
    ['has a number for a name', { name: 7, inputSchema: object }, false],
    ['has a text for a schema', { name: 'odd', inputSchema: 'text' }, false],
  ])('%s', async (_what, odd, isKept) => {
    await withTools([odd, GOOD], (scene) => {
      expect(names(scene)).toContain('good');
      expect(names(scene).includes('odd')).toBe(isKept);
    });
  });

  test('is no tool at all', async () => {
    await withTools([null, 'text', [], 5, GOOD], (scene) => {
      expect(names(scene)).toEqual(['good']);
    });
  });

  test('comes ten thousand times is cut, with a notice, within seconds', async () => {
    const tools = Array.from({ length: 10_000 }, (_, at) => ({ ...GOOD, name: `tool_${at}` }));
    const spent = await cpuMs(() =>
      withTools(tools, (scene) => {
        const [server] = scene.report.servers;
        expect([server?.state, server?.tools.length]).toEqual(['ready', 5000]);
        expect(scene.report.warnings.map(({ message }) => message).join()).toMatch(/5,?000/);
      }),
    );
    expect(spent).toBeLessThan(4000);
  });

  test('nests its schema two thousand deep', async () => {
    let schema: Json = { type: 'string' };
    for (let depth = 0; depth < 2000; depth += 1) {
      schema = { type: 'object', properties: { a: schema } };
    }
    await withTools([{ name: 'odd', inputSchema: schema }, GOOD], (scene) => {
      expect(names(scene)).toContain('good');
    });
  });

  test('stands there twice is there once', async () => {
    await withTools([GOOD, GOOD], (scene) => {
      expect(names(scene)).toEqual(['good']);
    });
  });
});

describe.concurrent('pages', () => {
  test('that repeat their cursor end, and what was read is kept', async () => {
    const page = { tools: [GOOD], nextCursor: 'again' };
    await using server = await startHostile(resultAt('tools/list', page));
    const yaml = `servers:\n${httpEntry('s', server.url, CLOCKS)}`;
    await using scene = await openScene({ yaml });
    expect([names(scene), scene.report.servers[0]?.state]).toEqual([['good'], 'ready']);
    expect(server.log().filter((method) => method === 'tools/list').length).toBeLessThan(4);
  });

  test('without end are bounded', async () => {
    let page = 0;
    const hostility: Hostility = (request, wire) => {
      page += request.method === 'tools/list' ? 1 : 0;
      const result = { tools: [{ ...GOOD, name: `t${page}` }], nextCursor: `c${page}` };
      return resultAt('tools/list', result)(request, wire);
    };
    await using server = await startHostile(hostility);
    const yaml = `servers:\n${httpEntry('s', server.url, CLOCKS)}`;
    await using scene = await openScene({ yaml });
    expect([names(scene).length, scene.report.servers[0]?.state]).toEqual([100, 'ready']);
  });
});

describe.concurrent('a result whose', () => {
  test.each<readonly [string, unknown, RegExp]>([
    ['content is of an unknown type', { content: [{ type: 'hologram', data: 'x' }] }, /hologram/],
    ['text is null', { content: [{ type: 'text', text: null }] }, /./],
    ['content is a text', { content: 'just text' }, /just text/],
    ['content is missing', { structuredContent: { answer: 42 } }, /42/],
    ['structured content is a list', { content: [], structuredContent: [1, 2, 3] }, /1,\s*2,\s*3/],
    ['structured content is a number', { content: [], structuredContent: 7 }, /7/],
    ['content is empty', { content: [] }, /./],
    ['content has holes', { content: [null, { type: 'text', text: 'here' }, 5] }, /here/],
    ['value is a text', 'plain', /plain/],
    ['value is null', null, /./],
  ])('%s reaches the model: the tool has run', async (_what, result, shown) => {
    await using server = await startHostile(resultAt('tools/call', result));
    const yaml = `servers:\n${httpEntry('s', server.url, CLOCKS)}`;
    await using scene = await openScene({ yaml });
    const asked = {
      id: 'c',
      name: 's/echo',
      arguments: { text: 'x' },
      invalidArguments: undefined,
    };
    const signal = new AbortController().signal;
    const outcome = await scene.host.call({ ...asked, origin: 'user' }, signal);
    expect(outcome.kind).toBe('result');
    expect(outcome.kind === 'result' ? outcome.rendered.text : '').toMatch(shown);
  });
});

test('an event stream of many messages in one chunk keeps their order', async () => {
  const hostility: Hostility = ({ method, message }, wire) => {
    if (method !== 'tools/call') return false;
    const note = { jsonrpc: '2.0', method: 'notifications/message', params: { data: 'x' } };
    const answer = { jsonrpc: '2.0', id: message['id'], result: { content: [] } };
    startStream(wire);
    wire.write(event(note).repeat(2000) + event(answer));
    wire.end();
    return true;
  };
  await using server = await startHostile(hostility);
  await using scene = await openScene({ yaml: `servers:\n${httpEntry('s', server.url, CLOCKS)}` });
  const asked = { id: 'c', name: 's/echo', arguments: {}, invalidArguments: undefined } as const;
  const signal = new AbortController().signal;
  expect((await scene.host.call({ ...asked, origin: 'user' }, signal)).kind).toBe('result');
});
