/** Who counts as a person, and where they are asked: the terminal, also while stdin and stdout are pipes. */
import { afterEach, describe, expect, test } from 'bun:test';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type ModelServer, startModelServer } from '../fixtures/models/server.ts';
import { tool } from '../fixtures/servers/script.ts';
import { scriptedModel, stdioServer, writeConfig } from '../helpers/config.ts';
import { newFolder } from '../helpers/places.ts';
import { type PtySession, startPty } from '../helpers/pty.ts';
import { callThenAnswer } from '../helpers/scripted-run.ts';
import { planRun, usherBinary } from '../helpers/usher.ts';

const any = { type: 'object', properties: {} };
/** The line that asks for a key. */
const QUESTION = /\[y\].*\[n\].*> $/s;
const open: { session?: PtySession; model?: ModelServer } = {};
afterEach(async () => {
  open.session?.close();
  await open.model?.close();
});

/** A run at a terminal whose only call waits for consent. `shell` may wrap the command `"$0" "$@"`. */
async function startAsking(shell?: string, env: Readonly<Record<string, string>> = {}) {
  const folder = newFolder();
  const marker = join(folder, 'marker');
  const model = await startModelServer({
    format: 'openai',
    script: callThenAnswer(['s1_mark', { why: 'because', secret: '\u001b[2Jgone' }]),
  });
  const config = writeConfig(folder, {
    model: scriptedModel(model),
    mcp: { permissions: 'ask' },
    servers: [
      stdioServer('s1', { tools: [tool('mark', 'Marks.', any, { does: { writes: marker } })] }),
    ],
  });
  const args = ['--prompt', 'mark it', '--config', config];
  const options = {
    env,
    command: shell === undefined ? undefined : ['sh', '-c', shell, usherBinary],
  };
  const session = startPty(args, options);
  Object.assign(open, { session, model });
  return { session, model, ran: () => existsSync(marker), folder };
}

describe('a question at the terminal', () => {
  test('shows server, tool and arguments without control characters, and y runs the call', async () => {
    const { session, ran } = await startAsking();
    const shown = await session.waitFor(QUESTION);
    expect(shown).toContain('s1');
    expect(shown).toContain('mark');
    expect(shown).toContain('because');
    expect(session.raw()).not.toContain('\u001b[2Jgone');
    expect(ran()).toBe(false);
    session.send('y\r');
    expect(await session.exited).toBe(0);
    expect(ran()).toBe(true);
  });

  test('while it stands, the time of the run stands still', async () => {
    const { session, ran } = await startAsking(`exec "$0" "$@" --timeout 2s`);
    await session.waitFor(QUESTION);
    await Bun.sleep(2500);
    session.send('y\r');
    expect([await session.exited, ran()]).toEqual([0, true]);
  });

  test('a allows for good: kept in the state directory with mode 0600, never in the config', async () => {
    const { session, ran, folder } = await startAsking();
    await session.waitFor(QUESTION);
    session.send('a\r');
    expect([await session.exited, ran()]).toEqual([0, true]);
    const file = join(session.home, '.local/state/usher/grants.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { grants } = JSON.parse(readFileSync(file, 'utf8'));
    expect(grants).toEqual([
      { server: 's1', tool: 'mark', scope: '', key: expect.any(String), at: expect.any(String) },
    ]);
    expect(readFileSync(join(folder, 'config.yaml'), 'utf8')).not.toContain('mark: auto');
  });

  test('n refuses: the model is told, exit 0', async () => {
    const { session, model, ran } = await startAsking();
    await session.waitFor(QUESTION);
    session.send('n\r');
    expect([await session.exited, ran()]).toEqual([0, false]);
    expect(JSON.stringify(model.requests.at(-1)?.seen.turns)).toMatch(
      /declined|denied|refused|no/i,
    );
  });

  test('Ctrl-C is a no', async () => {
    const { session, ran } = await startAsking();
    await session.waitFor(QUESTION);
    session.send('\x03');
    expect([await session.exited, ran()]).toEqual([0, false]);
  });

  test('is asked there also while stdin and stdout are pipes, and stdin is no answer', async () => {
    const out = join(newFolder(), 'answer');
    const { session, ran } = await startAsking(`printf 'y\\ny\\n' | "$0" "$@" | cat >"${out}"`);
    await session.waitFor(QUESTION);
    expect(ran()).toBe(false);
    session.send('y\r');
    expect(await session.exited).toBe(0);
    expect(ran()).toBe(true);
    const answer = await Bun.file(out).text();
    expect(answer).not.toMatch(/mark|\[y/);
    expect(session.text()).toContain('s1/mark');
  });
});

describe('nobody is there', () => {
  test.each([
    ['with --no-input', '"$0" "$@" --no-input', {}],
    ['in CI', '"$0" "$@"', { CI: 'true' }],
    ['when stderr is no terminal', '"$0" "$@" 2>/dev/null', {}],
    ['without a controlling terminal', 'setsid -w "$0" "$@" 2>&1 | cat; exit 5', {}],
  ])('%s: denied at once', async (_name, shell, env) => {
    const { session, ran } = await startAsking(shell, env);
    expect([await session.exited, ran()]).toEqual([5, false]);
  });
});

test('at a terminal the answer streams, through a pipe it comes once', async () => {
  const model = await startModelServer({
    format: 'openai',
    script: { steps: [{ text: ['one ', 'two ', 'three'], delayMs: 30 }], after: 'repeat' },
  });
  const config = { model: scriptedModel(model), servers: [] };
  const session = startPty(['--prompt', 'count'], { config });
  Object.assign(open, { session, model });
  await session.waitFor('one ');
  expect(session.text()).not.toContain('three');
  await session.waitFor('three');
  expect(await session.exited).toBe(0);
  const plan = planRun(['--prompt', 'count'], { config });
  const child = Bun.spawn(plan.command, { env: plan.env, cwd: plan.cwd, stderr: 'ignore' });
  const chunks: string[] = [];
  for await (const chunk of child.stdout) chunks.push(new TextDecoder().decode(chunk));
  expect(chunks).toEqual(['one two three\n']);
});
