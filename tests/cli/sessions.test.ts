/** Sessions and records of the binary: what a later process knows, also after kill -9 in the middle of a call. */
import { expect, test } from 'bun:test';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { UNKNOWN_CALL } from '../../src/session/resume.ts';
import { startModelServer } from '../fixtures/models/server.ts';
import { MODEL_FORMATS, type ScriptStep } from '../fixtures/models/types.ts';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { tool } from '../fixtures/servers/script.ts';
import { newFolder } from '../helpers/places.ts';
import {
  callThenAnswer,
  runScripted,
  type ScriptedRun,
  toolTexts,
} from '../helpers/scripted-run.ts';
import { runUsher, startUsher } from '../helpers/usher.ts';

const ANY = { type: 'object', properties: {} };
const stateOf = (home: string) => join(home, '.local/state/usher');
const run = (home: string, words: readonly string[], cwd = home) => runUsher(words, { home, cwd });
const json = async (home: string, ...words: string[]) =>
  JSON.parse((await run(home, [...words, '--json'])).stdout);
const echoServer = () =>
  startMcpServer({ tools: [tool('echo', 'echo', ANY, { does: { echo: true } })] });
const scripted = (home: string, more: Partial<ScriptedRun> & Pick<ScriptedRun, 'steps'>) =>
  runScripted({ home, cwd: home, ...more });

/** A server whose only tool leaves a file behind and never answers. */
const stuckServer = (mark: string) =>
  startMcpServer({ tools: [tool('slow', 'slow', ANY, { does: { never: true, writes: mark } })] });
async function fileThere(path: string): Promise<void> {
  while (!existsSync(path)) await Bun.sleep(5);
}

test.each(MODEL_FORMATS)(
  'a run killed in the middle of a call is gone on with, and the call is not repeated, over %s',
  async (format) => {
    const home = newFolder();
    const mark = join(home, 'effect');
    await using server = await stuckServer(mark);
    const steps: readonly ScriptStep[] = [
      { text: 'let me see', toolCalls: [{ name: 's_slow', arguments: '{"n":1}' }] },
    ];
    const model = await startModelServer({ format, script: steps });
    const provider = {
      openai: 'openai-compatible',
      responses: 'openai',
      anthropic: 'anthropic',
      google: 'google',
    };
    const servers = [{ name: 's', url: server.url }];
    const killed = startUsher(['-p', 'go', '--session', 'one'], {
      home,
      cwd: home,
      env: { KEY: 'key-of-the-scripted-model' },
      config: {
        model: {
          provider: provider[format],
          name: 'scripted',
          baseUrl: model.baseUrl,
          apiKeyEnv: 'KEY',
        },
        mcp: { permissions: 'auto' },
        servers,
      },
    });
    await fileThere(mark);
    killed.kill('SIGKILL');
    expect((await killed.done).code).toBe(137);
    await model.close();
    rmSync(mark);

    const again = await scripted(home, {
      format,
      servers,
      prompt: 'and now?',
      flags: ['--session', 'one', '--json'],
      steps: [{ text: 'it may have happened' }],
    });
    const unsure = 's/slow: the last run was ended while this call was in flight';
    const { answer, warnings } = JSON.parse(again.stdout);
    expect([again.code, answer, warnings]).toEqual([
      0,
      'it may have happened',
      [`${unsure}; it may have happened`],
    ]);
    expect(again.stderr).toContain(unsure);
    // One provider has it inside an object.
    const [told, ...more] = toolTexts(again.requests);
    expect([told?.includes(UNKNOWN_CALL), more]).toEqual([true, []]);
    expect(existsSync(mark)).toBe(false);
    const { entries } = await json(home, 'audit', 'show', 'one');
    const kinds = entries.map(({ kind, outcome }: Record<string, string>) => [kind, outcome]);
    expect(kinds).toEqual([
      ['open', undefined],
      ['intent', undefined],
      ['open', undefined],
      ['outcome', 'unknown'],
      ['close', undefined],
    ]);
    expect((await run(home, ['audit', 'verify'])).code).toBe(0);
  },
);

