/** What a script of a model stores is there for the next one, also in a session that is gone on with. */
import { expect, test } from 'bun:test';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { newFolder } from '../helpers/places.ts';
import { callThenAnswer, runScripted, toolTexts } from '../helpers/scripted-run.ts';

const script = (code: string) => callThenAnswer(['codemode', { code }]);

test('store() and load() across two runs of one session', async () => {
  await using server = await startMcpServer();
  const servers = [{ name: 's1', url: server.url, exposure: 'codemode' }];
  const about = { home: newFolder(), servers };
  const flags = ['--session', 'one', '--yes', 'codemode'];
  const steps = script('store("seen", {n: 1}); store("gone", 1); store("gone", undefined)');
  const first = await runScripted({ ...about, flags, steps });
  expect(first.code).toBe(0);
  const failing = await runScripted({
    ...about,
    flags,
    prompt: 'again',
    steps: script('store("seen", {n: 2}); throw new Error("no")'),
  });
  expect(failing.code).toBe(0);
  const second = await runScripted({
    ...about,
    flags,
    prompt: 'and now?',
    steps: script('text([load("seen"), load("gone") === undefined])'),
  });
  expect(toolTexts(second.requests).at(-1)).toContain('[{"n":1},true]');
  const other = await runScripted({
    ...about,
    flags: ['--session', 'two', '--yes', 'codemode'],
    steps: script('text(load("seen") === undefined)'),
  });
  expect(toolTexts(other.requests).at(-1)).toContain('true');
}, 30_000);
