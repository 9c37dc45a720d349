import { expect, test } from 'bun:test';
import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../src/base/errors.ts';
import { systemFiles } from '../../src/base/file-ops.ts';
import { registerSecret } from '../../src/base/redact.ts';
import { openSession } from '../../src/session/open.ts';
import { createRecorder, type Message } from '../../src/session/recorder.ts';
import { LOST_RESULT, UNKNOWN_CALL, UNSENT_CALL } from '../../src/session/resume.ts';
import { newFolder } from '../helpers/places.ts';
import { countFiles, fullDisk } from './failing-files.ts';

const open = (stateDir: string, files = systemFiles, problems: string[] = []) =>
  openSession({
    stateDir,
    id: 'a',
    cwd: '/somewhere',
    files,
    wallTime: () => 0,
    onProblem: (message) => problems.push(message),
  });
const NOTHING: ReadonlyMap<string, string> = new Map();
const user = (text: string): Message => ({ role: 'user', text });
const answer = (text: string): Message => ({
  role: 'assistant',
  text,
  toolCalls: [],
  state: undefined,
});
const calling = (...ids: string[]): Message => ({
  role: 'assistant',
  text: '',
  toolCalls: ids.map((id) => ({ id, name: 'x_do', argumentsText: '{"a":1}' })),
  state: { family: 'anthropic', parts: [{ type: 'reasoning', text: 'hm' }] },
});
const results = (...ids: string[]): Message => ({
  role: 'tool',
  results: ids.map((id) => ({ callId: id, name: 'x_do', text: `done ${id}`, status: 'ok' })),
});
const intent = (id: string) => ({
  id,
  server: 'x',
  tool: 'do',
  arguments: {},
  origin: 'model',
  isReadOnly: false,
});
const transcript = (stateDir: string) => join(stateDir, 'sessions', 'a.jsonl');

test('what was said comes back as it was, with the results that can be read on', async () => {
  const stateDir = newFolder();
  const history = [user('hi'), calling('1', '2'), results('1', '2'), answer('done')];
  const kept = [{ id: 'abc', path: '/state/x.txt' }];
  const first = await open(stateDir);
  first.save(history.slice(0, 2), [], NOTHING);
  first.save(history, kept, NOTHING);
  first.save(history, kept, NOTHING);
  await first.close();
  await first.close();
  const second = await open(stateDir);
  expect([second.history, second.kept, second.unknown]).toEqual([history, kept, []]);
  const more = [...history, user('more'), answer('yes')];
  second.save(more, kept, NOTHING);
  await second.close();
  const third = await open(stateDir);
  expect(third.history).toEqual(more);
  await third.close();
  expect(statSync(transcript(stateDir)).mode & 0o777).toBe(0o600);
});

test('nothing said, nothing saved', async () => {
  const stateDir = newFolder();
  await (await open(stateDir)).close();
  expect(() => statSync(transcript(stateDir))).toThrow();
  expect(() => statSync(join(stateDir, 'sessions', 'a.lock'))).toThrow();
});

test('calls in flight are told as unknown, answered, or not sent, and never again as anything else', async () => {
  const stateDir = newFolder();
  const first = await open(stateDir);
  // An id that an earlier turn used as well must not be taken for this one.
  first.save([user('a'), calling('1')], [], NOTHING);
  const recorder = createRecorder(first.journal);
  await recorder.beforeSend(intent('1'));
  const done = (id: string, sent: boolean) =>
    recorder.onEvent({
      type: 'call_done',
      id,
      name: 'x_do',
      durationMs: 1,
      outcome: { kind: 'cancelled', tool: undefined, sent, text: '' },
    });
  done('1', false);
  const before = [user('a'), calling('1'), results('1')];
  const history = [...before, calling('1', '2', '3', '4')];
  first.save(before, [], NOTHING);
  first.save(history, [], NOTHING);
  await recorder.beforeSend(intent('2'));
  await recorder.beforeSend(intent('3'));
  done('3', false);
  await recorder.beforeSend(intent('4'));
  first.journal.append('outcome', { intent: first.journal.seq, call: '4', outcome: 'ok' });
  // Killed here: neither closed nor unlocked.
  writeFileSync(join(stateDir, 'sessions', 'a.lock'), '{"pid":1,"started":"gone"}');
  const expected: Message = {
    role: 'tool',
    results: [
      ['1', UNSENT_CALL],
      ['2', UNKNOWN_CALL],
      ['3', UNSENT_CALL],
      ['4', LOST_RESULT],
    ].map(([callId = '', text = '']) => ({ callId, name: 'x_do', text, status: 'error' })),
  };
  const second = await open(stateDir);
  expect([second.history, second.unknown]).toEqual([[...history, expected], ['x/do']]);
  await second.close();
  const third = await open(stateDir);
  expect([third.history, third.unknown]).toEqual([[...history, expected], []]);
  await third.close();
});

test('a call that the record could not hold counts as sent', async () => {
  const stateDir = newFolder();
  const problems: string[] = [];
  let isFull = false;
  const files = {
    ...systemFiles,
    openAppend: (path: string) => (isFull ? fullDisk() : systemFiles.openAppend(path)),
  };
  const first = await open(stateDir, files, problems);
  first.save([user('a'), calling('1')], [], NOTHING);
  isFull = true;
  await createRecorder(first.journal).beforeSend(intent('1'));
  writeFileSync(join(stateDir, 'sessions', 'a.lock'), '{"pid":1,"started":"gone"}');
  const second = await open(stateDir);
  expect([second.unknown, problems]).toEqual([
    ['x_do'],
    ['the record of tool calls cannot be written: no space left on the device'],
  ]);
  await second.close();
});

