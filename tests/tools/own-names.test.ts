import { expect, test } from 'bun:test';
import { keyOf } from '../../src/tools/naming.ts';
import { createRegistry } from '../../src/tools/registry.ts';
import type { ToolDefinition, ToolSource } from '../../src/tools/types.ts';

const rules = { tools: undefined, exposure: 'direct', binary: 'drop' } as const;
const definition = (name: string): ToolDefinition => ({
  name,
  title: undefined,
  description: undefined,
  inputSchema: { type: 'object', properties: {} },
  outputSchema: undefined,
  annotations: {},
  raw: { name },
});
const source = (name: string): ToolSource => ({
  name,
  kind: 'builtin',
  identity: name,
  call: () => Promise.reject(new Error('not called')),
});

test('a reserved name is never given to a tool of a server, whichever comes first', () => {
  const reserved = new Map([['list_all', keyOf({ server: '@own', name: 'list_all' })]]);
  for (const order of [
    ['list', '@own'],
    ['@own', 'list'],
  ]) {
    const registry = createRegistry({ naming: 'server_tool', order: [], reserved });
    for (const name of order) {
      if (name === '@own') {
        const own = { ...source(name), ownNames: true } as const;
        registry.setSource(name, own, [definition('list_all')], rules);
      } else registry.setSource(name, source(name), [definition('all')], rules);
      registry.snapshot();
    }
    const { tools, resolve } = registry.snapshot();
    expect(tools.map(({ publicName }) => publicName).sort()).toEqual([
      'list_all',
      expect.stringMatching(/^list_all_[0-9a-f]{8}$/),
    ]);
    expect(resolve('list_all')).toMatchObject({ kind: 'found', tool: { server: '@own' } });
  }
});
