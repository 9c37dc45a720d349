import { describe, expect, test } from 'bun:test';
import type { JsonObject } from '../../src/base/json.ts';
import { declarationOf } from '../../src/codemode/declare.ts';
import { codeDescription, TOOL_DESCRIPTION } from '../../src/codemode/description.ts';
import type { Exposure, RegisteredTool } from '../../src/tools/types.ts';
import { openHouse } from './house.ts';

function registered(
  publicName: string,
  inputSchema: JsonObject,
  more: { exposure?: Exposure; server?: string; outputSchema?: JsonObject } = {},
): RegisteredTool {
  using house = openHouse({ tools: [{ name: 'x' }] });
  const [base] = house.ports.snapshot().reachable;
  if (base === undefined) throw new Error('no tool');
  const { exposure = 'codemode', server = 's', outputSchema } = more;
  const definition = { ...base.definition, name: publicName, inputSchema, outputSchema };
  return { ...base, server, publicName, exposure, definition };
}

const same = (text: string) => text;

describe('a declaration', () => {
  test('says types, optional properties, comments and results', () => {
    const tool = registered(
      's_make',
      {
        type: 'object',
        properties: {
          name: { type: 'string', description: 'Ends */ here.\nReally.' },
          kind: { enum: ['a', 'b', 3] },
          'odd-key': { type: ['integer', 'null'] },
          list: { type: 'array', items: { anyOf: [{ type: 'string' }, { $ref: '#/$defs/node' }] } },
          map: { type: 'object', additionalProperties: { type: 'boolean' } },
          any: {},
        },
        required: ['name'],
        $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
      },
      {
        outputSchema: { type: 'object', properties: { id: { type: 'number' } }, required: ['id'] },
      },
    );
    expect(declarationOf(tool, same)).toBe(
      'tools.s_make(args: { /** Ends * / here. Really. */ name: string; kind?: "a" | "b" | 3; ' +
        '"odd-key"?: number | null; list?: (string | { next?: unknown })[]; map?: Record<string, boolean>; ' +
        'any?: unknown }): Promise<{ id: number }>;',
    );
  });

  test('ends for a schema of any depth and width', () => {
    let schema: JsonObject = { type: 'string' };
    for (let depth = 0; depth < 200; depth += 1) {
      schema = { type: 'object', properties: { deep: schema } };
    }
    const wide = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`p${n}`, {}]));
    const text = declarationOf(
      registered('s_big', { type: 'object', properties: { schema, ...wide } }),
      same,
    );
    expect(text.length).toBeLessThan(2_000);
  });
});

describe('the description for models', () => {
  test('lists what only scripts reach, the cheapest of each server in turn', () => {
    const none = { type: 'object', properties: {} };
    const text = codeDescription(
      [
        registered('a_longest_of_all', none, { server: 'a' }),
        registered('a_x', none, { server: 'a' }),
        registered('b_y', none, { server: 'b' }),
        registered('c_direct', none, { server: 'c', exposure: 'direct' }),
        registered('c_deferred', none, { server: 'c', exposure: 'deferred' }),
      ],
      same,
    );
    expect(
      text.split('\n').filter((line) => line.startsWith('tools.') && line.endsWith(';')),
    ).toEqual([
      'tools.a_x(args?: {}): Promise<CallToolResult>;',
      'tools.b_y(args?: {}): Promise<CallToolResult>;',
      'tools.a_longest_of_all(args?: {}): Promise<CallToolResult>;',
    ]);
  });

  test('stays within 3,000 tokens of declarations and says how many are left out', () => {
    const tools = Array.from({ length: 500 }, (_, n) =>
      registered(`s_tool_number_${n}`, { type: 'object', properties: { argument: {} } }),
    );
    const text = codeDescription(tools, same);
    const empty = codeDescription([], same);
    expect(text.length - empty.length).toBeLessThan(12_100);
    expect(text).toMatch(/\/\/ … \d+ more: searchTools\(\)$/);
    expect(codeDescription(tools.toReversed(), same)).toBe(text);
  });

  test('fits the bound of every provider where it stands outside of the schema', () => {
    expect(TOOL_DESCRIPTION.length).toBeLessThan(1_024);
  });
});