test('a torn end and a prompt without reply are taken off', async () => {
  const stateDir = newFolder();
  const first = await open(stateDir);
  first.save([user('a'), answer('b')], [], NOTHING);
  await first.close();
  appendFileSync(
    transcript(stateDir),
    '{"kind":"message","at":"","seq":0,"message":{"role":"user","text":"lost"}}\n{"kind":"mess',
  );
  const second = await open(stateDir);
  expect(second.history).toEqual([user('a'), answer('b')]);
  second.save([user('a'), answer('b'), user('c'), answer('d')], [], NOTHING);
  await second.close();
  const third = await open(stateDir);
  expect(third.history).toEqual([user('a'), answer('b'), user('c'), answer('d')]);
  await third.close();
  expect(readFileSync(transcript(stateDir), 'utf8')).not.toContain('lost');
});

test('a second one is refused at once, and told that it may try again', async () => {
  const stateDir = newFolder();
  const first = await open(stateDir);
  const error = await open(stateDir).catch((thrown: unknown) => thrown);
  expect(error instanceof AppError && [error.message, error.exit, error.retryable]).toEqual([
    `session a is busy: process ${process.pid} uses it`,
    1,
    true,
  ]);
  await first.close();
  await (await open(stateDir)).close();
});

test('a file that holds no session is left alone', async () => {
  const stateDir = newFolder();
  await (await open(stateDir)).close();
  writeFileSync(transcript(stateDir), 'my notes\n');
  await expect(open(stateDir)).rejects.toThrow('holds no session');
  expect(readFileSync(transcript(stateDir), 'utf8')).toBe('my notes\n');
});

test('secrets are not saved', async () => {
  const stateDir = newFolder();
  registerSecret('hunter2-hunter2');
  const session = await open(stateDir);
  session.save(
    [
      user('key hunter2-hunter2'),
      {
        role: 'assistant',
        text: 'hunter2-hunter2',
        toolCalls: [{ id: '1', name: 'x_do', argumentsText: '{"k":"hunter2-hunter2"}' }],
        state: undefined,
      },
    ],
    [],
    NOTHING,
  );
  await session.close();
  expect(readFileSync(transcript(stateDir), 'utf8')).not.toContain('hunter2');
});

test('whatever operation fails, opening throws or saving is told once, and the file is readable', async () => {
  for (let at = 1; ; at += 1) {
    const stateDir = newFolder();
    const counted = countFiles(at, fullDisk, true);
    const problems: string[] = [];
    const session = await open(stateDir, counted.files, problems).catch(() => undefined);
    if (session !== undefined) {
      session.save([user('a'), calling('1')], [], NOTHING);
      await createRecorder(session.journal).beforeSend(intent('1'));
      session.save([user('a'), calling('1'), results('1')], [], NOTHING);
      await session.close().catch(() => undefined);
    }
    const isUntouched = counted.count() < at;
    expect([at, problems.length <= 2, isUntouched && problems.length > 0]).toEqual([
      at,
      true,
      false,
    ]);
    writeFileSync(join(stateDir, 'mark'), '');
    const lock = join(stateDir, 'sessions', 'a.lock');
    await Bun.file(lock)
      .delete()
      .catch(() => undefined);
    const after = await open(stateDir);
    await after.close();
    if (isUntouched) break;
  }
});

test('what scripts store comes back, but for what was deleted or belongs to messages that were lost', async () => {
  const stateDir = newFolder();
  const first = await open(stateDir);
  first.save(
    [user('a'), answer('b')],
    [],
    new Map([
      ['kept', '{"n":1}'],
      ['gone', '2'],
    ]),
  );
  first.save([user('a'), answer('b'), user('c'), answer('d')], [], new Map([['kept', '{"n":3}']]));
  await first.close();
  const second = await open(stateDir);
  expect([...second.stored]).toEqual([['kept', '{"n":3}']]);
  // What did not change is not written again.
  second.save([...second.history, user('e'), answer('f')], [], second.stored);
  await second.close();
  const lines = readFileSync(transcript(stateDir), 'utf8').split('\n');
  expect(lines.filter((line) => line.includes('"stored"'))).toHaveLength(4);
  // A torn end takes what was stored with it.
  const whole = readFileSync(transcript(stateDir), 'utf8');
  const cut = whole.indexOf('{"kind":"message"', whole.indexOf('n\\":3'));
  writeFileSync(transcript(stateDir), whole.slice(0, cut + 30), { mode: 0o600 });
  const third = await open(stateDir);
  expect([...third.stored]).toEqual([
    ['kept', '{"n":1}'],
    ['gone', '2'],
  ]);
  await third.close();
});

test('no secret is stored, and what is no JSON is not believed', async () => {
  const stateDir = newFolder();
  registerSecret('canary-stored-secret');
  const first = await open(stateDir);
  first.save([user('a'), answer('b')], [], new Map([['k', '"canary-stored-secret"']]));
  await first.close();
  expect(readFileSync(transcript(stateDir), 'utf8')).not.toContain('canary-stored-secret');
  const second = await open(stateDir);
  expect([...second.stored]).toEqual([['k', '"***"']]);
  await second.close();
  appendFileSync(transcript(stateDir), '{"kind":"stored","key":"k","json":"{"}\n');
  const third = await open(stateDir);
  expect([...third.stored]).toEqual([['k', '"***"']]);
  await third.close();
});
