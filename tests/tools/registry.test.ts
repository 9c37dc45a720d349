import { describe, expect, test } from 'bun:test';
import { createRegistry } from '../../src/tools/registry.ts';
import type { RegistrySnapshot } from '../../src/tools/types.ts';
import { definition, sourceOf } from './samples.ts';

const RULES = { tools: undefined, exposure: 'direct', binary: 'drop' } as const;

function registryOf(
  servers: Readonly<Record<string, readonly string[]>>,
  naming: 'server_tool' | 'mcp' = 'server_tool',
) {
  const registry = createRegistry({ naming, order: Object.keys(servers) });
  for (const [server, names] of Object.entries(servers)) {
    registry.setSource(
      server,
      sourceOf(server),
      names.map((name) => definition(name)),
      RULES,
    );
  }
  return registry;
}

const found = (snapshot: RegistrySnapshot, name: string) => {
  const resolution = snapshot.resolve(name);
  return resolution.kind === 'found'
    ? `${resolution.tool.server}/${resolution.tool.name}`
    : resolution;
};

describe('registry', () => {
  test('orders tools by server as configured, whenever they come', () => {
    const registry = createRegistry({ naming: 'server_tool', order: ['b', 'a'] });
    registry.setSource('z', sourceOf('z'), [definition('1')], RULES);
    registry.setSource('a', sourceOf('a'), [definition('2'), definition('1')], RULES);
    registry.setSource('b', sourceOf('b'), [definition('9')], RULES);
    const names = registry.snapshot().tools.map((tool) => tool.publicName);
    expect(names).toEqual(['b_9', 'a_2', 'a_1', 'z_1']);
  });

  test('a snapshot stays as it was when the source is replaced', () => {
    const registry = registryOf({ s: ['old'] });
    const before = registry.snapshot();
    registry.setSource('s', sourceOf('s'), [definition('new')], RULES);
    expect(before.tools.map((tool) => tool.name)).toEqual(['old']);
    expect(registry.snapshot().tools.map((tool) => tool.name)).toEqual(['new']);
    expect(Object.isFrozen(before) && Object.isFrozen(before.tools)).toBe(true);
    expect(registry.snapshot()).toBe(registry.snapshot());
  });

  test('every spelling finds the tool, in both namings', () => {
    for (const naming of ['server_tool', 'mcp'] as const) {
      const snapshot = registryOf({ 'my-gh': ['get-issue', 'a/b'] }, naming).snapshot();
      const spellings = [
        'my-gh/get-issue',
        'my_gh_get_issue',
        'mcp__my_gh__get_issue',
        'mcp__my-gh__get-issue',
        'my-gh.get-issue',
        'get-issue',
      ];
      expect(spellings.map((name) => found(snapshot, name))).toEqual(
        spellings.map(() => 'my-gh/get-issue'),
      );
      expect([found(snapshot, 'my-gh/a/b'), found(snapshot, 'a/b')]).toEqual([
        'my-gh/a/b',
        'my-gh/a/b',
      ]);
    }
  });

  test('ambiguity is an error with the candidates', () => {
    const snapshot = registryOf({
      a: ['search'],
      b: ['search'],
      github: ['x_y'],
      github_x: ['y'],
    }).snapshot();
    expect([found(snapshot, 'search'), found(snapshot, 'github_x_y')]).toEqual([
      { kind: 'ambiguous', candidates: ['a/search', 'b/search'] },
      { kind: 'ambiguous', candidates: ['github/x_y', 'github_x/y'] },
    ]);
  });

  test('an unknown name tells the nearest, spelled as it was asked', () => {
    const snapshot = registryOf({ github: ['search_code', 'get_issue'] }).snapshot();
    expect([
      snapshot.resolve('github/serch_code'),
      snapshot.resolve('github_get_isue'),
      snapshot.resolve('get_isue'),
      snapshot.resolve('qqqqqqqqqqqqqqqqqqq'),
    ]).toEqual([
      { kind: 'unknown', nearest: ['github/search_code'] },
      { kind: 'unknown', nearest: ['github_get_issue'] },
      { kind: 'unknown', nearest: ['github_get_issue'] },
      { kind: 'unknown', nearest: [] },
    ]);
  });

  test('a vanished tool is gone, not unknown, by every spelling', () => {
    const registry = registryOf({ s: ['a', 'b'] });
    registry.snapshot();
    registry.setSource('s', sourceOf('s'), [definition('b')], RULES);
    const snapshot = registry.snapshot();
    const gone = { kind: 'gone', server: 's', name: 'a' } as const;
    expect(['s/a', 's_a', 's.a', 'mcp__s__a', 'a'].map((name) => found(snapshot, name))).toEqual(
      Array.from({ length: 5 }, () => gone),
    );
    registry.removeSource('s');
    expect(found(registry.snapshot(), 's_b')).toEqual({ kind: 'gone', server: 's', name: 'b' });
  });

  test("a straggler's collision renames both, and the name shown before keeps its tool", () => {
    const registry = createRegistry({ naming: 'server_tool', order: ['github', 'github_x'] });
    registry.setSource('github', sourceOf('github'), [definition('x_search')], RULES);
    expect(registry.snapshot().tools.map((tool) => tool.publicName)).toEqual(['github_x_search']);
    registry.setSource('github_x', sourceOf('github_x'), [definition('search')], RULES);
    const both = registry.snapshot();
    for (const { publicName } of both.tools)
      expect(publicName).toMatch(/^github_x_search_[0-9a-f]{8}$/);
    expect(found(both, 'github_x_search')).toBe('github/x_search');
    registry.setSource('github', sourceOf('github'), [], RULES);
    const alone = registry.snapshot();
    expect(found(alone, 'github_x_search')).toEqual({
      kind: 'gone',
      server: 'github',
      name: 'x_search',
    });
    expect(alone.tools.map((tool) => tool.publicName)).not.toContain('github_x_search');
  });

  test('MM-08: hidden tools are listed with their reason and warned about', () => {
    const registry = createRegistry({ naming: 'server_tool', order: ['s'] });
    const tools = [
      definition('up', {
        inputSchema: { type: 'object', properties: { f: { format: 'binary' } } },
      }),
      definition('ok'),
    ];
    const warnings = registry.setSource('s', sourceOf('s'), tools, {
      ...RULES,
      tools: ['up', 'okk'],
    });
    expect(warnings).toEqual([
      { message: 's: the server has no tool "okk" (listed in tools:)', hint: 'did you mean "ok"?' },
      {
        message:
          's/up is hidden: it needs binary data at inputSchema.properties.f (format: binary)',
        hint: 'binary: keep in server s offers it all the same',
      },
    ]);
    expect(registry.snapshot().hidden.map((tool) => [tool.name, tool.hidden?.kind])).toEqual([
      ['up', 'binary'],
      ['ok', 'not_listed'],
    ]);
    expect(found(registry.snapshot(), 's/up')).toBe('s/up');
  });

  test('--tool and --no-tool patterns hide on any spelling', () => {
    const registry = createRegistry({
      naming: 'server_tool',
      order: ['a', 'b'],
      patterns: { only: ['a/*', 'b_y'], without: ['z'] },
    });
    registry.setSource('a', sourceOf('a'), [definition('x'), definition('z')], RULES);
    registry.setSource('b', sourceOf('b'), [definition('y'), definition('w')], RULES);
    const snapshot = registry.snapshot();
    expect(snapshot.tools.map((tool) => tool.publicName)).toEqual(['a_x', 'b_y']);
    expect(snapshot.hidden.map((tool) => tool.hidden)).toEqual([
      { kind: 'flag' },
      { kind: 'flag' },
    ]);
  });

  test('an exposed tool goes before a hidden one of the same bare name', () => {
    const registry = registryOf({ a: ['search'] });
    registry.setSource('b', sourceOf('b'), [definition('search')], { ...RULES, tools: [] });
    expect(found(registry.snapshot(), 'search')).toBe('a/search');
  });

  test('two tools of one name on one server count once, the last one holds', () => {
    const registry = createRegistry({ naming: 'server_tool', order: [] });
    const tools = [definition('a', { description: '1' }), definition('a', { description: '2' })];
    registry.setSource('s', sourceOf('s'), tools, RULES);
    expect(
      registry.snapshot().tools.map((tool) => [tool.publicName, tool.definition.description]),
    ).toEqual([['s_a', '2']]);
  });
});
