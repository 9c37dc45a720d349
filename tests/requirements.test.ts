import { expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REQUIREMENTS } from './requirements.ts';

const ID = /\b(?:MM-\d{2}|R\d{1,2})\b/g;
/** The text behind `test(`, `describe(`, and behind the list of `test.each(…)(`. */
const NAME = /(?:\b(?:test|describe)(?:\.\w+)?|\))\(\s*(['"`])(.*?)\1\s*,/gs;

/** Ids in the names of tests and groups of one file. */
function idsIn(file: string): ReadonlySet<string> {
  const source = readFileSync(join(import.meta.dir, file), 'utf8');
  const names = [...source.matchAll(NAME)].map((match) => match[2] ?? '');
  return new Set(names.flatMap((name) => name.match(ID) ?? []));
}

const files = [...new Bun.Glob('**/*.test.ts').scanSync(import.meta.dir)]
  .filter((file) => file !== 'requirements.test.ts')
  .toSorted();

test('the table has every decision from MM-01 to MM-27', () => {
  const wanted = Array.from({ length: 27 }, (_, at) => `MM-${String(at + 1).padStart(2, '0')}`);
  expect(Object.keys(REQUIREMENTS).filter((id) => id.startsWith('MM-'))).toEqual(wanted);
});

test('each id has a sentence and tests that name it', () => {
  const problems = Object.entries(REQUIREMENTS).flatMap(([id, { summary, tests }]) => [
    ...(summary.endsWith('.') ? [] : [`${id}: no sentence`]),
    ...(tests.length === 0 ? [`${id}: no test`] : []),
    ...tests.flatMap((file) => {
      if (!existsSync(join(import.meta.dir, file))) return [`${id}: no file ${file}`];
      return idsIn(file).has(id) ? [] : [`${id}: no test name in ${file} holds it`];
    }),
  ]);
  expect(problems).toEqual([]);
});

test('each id in the name of a test stands in the table', () => {
  const problems = files.flatMap((file) =>
    [...idsIn(file)].flatMap((id) => (id in REQUIREMENTS ? [] : [`${file}: ${id}`])),
  );
  expect(problems).toEqual([]);
});
