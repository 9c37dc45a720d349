import { expect, test } from 'bun:test';
import { UsageError } from '../../src/base/errors.ts';
import { loadConfig } from '../../src/config/load.ts';
import { selectServers } from '../../src/host/select.ts';
import { newFolder, writeFiles } from '../helpers/places.ts';

const YAML = [
  'servers:',
  '  - {name: github, command: a}',
  '  - {name: files, command: b, enabled: false}',
  '  - {name: broken, command: c, url: "https://x/"}',
].join('\n');

async function select(names?: readonly string[]) {
  const cwd = writeFiles(newFolder(), { 'c.yaml': YAML });
  const config = await loadConfig({ configFlag: 'c.yaml', env: {}, cwd });
  try {
    return selectServers(config, names).map(({ name, enabled }) => `${name} ${enabled}`);
  } catch (error) {
    if (error instanceof UsageError) return { message: error.message, hint: error.hint };
    throw error;
  }
}

test('without names all enabled servers, with names those, also a disabled one, as configured', async () => {
  expect([await select(), await select(['files', 'github']), await select([])]).toEqual([
    ['github true'],
    ['github true', 'files true'],
    [],
  ]);
});

test('an unknown name is told with the nearest one, a skipped one with the way to see why', async () => {
  expect([await select(['githab']), await select(['zzzzzz']), await select(['broken'])]).toEqual([
    { message: 'no server "githab" is configured', hint: 'did you mean "github"?' },
    { message: 'no server "zzzzzz" is configured', hint: 'there is github, files' },
    {
      message: 'server broken is configured, but its entry cannot be used',
      hint: 'usher config check shows why',
    },
  ]);
});
