import { expect, test } from 'bun:test';
import { openFdWriter } from '../../src/base/fd-writer.ts';
import { registerSecret } from '../../src/base/redact.ts';
import { createOutput } from '../../src/cli/output.ts';
import { memoryOutput } from './fakes.ts';

function failing(code: string) {
  const later = () => Promise.reject(Object.assign(new Error(`${code}: no`), { code }));
  return createOutput(openFdWriter({ now: undefined, later }), false);
}

test('a pipe gets text as it is, a terminal gets it escaped', () => {
  const [pipe, terminal] = [memoryOutput(false), memoryOutput(true)];
  for (const output of [pipe, terminal]) output.text('a\u001b[31mb\n');
  expect([pipe.shown(), terminal.shown()]).toEqual(['a\u001b[31mb\n', 'a\\u{1b}[31mb\n']);
});

test('secrets leave neither as text nor inside JSON, which stays JSON', () => {
  registerSecret('quote"secret-canary');
  const output = memoryOutput();
  output.text('x quote"secret-canary y\n');
  output.json({ a: ['quote"secret-canary'] });
  expect(output.shown()).toBe('x *** y\n{"a":["***"]}\n');
});

test('an unfinished line at a terminal is ended once, on a pipe never', () => {
  const [pipe, terminal] = [memoryOutput(false), memoryOutput(true)];
  for (const output of [pipe, terminal]) {
    output.breakLine();
    output.text('half');
    output.breakLine();
    output.breakLine();
  }
  expect([pipe.shown(), terminal.shown()]).toEqual(['half', 'half\n']);
});

test('the exit code is kept when all is written', async () => {
  const output = memoryOutput();
  output.text('x');
  expect(await output.finish(5, () => undefined)).toBe(5);
});

test.each([
  ['EPIPE', 0, []],
  ['ENOSPC', 1, ['stdout cannot be written: no space left on the device']],
  ['EIO', 1, ['stdout cannot be written: EIO: no']],
] as const)('%s ends with %d', async (code, exit, complaints) => {
  const output = failing(code);
  const said: string[] = [];
  output.text('x');
  expect(await output.finish(0, (message) => said.push(message))).toBe(exit);
  expect([said, output.isClosed()]).toEqual([[...complaints], true]);
});
