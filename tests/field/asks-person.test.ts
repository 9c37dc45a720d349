/** A server asks a person at their terminal: with `usher call`, and in a session. */
import { afterEach, describe, expect, test } from 'bun:test';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type ModelServer, startModelServer } from '../fixtures/models/server.ts';
import { scriptedModel } from '../helpers/config.ts';
import { newFolder, writeFiles } from '../helpers/places.ts';
import { type PtySession, startPty } from '../helpers/pty.ts';
import { callThenAnswer } from '../helpers/scripted-run.ts';
import { runUsher } from '../helpers/usher.ts';

const program = resolve(import.meta.dir, '../fixtures/servers/asks-stdio.ts');
const forge = {
  name: 'forge',
  command: process.execPath,
  args: [program],
  permissions: 'auto',
  sampling: 'ask',
} as const;
const FORM = {
  message: 'Who\u001b[2J are you?',
  requestedSchema: {
    type: 'object',
    properties: { name: { type: 'string' }, age: { type: 'integer', default: 30 } },
    required: ['name'],
  },
};
const args = (params: object) => JSON.stringify({ params });

const open: { session?: PtySession; model?: ModelServer } = {};
afterEach(async () => {
  open.session?.close();
  await open.model?.close();
});

function start(words: readonly string[], env: Readonly<Record<string, string>> = {}): PtySession {
  const session = startPty(words, { config: { servers: [forge] }, env });
  open.session = session;
  return session;
}

describe('usher call', () => {
  test('asks each field, asks again with the reason, and sends after a yes', async () => {
    const session = start(['call', 'forge', 'ask', args(FORM)]);
    const asked = await session.waitFor('  > ');
    expect(asked).toContain('forge asks you for input:\n  | Who\\u{1b}[2J are you?\n');
    session.send('Ada\r');
    await session.waitFor('  [30] > ');
    session.send('old\r');
    await session.waitFor('expected a whole number\n  [30] > ');
    session.send('\r');
    await session.waitFor('Send? [y/e/d/c] ');
    session.send('y\r');
    await session.waitFor('{"action":"accept","content":{"age":30,"name":"Ada"}}');
    expect(await session.exited).toBe(0);
  });

  test('Ctrl-C in a question cancels the question, not the call', async () => {
    const session = start(['call', 'forge', 'ask', args(FORM)]);
    await session.waitFor('  > ');
    session.send('\x03');
    await session.waitFor('{"action":"cancel"}');
    expect(await session.exited).toBe(0);
  });

  test('what was typed before the question is no answer to it', async () => {
    const session = start(['call', 'forge', 'ask', args({ ...FORM, requestedSchema: {} })]);
    session.send('y\r');
    await session.waitFor('Send? [y/d/c] ');
    session.send('d\r');
    await session.waitFor('{"action":"decline"}');
    expect(await session.exited).toBe(0);
  });

  test('an address is opened by $BROWSER after a yes, then the call is made again', async () => {
    const folder = writeFiles(newFolder(), { browser: '#!/bin/sh\nprintf %s "$1" > "$0.url"\n' });
    const browser = join(folder, 'browser');
    chmodSync(browser, 0o755);
    const url = 'https://xn--pple-43d.example/?a=b&c';
    const call = JSON.stringify({ url, elicitationId: 'e1' });
    const session = start(['call', 'forge', 'locked', call], { BROWSER: browser });
    const asked = await session.waitFor('Open? [y/m/d/c] ');
    expect(asked).toContain(`${url}\n  host: xn--pple-43d.example\nWarning: this host name`);
    expect(existsSync(`${browser}.url`)).toBe(false);
    session.send('y\r');
    await session.waitFor('{"calls":2}');
    expect(readFileSync(`${browser}.url`, 'utf8')).toBe(url);
    expect(await session.exited).toBe(0);
  });

  test('--no-input asks nobody', async () => {
    const session = start(['call', 'forge', 'ask', args(FORM), '--no-input']);
    await session.waitFor('cancelled, nobody is here to answer');
    await session.waitFor('{"action":"cancel"}');
    expect(await session.exited).toBe(0);
  });
});

