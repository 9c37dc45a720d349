import { describe, expect, test } from 'bun:test';
import type { JsonObject } from '../../src/base/json.ts';
import { prepareCall } from '../../src/calls/prepare.ts';
import type { Aim, RegisteredTool, RegistrySnapshot, ToolSource } from '../../src/tools/types.ts';

function toolOf(name: string, source: Partial<ToolSource> = {}): RegisteredTool {
  const inputSchema = { type: 'object', properties: { n: { type: 'number' } } };
  return {
    server: 's',
    name,
    publicName: name,
    definition: {
      name,
      title: undefined,
      description: undefined,
      inputSchema,
      outputSchema: undefined,
      annotations: {},
      raw: {},
    },
    hidden: undefined,
    exposure: 'direct',
    source: {
      name: 's',
      kind: 'builtin',
      identity: 's',
      call: () => Promise.reject(new Error('not called')),
      ...source,
    },
  };
}

/** Calls `front`, which aims as told, beside the tool `back`. */
function prepare(aim: Aim | undefined, args: JsonObject = { n: 1 }) {
  const front = toolOf('front', { aim: () => aim });
  const back = toolOf('back');
  const tools = [front, back];
  const snapshot: RegistrySnapshot = {
    tools,
    reachable: tools,
    hidden: [],
    resolve(name) {
      const tool = tools.find((one) => one.name === name);
      return tool === undefined ? { kind: 'unknown', nearest: [] } : { kind: 'found', tool };
    },
  };
  const call = { id: '1', name: 'front', arguments: args, invalidArguments: undefined } as const;
  const prepared = prepareCall({ ...call, origin: 'model' }, snapshot);
  return prepared.kind === 'ready' ? [prepared.tool.name, prepared.arguments] : prepared.text;
}

describe('a tool that stands for another one', () => {
  test('becomes that tool with the arguments meant for it', () => {
    expect([
      prepare(undefined),
      prepare({ kind: 'tool', tool: toolOf('other'), arguments: { x: 1 } }),
      prepare({ kind: 'call', name: 'back', arguments: { n: 2 } }),
    ]).toEqual([
      ['front', { n: 1 }],
      ['other', { x: 1 }],
      ['back', { n: 2 }],
    ]);
  });

  test('is checked before, and so is the tool it calls by name', () => {
    const target = { kind: 'call', name: 'back', arguments: { n: 'two' } } as const;
    expect(prepare(target, { n: 'one' })).toContain('do not fit the schema of front');
    expect(prepare(target)).toContain('do not fit the schema of back');
  });

  test('cannot stand for one that stands for another, or for none', () => {
    expect([
      prepare({ kind: 'call', name: 'front', arguments: {} }),
      prepare({ kind: 'call', name: 'none', arguments: {} }),
      prepare({ kind: 'invalid', text: 'There is no server.' }),
    ]).toEqual([
      'front calls tools of servers only.',
      'There is no tool "none".',
      'There is no server.',
    ]);
  });
});
