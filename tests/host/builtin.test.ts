import { expect, test } from 'bun:test';
import { createBuiltin } from '../../src/host/builtin.ts';
import { newFolder, writeFiles } from '../helpers/places.ts';
import { serverOf } from './server-config.ts';

test('a built-in is ready without connecting, offers its tools and reads below its root', async () => {
  const cwd = writeFiles(newFolder(), { 'a.txt': 'hello\n' });
  const config = serverOf('here', { builtin: 'workspace' });
  const connection = createBuiltin(config, cwd);
  const { tools, ...status } = connection.status();
  expect(status).toEqual({
    name: 'here',
    kind: 'builtin',
    state: 'ready',
    era: undefined,
    protocolVersion: undefined,
    serverInfo: undefined,
    instructions: undefined,
    capabilities: {},
    dropped: [],
    notices: [],
    error: undefined,
    readyMs: 0,
  });
  expect([connection.name, connection.config]).toEqual(['here', config]);
  expect(tools.every(({ annotations }) => annotations.readOnlyHint === true)).toBe(true);
  const result = await connection.call({
    tool: 'read_file',
    arguments: { path: 'a.txt' },
    signal: new AbortController().signal,
    onProgress: () => undefined,
  });
  expect(JSON.stringify(result.content)).toContain('hello');
  await connection.close();
});