test('--continue takes the newest session of this directory, with all that was said', async () => {
  const home = newFolder();
  const elsewhere = newFolder();
  await using server = await echoServer();
  const servers = [{ name: 's', url: server.url }];
  const steps = callThenAnswer(['s_echo', { a: 1 }]);
  await scripted(home, { servers, steps, prompt: 'first', flags: ['--session', 'old'] });
  await scripted(home, { servers, steps, prompt: 'second', flags: ['--session', 'new'] });
  await scripted(home, { steps: [{ text: 'x' }], cwd: elsewhere, flags: ['--session', 'other'] });
  const more = await scripted(home, {
    servers,
    steps: [{ text: 'third answer' }],
    prompt: 'third',
    flags: ['--continue'],
  });
  const turns = more.requests[0]?.seen.turns ?? [];
  expect(turns.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
  expect(JSON.stringify(turns)).toContain('second');
  const { sessions } = await json(home, 'sessions', 'list');
  expect(sessions.map(({ id, title }: Record<string, string>) => [id, title])).toEqual([
    ['new', 'second'],
    ['other', 'go'],
    ['old', 'first'],
  ]);
  const shown = await json(home, 'sessions', 'show', 'new');
  expect(shown.messages.map(({ role }: Record<string, string>) => role)).toEqual([
    'user',
    'assistant',
    'tool',
    'assistant',
    'user',
    'assistant',
  ]);
  const none = await run(home, ['-p', 'x', '--continue'], newFolder());
  expect([none.code, none.stderr.split('\n').slice(0, 2)]).toEqual([
    2,
    [
      'error: there is no session of this directory to continue',
      '  usher sessions list shows all; --session NAME begins one',
    ],
  ]);
});

test('two processes on one session: the second is refused before it starts anything', async () => {
  const home = newFolder();
  const mark = join(home, 'effect');
  await using server = await stuckServer(mark);
  const config = {
    mcp: { permissions: 'auto' },
    servers: [{ name: 's', url: server.url }],
  };
  const first = startUsher(['-p', 's/slow', '--session', 'one'], { home, cwd: home, config });
  await fileThere(mark);
  const requests = server.requests.length;
  const second = await runUsher(['-p', 's/slow', '--session', 'one', '--output', 'json'], {
    home,
    cwd: home,
    config,
  });
  expect([second.code, server.requests.length]).toEqual([1, requests]);
  expect(JSON.parse(second.stdout).error).toMatchObject({
    code: 'failed',
    message: `session one is busy: process ${first.pid} uses it`,
    hint: 'try again when it has ended, or name another session',
    retryable: true,
  });
  const pruned = await run(home, ['sessions', 'prune', 'one']);
  expect(pruned.stderr).toContain('session one is busy and stays');
  first.kill('SIGTERM');
  expect((await first.done).code).toBe(143);
  expect(existsSync(join(stateOf(home), 'sessions', 'one.lock'))).toBe(false);
});

test('an empty list of sessions is said to be one, on stderr', async () => {
  const { code, stdout, stderr } = await run(newFolder(), ['sessions', 'list']);
  expect([code, stdout, stderr]).toEqual([
    0,
    '',
    'no session is saved yet; --session NAME begins one\n',
  ]);
});

test('a plain run leaves a record and no session, --ephemeral leaves nothing', async () => {
  const home = newFolder();
  await using server = await echoServer();
  const servers = [{ name: 's', url: server.url }];
  const steps = callThenAnswer(['s_echo', { token: 'a' }]);
  const ephemeral = await scripted(home, { servers, steps, flags: ['--ephemeral'] });
  expect([ephemeral.code, existsSync(join(stateOf(home), 'journal'))]).toEqual([0, false]);
  const plain = await scripted(home, { servers, steps, flags: ['--output', 'stream-json'] });
  const [init] = plain.stdout.split('\n').map((line) => line && JSON.parse(line));
  expect(readdirSync(join(stateOf(home), 'journal'))).toEqual([`${init.session}.jsonl`]);
  expect(existsSync(join(stateOf(home), 'sessions'))).toBe(false);
  const record = readFileSync(join(stateOf(home), 'journal', `${init.session}.jsonl`), 'utf8');
  expect(record).not.toContain('token');
});

test('a record that cannot be written costs a warning, not the answer', async () => {
  const home = newFolder();
  mkdirSync(stateOf(home), { recursive: true });
  writeFileSync(join(stateOf(home), 'journal'), 'in the way');
  await using server = await echoServer();
  const servers = [{ name: 's', url: server.url }];
  const steps = callThenAnswer(['s_echo', { a: 1 }], ['s_echo', { a: 2 }]);
  const outcome = await scripted(home, { servers, steps });
  expect([outcome.code, outcome.stdout.includes('"a":2')]).toEqual([0, true]);
  expect(outcome.stderr.match(/the record of tool calls cannot be written/g)).toHaveLength(1);
});

test('audit verify finds what was changed afterwards and says where', async () => {
  const home = newFolder();
  await using server = await echoServer();
  const steps = callThenAnswer(['s_echo', { a: 1 }]);
  const servers = [{ name: 's', url: server.url }];
  await scripted(home, { servers, steps, flags: ['--session', 'one'] });
  const file = join(stateOf(home), 'journal', 'one.jsonl');
  const good = readFileSync(file, 'utf8');
  appendFileSync(file, '{"torn');
  const torn = await run(home, ['audit', 'verify', 'one']);
  expect([torn.code, torn.stdout]).toEqual([
    0,
    expect.stringMatching(/^✓ one\.jsonl: 4 lines, not closed \(killed.*\), last [0-9a-f]{16}\n$/),
  ]);
  writeFileSync(file, good.replace('"tool":"echo"', '"tool":"look"'));
  const changed = await run(home, ['audit', 'verify']);
  expect([changed.code, changed.stdout, changed.stderr]).toEqual([
    1,
    '✗ one.jsonl: line 2: its text was changed\n',
    'error: 1 of 1 records do not hold\n',
  ]);
});

test('what a session was told is not lost when a later run cannot reach the model', async () => {
  const home = newFolder();
  await scripted(home, { steps: [{ text: 'one' }], flags: ['--session', 'one'] });
  const failed = await scripted(home, {
    steps: [{ status: 401, message: 'no' }],
    prompt: 'lost',
    flags: ['--session', 'one'],
  });
  expect(failed.code).not.toBe(0);
  const shown = await run(home, ['sessions', 'show', 'one']);
  expect(shown.stdout).toBe('> go\n\none\n');
});

test('sessions that nobody wants any more are removed by age or name', async () => {
  const home = newFolder();
  for (const id of ['alpha', 'beta']) {
    await scripted(home, { steps: [{ text: id }], flags: ['--session', id] });
  }
  expect((await run(home, ['sessions', 'prune'])).stderr).toBe('removed: 0 sessions\n');
  expect((await run(home, ['sessions', 'prune', 'alpha'])).stderr).toBe('removed: 1 session\n');
  for (const word of ['7x', '7 days', 'alpha']) {
    const { code, stderr } = await run(home, ['sessions', 'prune', word]);
    expect([code, stderr]).toEqual([
      2,
      `error: there is no session ${word}\n  usher sessions list shows all; an age is one number of days or hours, such as 7d or 12h\nremoved: 0 sessions\n`,
    ]);
  }
  expect((await json(home, 'sessions', 'list')).sessions).toHaveLength(1);
  const missing = await run(home, ['sessions', 'show', 'betta']);
  expect([missing.code, missing.stderr.split('\n').slice(0, 2)]).toEqual([
    2,
    ['error: there is no session betta', '  did you mean beta?'],
  ]);
  utimesSync(join(stateOf(home), 'sessions', 'beta.jsonl'), 0, 0);
  const journal = join(stateOf(home), 'journal');
  mkdirSync(journal);
  for (const [name, time] of [
    ['plain', 0],
    ['young', Date.now() / 1000],
    ['notes', 0],
  ] as const) {
    const path = join(journal, name === 'notes' ? name : `${name}.jsonl`);
    writeFileSync(path, '');
    utimesSync(path, time, time);
  }
  expect((await run(home, ['sessions', 'prune', '1h'])).stderr).toBe(
    'removed: 1 session, 1 record of other runs\n',
  );
  expect(readdirSync(journal).sort()).toEqual(['notes', 'young.jsonl']);
  const bad = await run(home, ['-p', 'x', '--session', '../x']);
  expect(bad.code).toBe(2);
});

test('a session that cannot be kept ends a run that names it, before anything is started', async () => {
  const home = newFolder();
  mkdirSync(join(stateOf(home), 'sessions'), { recursive: true });
  writeFileSync(join(home, 'target'), 'mine\n');
  symlinkSync(join(home, 'target'), join(stateOf(home), 'sessions', 'one.jsonl'));
  await using server = await echoServer();
  const outcome = await scripted(home, {
    servers: [{ name: 's', url: server.url }],
    steps: [{ text: 'x' }],
    flags: ['--session', 'one'],
  });
  expect([outcome.code, outcome.stderr, server.requests.length]).toEqual([
    1,
    'error: session one cannot be kept: it is a symlink\n',
    0,
  ]);
  expect(readFileSync(join(home, 'target'), 'utf8')).toBe('mine\n');
  expect(readdirSync(join(stateOf(home), 'sessions'))).toEqual(['one.jsonl']);
});
