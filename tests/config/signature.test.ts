import { describe, expect, test } from 'bun:test';
import { matchesGlob } from '../../src/base/glob.ts';
import { contentOf, isNarrower, signatureOf } from '../../src/config/signature.ts';
import { parseConfigText } from '../../src/config/yaml.ts';
import { TEST_SEED } from '../helpers/seed.ts';

const entry = (yaml: string): object => {
  const { value } = parseConfigText(yaml, 'f', '/f');
  if (typeof value !== 'object' || value === null) throw new Error('no mapping');
  return value;
};

/** What an allowlist offers, said once more: exclusions win, exclusions alone stand for all the rest. */
function offers(tools: readonly string[] | undefined, name: string): boolean {
  if (tools === undefined) return true;
  const without = tools.filter((tool) => tool.startsWith('!')).map((tool) => tool.slice(1));
  const only = tools.filter((tool) => !tool.startsWith('!'));
  if (without.some((pattern) => matchesGlob(pattern, name))) return false;
  return (
    only.some((pattern) => matchesGlob(pattern, name)) || (only.length === 0 && without.length > 0)
  );
}

describe('a signature', () => {
  test('does not depend on order or layout, but on every text as it is written', () => {
    const one = signatureOf(entry('{name: a, command: x, env: {A: 1, B: two}}'));
    expect(signatureOf(entry('env:\n  B: "two"\n  A: 1\ncommand: x\nname: a\n'))).toBe(one);
    expect(signatureOf(entry('{name: a, command: x, env: {A: 01, B: two}}'))).not.toBe(one);
    expect(signatureOf(entry('{name: a, command: x, env: {A: 1, B: two}, later: y}'))).not.toBe(
      one,
    );
  });

  test('of the content alone does not know the name', () => {
    expect(contentOf({ name: 'a', url: 'u' })).toBe(contentOf({ name: 'b', url: 'u' }));
    expect(contentOf({ name: 'a', url: 'u' })).not.toBe(
      contentOf({ name: 'a', url: 'u', tools: [] }),
    );
  });
});

test('a list that counts as narrower never offers a tool that the other does not', () => {
  let state = TEST_SEED;
  const below = (limit: number) => {
    state = (state * 1103515245 + 12345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * limit);
  };
  const letters = ['a', 'b'];
  const names = letters.flatMap((x) => [x, ...letters.map((y) => x + y)]);
  const patterns = [...names, 'a*', '*b', '*', '?', 'b?'];
  const list = (): readonly string[] | undefined =>
    below(8) === 0
      ? undefined
      : Array.from({ length: below(4) }, () => {
          const pattern = patterns[below(patterns.length)] ?? 'a';
          return below(3) === 0 ? `!${pattern}` : pattern;
        });
  let narrower = 0;
  for (let round = 0; round < 20_000; round += 1) {
    const next = list();
    const before = list();
    if (!isNarrower(next, before)) continue;
    narrower += 1;
    const offered = (tools: readonly string[] | undefined) =>
      names.filter((name) => offers(tools, name));
    const wider = offered(next).filter((name) => !offered(before).includes(name));
    expect({ next, before, wider }).toEqual({ next, before, wider: [] });
  }
  expect(narrower).toBeGreaterThan(1000);
});
