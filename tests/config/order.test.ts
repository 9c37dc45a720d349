import { expect, test } from 'bun:test';
import { loadConfig } from '../../src/config/load.ts';
import { newFolder, writeFiles } from '../helpers/places.ts';
import { failure, problems } from './try-load.ts';

const SERVERS = `servers:
  - name: b
    command: x
    tols: [a]
  - name: a
    command: x
    args: 3
    bad: 1
  - name: b
    command: y
`;
/** `5:3` of each place that a message names. */
const placesIn = (messages: readonly string[]) =>
  messages.flatMap((message) => [...message.matchAll(/^config\.yaml:(\d+)/gm)].map(([, at]) => at));

test('what is wrong with entries and rules is told by line', async () => {
  const told = await problems(`rules:\n  - deny: zz/x\n${SERVERS}`);
  expect(placesIn(told)).toEqual(['2', '4', '6', '9', '10', '11']);
});

test('problems of the root stand among those of the entries, by line', async () => {
  const text = await failure(`model: { foo: 1 }\n${SERVERS}mcp: { x: 1 }\n`);
  expect(placesIn([text])).toEqual(['1', '1', '3', '5', '8', '9', '10', '12']);
});

test('files come lowest first', async () => {
  const home = newFolder();
  const cwd = writeFiles(newFolder(), {
    'usher.yaml': 'x: 1\nservers:\n  - {name: c, command: x}\n  - {name: a, tols: 1}\n',
    '.usher/local.yaml':
      'rules: [{deny: zz/x}]\nservers:\n  - {name: e, command: y}\n  - {name: f, command: y}\n',
  });
  writeFiles(home, {
    '.config/usher/config.yaml': 'servers:\n  - {name: d, comand: x}\n  - {name: g, bad: x}\n',
  });
  const { warnings } = await loadConfig({ env: { HOME: home }, cwd });
  const places = warnings.map(({ message }) => message.replace(home, '~'));
  expect(places.map((text) => /^\S*?[^:\s]+(:\d+)?/.exec(text)?.[0])).toEqual([
    '~/.config/usher/config.yaml:2',
    '~/.config/usher/config.yaml:3',
    'usher.yaml',
    'usher.yaml:3',
    'usher.yaml:4',
    '.usher/local.yaml:1',
    '.usher/local.yaml:4',
  ]);
});
