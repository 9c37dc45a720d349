import { expect, test } from 'bun:test';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { peerCommand } from '../helpers/peer.ts';
import { newFolder, writeFiles } from '../helpers/places.ts';
import { callThenAnswer, runScripted, toolTexts } from '../helpers/scripted-run.ts';
import { runUsher } from '../helpers/usher.ts';

/**
 * A folder to work in. The server takes the roots of its host, which are the working directory, over its own
 * arguments; so the runs start there.
 */
function newTree() {
  const folder = realpathSync(writeFiles(newFolder(), { 'notes.txt': 'remember the milk\n' }));
  return { folder, entry: { name: 'files', ...peerCommand('filesystem', folder) } };
}

test('files are listed and read by the model and by a script', async () => {
  const { folder, entry } = newTree();
  const path = join(folder, 'notes.txt');
  const run = await runScripted({
    cwd: folder,
    servers: [entry],
    steps: callThenAnswer(
      ['files_list_directory', { path: folder }],
      ['files_read_text_file', { path }],
    ),
  });
  expect(run.code).toBe(0);
  const [listing, text] = toolTexts(run.requests);
  expect(listing).toContain('notes.txt');
  expect(text).toContain('remember the milk');

  const call = await runUsher(['call', 'files/read_text_file', `path=${path}`], {
    cwd: folder,
    config: { servers: [entry] },
  });
  expect(call.code).toBe(0);
  expect(call.stdout).toContain('remember the milk');
});

test('a path outside its folder is refused by the server: a result for the model, 1 for a script', async () => {
  const { folder, entry } = newTree();
  const outside = { path: '/etc/hostname' };
  const [run, call] = await Promise.all([
    runScripted({
      cwd: folder,
      servers: [entry],
      steps: callThenAnswer(['files_read_text_file', outside]),
    }),
    runUsher(['call', 'files', 'read_text_file', JSON.stringify(outside)], {
      cwd: folder,
      config: { servers: [entry] },
    }),
  ]);
  expect(run.code).toBe(0);
  expect(run.stdout).toContain('denied');
  expect(call.code).toBe(1);
});

test('writing waits for consent: denied without a person, done with --yes', async () => {
  const { folder, entry } = newTree();
  const path = join(folder, 'new.txt');
  const steps = callThenAnswer(['files_write_file', { path, content: 'written' }]);
  const mcp = { permissions: 'ask' };
  const denied = await runScripted({ cwd: folder, servers: [entry], mcp, steps });
  expect([denied.code, existsSync(path)]).toEqual([5, false]);
  expect(denied.stderr).toContain('files/write_file');
  const allowed = await runScripted({
    cwd: folder,
    servers: [entry],
    mcp,
    steps,
    flags: ['--yes', 'files/write_file'],
  });
  expect([allowed.code, readFileSync(path, 'utf8')]).toEqual([0, 'written']);
});

test('only the named tools are offered', async () => {
  const { entry } = newTree();
  const run = await runUsher(['tools', 'files', '--json'], {
    config: { servers: [{ ...entry, tools: ['read_*', '!read_media_file'] }] },
  });
  expect(run.code).toBe(0);
  const names = JSON.parse(run.stdout).tools.map((tool: { name: string }) => tool.name);
  expect(names.sort()).toEqual(['read_file', 'read_multiple_files', 'read_text_file']);
});
