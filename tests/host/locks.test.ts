import { expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, writeFiles } from '../helpers/places.ts';

const module = new URL('../../src/host/locks.ts', import.meta.url).pathname;

/** Locks one server of 40 tools in `folder`, as soon as a line comes. */
const script = `
  const { writeLocks } = await import(${JSON.stringify(module)});
  const [folder, name] = process.argv.slice(1);
  const tools = Array.from({ length: 40 }, (_, at) => ({ name: 't' + at, raw: { description: 'x'.repeat(2000), inputSchema: {} } }));
  process.stdout.write('ready');
  for await (const _ of process.stdin) break;
  writeLocks({ files: [folder + '/usher.yaml'] }, new Map([[name, tools]]));
  process.exit(0);`;

test('servers that several processes lock at once all stay, beside those locked before', async () => {
  const folder = writeFiles(newFolder(), {
    'usher.lock': '{"version":1,"servers":{"before":{"tools":{}}}}',
  });
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const children = names.map((name) =>
    Bun.spawn([process.execPath, '-e', script, folder, name], { stdin: 'pipe', stdout: 'pipe' }),
  );
  await Promise.all(children.map((child) => child.stdout.getReader().read()));
  for (const child of children) {
    child.stdin.write('go\n');
    child.stdin.end();
  }
  const codes = await Promise.all(children.map((child) => child.exited));
  const { servers } = await Bun.file(join(folder, 'usher.lock')).json();
  expect(codes).toEqual(names.map(() => 0));
  expect(Object.keys(servers)).toEqual([...names, 'before'].sort());
  expect(readdirSync(folder)).toEqual(['usher.lock']);
});
