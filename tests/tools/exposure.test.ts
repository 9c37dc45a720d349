import { describe, expect, test } from 'bun:test';
import { declarationTokens, totalTokens } from '../../src/base/offered.ts';
import { autoBudget, configuredExposure, settleAuto } from '../../src/tools/exposure.ts';
import type { ExposureRules } from '../../src/tools/filter.ts';
import { createRegistry, type RegistryOptions } from '../../src/tools/registry.ts';
import { definition, sourceOf } from './samples.ts';

function rules(part: Partial<ExposureRules> = {}): ExposureRules {
  return { tools: undefined, exposure: 'direct', binary: 'drop', ...part };
}

function registryOf(options: Partial<RegistryOptions> = {}) {
  return createRegistry({ naming: 'server_tool', order: ['a', 'b'], ...options });
}

const three = ['one', 'two', 'three'].map((name) => definition(name));

describe('exposure', () => {
  test('an exact name wins, then the first pattern that fits in file order, then the server', () => {
    const choice = {
      exposure: 'direct',
      toolExposure: { 'get_*': 'deferred', get_it: 'hidden', '*_it': 'codemode' },
    } as const;
    expect(
      ['get_it', 'get_that', 'take_it', 'other', 'toString'].map((name) =>
        configuredExposure(name, choice),
      ),
    ).toEqual(['hidden', 'deferred', 'codemode', 'direct', 'direct']);
  });

  test('direct tools are declared, deferred and codemode ones reachable, hidden ones neither', () => {
    const registry = registryOf();
    const toolExposure = { one: 'deferred', two: 'codemode', three: 'hidden' } as const;
    registry.setSource('a', sourceOf('a'), [...three, definition('four')], rules({ toolExposure }));
    const { tools, reachable, hidden } = registry.snapshot();
    expect([tools, reachable, hidden].map((list) => list.map(({ name }) => name))).toEqual([
      ['four'],
      ['one', 'two', 'four'],
      ['three'],
    ]);
    expect(reachable.map(({ exposure }) => exposure)).toEqual(['deferred', 'codemode', 'direct']);
    expect(hidden.map((tool) => [tool.exposure, tool.hidden])).toEqual([
      ['hidden', { kind: 'exposure' }],
    ]);
  });

  test('loaded tools are declared after all others, once, in the order of loading', () => {
    const registry = registryOf();
    registry.setSource('a', sourceOf('a'), three, rules({ exposure: 'deferred' }));
    registry.setSource('b', sourceOf('b'), three, rules({ toolExposure: { one: 'hidden' } }));
    const key = (server: string, name: string) => ({ server, name });
    const wanted = [key('a', 'two'), key('b', 'two'), key('b', 'one'), key('a', 'none')];
    expect(registry.load(wanted)).toEqual([key('a', 'two')]);
    expect(registry.load([key('a', 'two'), key('a', 'one')])).toEqual([key('a', 'one')]);
    expect(registry.load([key('a', 'one')])).toEqual([]);
    const declared = () => registry.snapshot().tools.map((tool) => tool.publicName);
    expect(declared()).toEqual(['b_two', 'b_three', 'a_two', 'a_one']);
    registry.setSource('a', sourceOf('a'), [definition('one')], rules({ exposure: 'deferred' }));
    expect(declared()).toEqual(['b_two', 'b_three', 'a_one']);
  });

  test('auto is direct within the budget and deferred beyond it, whatever the order of servers', () => {
    const cost = totalTokens(
      three.map((one) => ({ definition: one, publicName: `a_${one.name}` })),
    );
    for (const servers of [
      ['a', 'b'],
      ['b', 'a'],
    ]) {
      for (const [budget, expected] of [
        [2 * cost, ['direct', 'direct']],
        [2 * cost - 2, ['deferred', 'direct']],
      ] as const) {
        const registry = registryOf({ autoTokens: budget });
        for (const server of servers) {
          const exposure = server === 'a' ? 'auto' : 'direct';
          registry.setSource(server, sourceOf(server), three, rules({ exposure }));
        }
        const { reachable } = registry.snapshot();
        expect(['a', 'b'].map((s) => reachable.find((t) => t.server === s)?.exposure)).toEqual([
          ...expected,
        ]);
      }
    }
  });

  test('auto alone counts nothing that is deferred or hidden', () => {
    const entry = (exposure: 'auto' | 'deferred' | 'hidden') => ({
      definition: definition('x'),
      publicName: 'a_x',
      exposure,
    });
    const one = Math.ceil(declarationTokens(definition('x'), 'a_x'));
    expect(settleAuto([entry('auto'), entry('deferred'), entry('hidden')], one)).toBe('direct');
    expect(settleAuto([entry('auto'), entry('auto')], one)).toBe('deferred');
    expect([autoBudget(undefined), autoBudget(32_000)]).toEqual([10_000, 1600]);
  });

  test('maxToolTokens defers a server that costs more and hides a tool that does so alone', () => {
    const registry = registryOf();
    const huge = { ...definition('huge'), description: 'x'.repeat(4000) };
    const warnings = registry.setSource(
      'a',
      sourceOf('a'),
      [...three, huge],
      rules({ maxToolTokens: 30 }),
    );
    const { tools, reachable, hidden } = registry.snapshot();
    expect([tools.length, reachable.map(({ exposure }) => exposure)]).toEqual([
      0,
      ['deferred', 'deferred', 'deferred'],
    ]);
    expect(hidden.map((tool) => tool.hidden?.kind)).toEqual(['tokens']);
    expect(warnings.map(({ message }) => message.replaceAll(/\d+/g, 'N'))).toEqual([
      'a/huge is hidden: it alone costs about N tokens, maxToolTokens is N',
      'a: its tools cost about N tokens, maxToolTokens is N; they are deferred',
    ]);
  });

  test('a source that is of use with deferred tools only is offered with them only', () => {
    const registry = registryOf();
    const own = { ...sourceOf('@own'), ownNames: true } as const;
    const find = rules({ exposure: 'model-only', onlyWithDeferred: true });
    registry.setSource('@own', own, [definition('find')], find);
    registry.setSource('a', sourceOf('a'), three, rules());
    const names = () => registry.snapshot().tools.map((tool) => tool.publicName);
    expect(names()).toEqual(['a_one', 'a_two', 'a_three']);
    registry.setSource('a', sourceOf('a'), three, rules({ exposure: 'codemode' }));
    expect(names()).toEqual(['find']);
    expect(registry.snapshot().reachable.map(({ publicName }) => publicName)).toEqual([
      'a_one',
      'a_two',
      'a_three',
    ]);
    const scripts = { ...sourceOf('@run'), ownNames: true } as const;
    registry.setSource(
      '@run',
      scripts,
      [definition('codemode')],
      rules({ exposure: 'model-only' }),
    );
    expect(names()).toEqual(['codemode']);
  });
});
