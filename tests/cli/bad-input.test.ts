/** The compiled binary with a bad configuration, bad servers and in bad surroundings. */
import { describe, expect, test } from 'bun:test';
import { startModelServer } from '../fixtures/models/server.ts';
import { scriptedModel, stdioServer } from '../helpers/config.ts';
import { runUsher } from '../helpers/usher.ts';

describe('a required entry that cannot be used', () => {
  test.each([
    ['a run', ['-p', 'go']],
    ['tools', ['tools']],
  ])('ends %s with 4 before the model is asked, told once', async (_name, words) => {
    const model = await startModelServer({ format: 'openai', script: [{ text: 'never' }] });
    const run = await runUsher(words, {
      config: {
        model: scriptedModel(model),
        servers: [stdioServer('good'), { name: 'db', command: 1, required: true }],
      },
    });
    await model.close();
    expect([run.code, run.stdout, model.requests.length]).toEqual([4, '', 0]);
    expect(run.stderr.match(/servers\.db\.command/g)).toHaveLength(1);
    expect(run.stderr).toContain('error: ');
  });
});

test('--no-builtin-tools leaves out built-in servers, also the one without a config', async () => {
  const config = { servers: [stdioServer('good'), { name: 'w', builtin: 'workspace' }] };
  const [mixed, none] = await Promise.all([
    runUsher(['tools', '--json', '--no-builtin-tools'], { config }),
    runUsher(['tools', '--json', '--no-builtin-tools']),
  ]);
  const servers = JSON.parse(mixed.stdout).tools.map((one: { server: string }) => one.server);
  expect([mixed.code, [...new Set(servers)]]).toEqual([0, ['good']]);
  expect([none.code, JSON.parse(none.stdout)]).toEqual([0, { tools: [] }]);
});
