import { expect, test } from 'bun:test';
import { systemClock } from '../../src/base/clock.ts';
import { createGrants } from '../../src/calls/grants.ts';
import { openGrantStore } from '../../src/permission/store.ts';
import type { RegisteredTool } from '../../src/tools/types.ts';
import { newFolder } from '../helpers/places.ts';
import { definition, registered } from '../tools/samples.ts';

const tool = registered('fs', definition('write', { description: 'Writes.' }));
const clock = { ...systemClock, date: () => new Date(0) };
const storeIn = (folder: string) => openGrantStore(folder, () => undefined);

const changes: readonly (readonly [string, RegisteredTool])[] = [
  ['its server has another address', { ...tool, source: { ...tool.source, identity: 'evil' } }],
  ['its server has another name', { ...tool, server: 'other' }],
  ['its description', { ...tool, definition: { ...tool.definition, description: 'Sends.' } }],
  [
    'its schema',
    {
      ...tool,
      definition: {
        ...tool.definition,
        inputSchema: { type: 'object', properties: { to: { type: 'string' } } },
      },
    },
  ],
  [
    'its annotations',
    { ...tool, definition: { ...tool.definition, annotations: { destructiveHint: true } } },
  ],
];

test.each(changes)('R12: a grant, also one for good, ends when this changes: %s', (_, other) => {
  const grants = createGrants(clock, storeIn(newFolder()));
  expect([grants.add(tool, '', 'session'), grants.add(tool, '', 'always')]).toEqual([
    'session',
    'always',
  ]);
  expect([grants.find(tool, ''), grants.find(other, '')]).toEqual(['always', undefined]);
});

test('one for good is there in the next session, one for the session is not', () => {
  const folder = newFolder();
  const other = registered('fs', definition('read'));
  const first = createGrants(clock, storeIn(folder));
  first.add(tool, '', 'always');
  first.add(other, '', 'session');
  const next = createGrants(clock, storeIn(folder));
  expect([next.find(tool, ''), next.find(other, '')]).toEqual(['always', undefined]);
});

test('without a store, for good means for the session', () => {
  expect(createGrants(clock).add(tool, '', 'always')).toBe('session');
});

test('a tool that is another one by now is told apart from one that was never allowed', () => {
  const grants = createGrants(clock, storeIn(newFolder()));
  const changed = changes[2]?.[1] ?? tool;
  expect(grants.hasChanged(changed)).toBe(false);
  grants.add(tool, '', 'always');
  expect([grants.hasChanged(changed), grants.hasChanged(tool)]).toEqual([true, false]);
});

test('what was allowed at the question of a rule holds for that rule only', () => {
  const grants = createGrants(clock, storeIn(newFolder()));
  grants.add(tool, 'ask "fs/*"', 'always');
  expect([grants.find(tool, ''), grants.find(tool, 'ask "fs/*"')]).toEqual([undefined, 'always']);
});

test('the list tells how long each lasts and whether it still holds; removing takes back all of a tool', () => {
  const grants = createGrants(clock, storeIn(newFolder()));
  const changed = changes[3]?.[1] ?? tool;
  grants.add(tool, '', 'always');
  grants.add(registered('fs', definition('read')), '', 'session');
  const about = { server: 'fs', scope: '' };
  expect(grants.list([changed])).toEqual([
    { ...about, tool: 'write', kind: 'always', holds: false },
    { ...about, tool: 'read', kind: 'session', holds: undefined },
  ]);
  expect([
    grants.remove('fs', 'write'),
    grants.find(tool, ''),
    grants.remove('fs', 'write'),
  ]).toEqual([1, undefined, 0]);
});