describe('a session', () => {
  test('asks above the prompt; Ctrl-C cancels the question and the session goes on', async () => {
    const session = start([]);
    await session.waitFor('> ');
    session.send(`forge/ask ${args(FORM)}\r`);
    await session.waitFor('1/2 name (text, required)');
    await session.waitFor('  > ');
    session.send('Ada\r');
    await session.waitFor('2/2 age');
    await session.waitFor('  [30] > ');
    session.send('\x03');
    await session.waitFor('{"action":"cancel"}');
    await session.waitFor('> ');
    session.send('/exit\r');
    expect(await session.exited).toBe(0);
  });
});

test('sampling is shown, and the model answers the server after a yes', async () => {
  const model = await startModelServer({ format: 'openai', script: [{ text: 'four' }] });
  open.model = model;
  const messages = [{ role: 'user', content: { type: 'text', text: 'two and two?' } }];
  const session = startPty(['call', 'forge', 'sample', args({ messages, maxTokens: 9 })], {
    config: { model: scriptedModel(model), servers: [forge] },
  });
  open.session = session;
  const asked = await session.waitFor('Allow? [y/n/v] ');
  expect(asked).toContain('  user:\n  | two and two?\n');
  expect(model.requests).toEqual([]);
  session.send('y\r');
  await session.waitFor('"text":"four"');
  expect(await session.exited).toBe(0);
  expect(model.requests.map(({ body }) => body)).toMatchObject([{ max_tokens: 9 }]);
});

test('in a run the permission is asked for first, then the form, on the same terminal', async () => {
  const model = await startModelServer({
    format: 'openai',
    script: callThenAnswer(['forge_ask', { params: FORM }]),
  });
  open.model = model;
  const session = startPty(['-p', 'ask me'], {
    config: { model: scriptedModel(model), servers: [{ ...forge, permissions: 'ask' }] },
  });
  open.session = session;
  await session.waitFor(/\[y\].*> $/s);
  session.send('y\r');
  await session.waitFor('1/2 name (text, required)\n  > ');
  session.send('Ada\r');
  await session.waitFor('  [30] > ');
  session.send('-\r');
  await session.waitFor('Send? [y/e/d/c] ');
  session.send('y\r');
  await session.waitFor('{"action":"accept","content":{"name":"Ada"}}');
  expect(await session.exited).toBe(0);
});

describe('--elicit', () => {
  const run = (elicit: string, files: Readonly<Record<string, string>> = {}) =>
    runUsher(['call', 'forge', 'ask', args(FORM), '--elicit', elicit], {
      config: { servers: [forge] },
      files,
    });

  test('a file answers without a terminal', async () => {
    const answers = '- {server: forge, match: "Who*you?", action: accept, content: {name: Ada}}';
    const { code, stdout } = await run('answers.yaml', { 'answers.yaml': answers });
    expect([code, stdout]).toEqual([0, '{"action":"accept","content":{"age":30,"name":"Ada"}}\n']);
  });

  test('a file that cannot be used ends the run before any server starts', async () => {
    const bad = await run('answers.yaml', { 'answers.yaml': '- {action: maybe}' });
    expect([bad.code, bad.stdout]).toEqual([3, '']);
    const missing = await run('answers.yaml');
    expect([missing.code, missing.stdout]).toEqual([2, '']);
  });

  test('a run with -p takes it as well', async () => {
    const { code, stdout } = await runUsher(
      ['-p', `forge/ask ${args(FORM)}`, '--elicit', 'decline', '--stdin', 'off'],
      { config: { servers: [forge] } },
    );
    expect([code, stdout]).toEqual([0, '{"action":"decline"}\n']);
  });
});

test('--verbose shows what a server logs, with its name', async () => {
  const { code, stderr } = await runUsher(
    ['call', 'forge', 'log', args({ level: 'warning', data: 'disk \u001b[31mfull' }), '-v'],
    { config: { servers: [forge] } },
  );
  expect(code).toBe(0);
  expect(stderr).toContain('debug: forge: [warning] disk \\u{1b}[31mfull\n');
  expect(stderr).toContain('debug: forge: [notice] {"level":"info"}\n');
});
