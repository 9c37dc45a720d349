import { expect, test } from 'bun:test';
import { chmodSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GRANTS_FILE, openGrantStore, type StoredGrant } from '../../src/permission/store.ts';
import { newFolder } from '../helpers/places.ts';

const grant = (tool: string, key = `key-${tool}`, scope = ''): StoredGrant => ({
  server: 'fs',
  tool,
  key,
  scope,
  at: '2026-01-01T00:00:00.000Z',
});

function open(stateDir = newFolder()) {
  const problems: (readonly [string, string | undefined])[] = [];
  const store = openGrantStore(stateDir, (message, hint) => problems.push([message, hint]));
  return { store, problems, path: join(stateDir, GRANTS_FILE), stateDir };
}

test('what is added is there for the next one, in a file of mode 0600', () => {
  const { store, path, stateDir, problems } = open();
  expect([store.list(), store.add(grant('a')), store.add(grant('b'))]).toEqual([[], true, true]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(open(stateDir).store.list()).toEqual([grant('a'), grant('b')]);
  expect(problems).toEqual([]);
});

test('a newer grant takes the place of the older one of the same tool and scope', () => {
  const { store } = open();
  for (const one of [grant('a', 'old'), grant('a', 'ruled', 'ask "fs/*"'), grant('a', 'new')]) {
    store.add(one);
  }
  expect(store.list().map(({ key }) => key)).toEqual(['ruled', 'new']);
});

test('removing takes all of one tool and tells how many', () => {
  const { store } = open();
  for (const one of [grant('a'), grant('a', 'x', 'ask'), grant('b')]) store.add(one);
  expect([store.remove('fs', 'a'), store.remove('fs', 'a'), store.list()]).toEqual([
    2,
    0,
    [grant('b')],
  ]);
});

test('what another process took back is gone at once', () => {
  const { store, stateDir } = open();
  store.add(grant('a'));
  openGrantStore(stateDir, () => undefined).remove('fs', 'a');
  expect(store.list()).toEqual([]);
});

test.each([
  ['0644', 0o644, 'has mode 644: others may use it'],
  ['0620', 0o620, 'has mode 620: others may use it'],
])('a file of mode %s grants nothing, is told once and left as it is', (_, mode, why) => {
  const { store, path, problems } = open();
  store.add(grant('a'));
  const before = readFileSync(path, 'utf8');
  chmodSync(path, mode);
  expect([store.list(), store.add(grant('b')), store.list()]).toEqual([[], false, []]);
  expect(problems).toEqual([
    [`what you allowed for good: ${path} ${why}; it is not used`, `chmod 600 ${path}`],
  ]);
  expect(readFileSync(path, 'utf8')).toBe(before);
});

test('a symlink is never followed', () => {
  const { store, path, stateDir, problems } = open();
  const elsewhere = join(stateDir, 'elsewhere.json');
  writeFileSync(elsewhere, JSON.stringify({ version: 1, grants: [grant('a')] }), { mode: 0o600 });
  symlinkSync(elsewhere, path);
  expect([store.list(), store.add(grant('b'))]).toEqual([[], false]);
  expect(problems.map(([message]) => message)).toEqual([
    `what you allowed for good: ${path} is a symlink; it is not used`,
  ]);
});

test.each(['{', '[]', '{"version":2,"grants":[]}', '{"version":1,"grants":[{"tool":"a"}]}'])(
  'a file that says %p grants nothing',
  (text) => {
    const { store, path, problems } = open();
    writeFileSync(path, text, { mode: 0o600 });
    expect([store.list(), problems.length]).toEqual([[], 1]);
  },
);
