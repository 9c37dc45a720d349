import { expect, test } from 'bun:test';
import { readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { registerSecret } from '../../src/base/redact.ts';
import { createMcpLog } from '../../src/host/mcp-log.ts';
import { newFolder, writeFiles } from '../helpers/places.ts';

const clock = { date: () => new Date(Date.UTC(2026, 6, 28)) };
const AT = '2026-07-28T00:00:00.000Z';

function openLog(stateDir: string, maxBytes?: number) {
  const warnings: string[] = [];
  const warn = (message: string) => warnings.push(message);
  const log = createMcpLog({
    stateDir,
    clock,
    warn,
    ...(maxBytes === undefined ? {} : { maxBytes }),
  });
  const read = (name = 'mcp.log') => readFileSync(join(stateDir, name), 'utf8');
  return { log, warnings, read };
}

test('one line each: scrubbed, escaped, bounded, for the owner alone', () => {
  registerSecret('hunter2-hunter2');
  const stateDir = join(newFolder(), 'state');
  const { log, read } = openLog(stateDir);
  log.write('forge', 'info', 'two\nlines\u001b[2J');
  log.write('forge', 'error', `token hunter2-hunter2 ${'x'.repeat(9000)}`);
  log.close();
  const [first, second = '', ...rest] = read().split('\n');
  expect(first).toBe(`${AT} forge info two lines\\u{1b}[2J`);
  expect([second.slice(0, 50), second.length, rest]).toEqual([
    `${AT} forge error token *** `.padEnd(50, 'x'),
    `${AT} forge error `.length + 4000,
    [''],
  ]);
  expect(statSync(join(stateDir, 'mcp.log')).mode & 0o777).toBe(0o600);
});

test('a full log is put aside, one generation, also when it was full before', () => {
  const stateDir = newFolder();
  const line = `${AT} forge info 1\n`;
  const first = openLog(stateDir, line.length * 2);
  for (const text of ['1', '2', '3']) first.log.write('forge', 'info', text);
  first.log.close();
  const again = openLog(stateDir, line.length * 2);
  for (const text of ['4', '5']) again.log.write('forge', 'info', text);
  again.log.close();
  const texts = (name: string) => again.read(name).match(/\d$/gm);
  expect([texts('mcp.log.1'), texts('mcp.log')]).toEqual([['3', '4'], ['5']]);
});

test('a symlink in its place is not followed: one warning, and no log', () => {
  const target = join(writeFiles(newFolder(), { target: 'mine' }), 'target');
  const stateDir = newFolder();
  symlinkSync(target, join(stateDir, 'mcp.log'));
  const { log, warnings } = openLog(stateDir);
  log.write('forge', 'info', 'x');
  log.write('forge', 'info', 'y');
  log.close();
  const path = join(stateDir, 'mcp.log');
  expect(warnings).toEqual([`${path} cannot be written (ELOOP); what servers log is not kept`]);
  expect(readFileSync(target, 'utf8')).toBe('mine');
});
