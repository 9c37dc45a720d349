import { expect, test } from 'bun:test';
import type { JsonObject } from '../../src/base/json.ts';
import { declareTools } from '../../src/host/declare.ts';
import { createRegistry } from '../../src/tools/registry.ts';
import type { ToolDefinition } from '../../src/tools/types.ts';
import { definition, sourceOf } from '../tools/samples.ts';
import { serverOf } from './server-config.ts';

function snapshotOf(...tools: readonly ToolDefinition[]) {
  const registry = createRegistry({ naming: 'server_tool', order: ['s'] });
  registry.setSource('s', sourceOf('s'), tools, serverOf('s'));
  return registry.snapshot();
}

test('a tool is its public name, its description or title, and its schema', () => {
  const inputSchema: JsonObject = { type: 'object', properties: { a: { type: 'string' } } };
  const snapshot = snapshotOf(
    definition('a-b', { inputSchema, description: 'Does it.', title: 'Title' }),
    definition('c', { title: 'Only a title' }),
    definition('d'),
  );
  const empty = { type: 'object', properties: {} };
  expect(declareTools(snapshot)).toEqual([
    { name: 's_a_b', description: 'Does it.', inputSchema },
    { name: 's_c', description: 'Only a title', inputSchema: empty },
    { name: 's_d', description: '', inputSchema: empty },
  ]);
});

test('texts lose hidden characters; values and names that have some are left out', () => {
  const dirty = 'a\u200b\u{e0041}b';
  const inputSchema: JsonObject = {
    type: 'object',
    description: dirty,
    properties: {
      [dirty]: { type: 'string', enum: ['a'] },
      one: {
        type: 'string',
        title: dirty,
        enum: ['\r\n', dirty, '\u{1f468}\u200d\u{1f469}'],
        default: dirty,
        examples: [dirty],
        $comment: dirty,
      },
      list: { anyOf: [{ description: dirty }, { const: dirty, items: { description: dirty } }] },
      // A property may be called as a keyword is.
      description: { type: 'string', description: dirty },
    },
    required: [dirty, 'one'],
    [dirty]: true,
  };
  const [declared] = declareTools(snapshotOf(definition('t', { inputSchema, description: dirty })));
  expect(declared).toEqual({
    name: 's_t',
    description: 'ab',
    inputSchema: {
      type: 'object',
      description: 'ab',
      properties: {
        one: {
          type: 'string',
          title: 'ab',
          enum: ['\r\n', '\u{1f468}\u200d\u{1f469}'],
          $comment: 'ab',
        },
        list: { anyOf: [{ description: 'ab' }, { items: { description: 'ab' } }] },
        description: { type: 'string', description: 'ab' },
      },
      required: ['one'],
    },
  });
});

test('a long description is cut, and each tool is declared once', () => {
  const snapshot = snapshotOf(definition('t', { description: 'x'.repeat(5000) }));
  const [first] = declareTools(snapshot);
  expect([first?.description.length, first === declareTools(snapshot)[0]]).toEqual([2048, true]);
});

test('hidden tools are not declared', () => {
  const registry = createRegistry({ naming: 'server_tool', order: ['s'] });
  const rules = { ...serverOf('s'), tools: ['b'] };
  registry.setSource('s', sourceOf('s'), [definition('a'), definition('b')], rules);
  expect(declareTools(registry.snapshot()).map(({ name }) => name)).toEqual(['s_b']);
});
