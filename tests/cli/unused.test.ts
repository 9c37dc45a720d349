/** Nobody pays for what they do not use: which modules a run loads, seen from outside. */
import { expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { standardTools } from '../fixtures/servers/script.ts';
import { newFolder } from '../helpers/places.ts';
import { callThenAnswer, runScripted } from '../helpers/scripted-run.ts';

const ROOT = resolve(import.meta.dir, '../..');
const TRACER = join(ROOT, 'tests/helpers/module-trace.ts');

/** What the run loaded of codemode and of the search's own words and index. */
async function loaded(args: readonly string[], exposure: string, steps = callThenAnswer()) {
  await using server = await startMcpServer({ tools: standardTools });
  const trace = join(newFolder(), 'modules');
  const run = await runScripted({
    command: [process.execPath, '--preload', TRACER, join(ROOT, 'src/main.ts')],
    env: { MODULE_TRACE: trace },
    servers: [{ name: 's', url: server.url, exposure }],
    args,
    steps,
  });
  const modules = existsSync(trace) ? readFileSync(trace, 'utf8').trim().split('\n') : [];
  const has = (path: string) => modules.includes(path);
  return {
    code: run.code,
    isTraced: has('cli/root.ts') && has('host/create.ts'),
    // Only it starts workers, and only those load QuickJS.
    scripts: has('codemode/bridge.ts'),
    index: has('tools/search-index.ts'),
  };
}

const CALL = ['call', 's/echo', 'text=x'];
const PROMPT = ['--prompt', 'go'];
const ECHO = callThenAnswer(['s_echo', { text: 'x' }]);

test.each([
  ['a call', CALL, 'direct', undefined],
  ['a call of a deferred tool', CALL, 'deferred', undefined],
  ['a call of a codemode tool', CALL, 'codemode', undefined],
  ['a run with few direct tools', PROMPT, 'direct', ECHO],
  ['a run with deferred tools and no search', PROMPT, 'deferred', ECHO],
])('%s loads neither scripts nor the index', async (_name, args, exposure, steps) => {
  expect(await loaded(args, exposure, steps)).toEqual({
    code: 0,
    isTraced: true,
    scripts: false,
    index: false,
  });
});

test('a search loads the index, and tools for scripts load those', async () => {
  const search = callThenAnswer(['tool_search', { query: 'echo' }]);
  expect(await loaded(PROMPT, 'deferred', search)).toMatchObject({ scripts: false, index: true });
  expect(await loaded(PROMPT, 'codemode', ECHO)).toMatchObject({ scripts: true });
});
