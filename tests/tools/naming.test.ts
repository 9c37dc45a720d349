import { describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import {
  assignNames,
  keyOf,
  type Naming,
  plainName,
  type ToolKey,
} from '../../src/tools/naming.ts';
import { TEST_SEED } from '../helpers/seed.ts';

fc.configureGlobal({ seed: TEST_SEED });

const hash = (tool: ToolKey) =>
  createHash('sha256').update(`${tool.server}\0${tool.name}`).digest('hex').slice(0, 8);

const nameOf = (server: string, name: string, naming: Naming = 'server_tool') =>
  plainName({ server, name }, naming);

const toolKey = fc.record({
  server: fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/),
  name: fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 100 }),
    fc.stringMatching(/^[a-c_-]{0,4}$/),
  ),
});
const toolSet = fc.array(toolKey, { maxLength: 30 });

describe('public names', () => {
  test('MM-17 MM-18: {server}_{tool}, each run of other characters one underscore', () => {
    expect([
      nameOf('context7', 'resolve-library-id'),
      nameOf('context7', 'query-docs'),
      nameOf('my-server', 'a--b..c d'),
      nameOf('s', '__init__'),
      nameOf('1s', '2tool'),
      nameOf('s', '日本'),
      nameOf('s', ''),
    ]).toEqual([
      'context7_resolve_library_id',
      'context7_query_docs',
      'my_server_a_b_c_d',
      's_init_',
      '1s_2tool',
      's_',
      's_',
    ]);
  });

  test('naming mcp replaces each character and collapses nothing', () => {
    expect([
      nameOf('my-server', 'a--b', 'mcp'),
      nameOf('s', 'a.b__c', 'mcp'),
      nameOf('s', '😀', 'mcp'),
    ]).toEqual(['mcp__my_server__a__b', 'mcp__s__a_b__c', 'mcp__s___']);
  });

  test('a name over 64 characters is cut and carries its hash, in both namings', () => {
    const tool = { server: 's'.repeat(60), name: `t${'x'.repeat(59)}` };
    expect(plainName(tool, 'server_tool')).toBe(`${'s'.repeat(55)}_${hash(tool)}`);
    expect(plainName(tool, 'mcp')).toBe(`mcp__${'s'.repeat(50)}_${hash(tool)}`);
  });

  test('SCHEMA-01: long names that differ only at their end stay apart', () => {
    const tools = ['a', 'b'].map((end) => ({
      server: 's'.repeat(60),
      name: `${'t'.repeat(59)}${end}`,
    }));
    expect([...assignNames(tools, 'server_tool').values()]).toEqual(
      tools.map((tool) => `${'s'.repeat(55)}_${hash(tool)}`),
    );
  });

  test('exactly 64 characters stay whole', () => {
    expect(nameOf('s'.repeat(32), 't'.repeat(31))).toBe(`${'s'.repeat(32)}_${'t'.repeat(31)}`);
  });

  test('MM-19: every member of a collision gets the hash', () => {
    const first = { server: 'github', name: 'x_search' };
    const second = { server: 'github_x', name: 'search' };
    const other = { server: 'github', name: 'other' };
    expect([...assignNames([first, second, other], 'server_tool').values()]).toEqual([
      `github_x_search_${hash(first)}`,
      `github_x_search_${hash(second)}`,
      'github_other',
    ]);
  });

  test('a tool named like the hashed name of another gives way itself', () => {
    const a = { server: 'a', name: 'b-c' };
    const b = { server: 'a', name: 'b.c' };
    const squatter = { server: 'a', name: `b_c_${hash(a)}` };
    const names = assignNames([a, b, squatter], 'server_tool');
    expect(names.get(keyOf(a))).toBe(`a_b_c_${hash(a)}`);
    expect(names.get(keyOf(squatter))).toBe(`a_b_c_${hash(a)}_${hash(squatter)}`);
  });

  test('a name that was shown for another tool is not given away', () => {
    const tool = { server: 'a', name: 'b.c' };
    const reserved = new Map([['a_b_c', keyOf({ server: 'a', name: 'b-c' })]]);
    expect(assignNames([tool], 'server_tool', reserved).get(keyOf(tool))).toBe(
      `a_b_c_${hash(tool)}`,
    );
  });

  for (const naming of ['server_tool', 'mcp'] as const) {
    test(`${naming}: names are unique, at most 64 characters of [A-Za-z0-9_], whatever the order`, () => {
      fc.assert(
        fc.property(toolSet, fc.integer(), (tools, seed) => {
          const names = assignNames(tools, naming);
          const keys = new Set(tools.map(keyOf));
          expect(new Set(names.values()).size).toBe(keys.size);
          for (const name of names.values()) expect(name).toMatch(/^[A-Za-z0-9_]{1,64}$/);
          const shuffled = [...tools].sort((a, b) =>
            Bun.hash(keyOf(a) + seed.toString()) < Bun.hash(keyOf(b) + seed.toString()) ? -1 : 1,
          );
          const again = assignNames(shuffled, naming);
          for (const key of keys) expect(again.get(key)).toBe(names.get(key) ?? 'missing');
        }),
      );
    });
  }
});
