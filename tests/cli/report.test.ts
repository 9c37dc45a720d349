import { describe, expect, test } from 'bun:test';
import { ConnectError, InternalError, UsageError } from '../../src/base/errors.ts';
import { createLog, type LogLevel } from '../../src/base/log.ts';
import { reportError } from '../../src/cli/report.ts';
import { usageText } from '../../src/cli/usage.ts';
import { cli } from './fakes.ts';

function told(thrown: unknown, level: LogLevel, usage?: string) {
  const lines: string[] = [];
  const writeLine = (line: string) => void lines.push(line);
  const exit = reportError(thrown, createLog({ level, colour: false, writeLine }), usage);
  return { exit, lines };
}

const refused = Object.assign(new TypeError('no way'), { code: 'ECONNREFUSED' });
const unreached = new ConnectError('cannot reach s', { cause: refused, hint: 'start it' });

describe('errors on stderr', () => {
  test('are told with their hint alone', () => {
    expect(told(unreached, 'info', 'usage: usher')).toEqual({
      exit: 4,
      lines: ['error: cannot reach s', '  start it'],
    });
  });

  test('are told with kind and causes, without a stack, under --verbose', () => {
    expect(told(unreached, 'debug').lines.slice(2)).toEqual([
      'debug: [connect] cannot reach s',
      'debug: caused by TypeError [ECONNREFUSED]: no way',
    ]);
  });

  test('name what was thrown that is no error', () => {
    const { lines } = told(new ConnectError('x', { cause: 'a word' }), 'debug');
    expect(lines.at(-1)).toBe('debug: caused by a word');
  });

  test('end a chain of causes that leads back to itself', () => {
    const first = new Error('first');
    first.cause = new Error('second', { cause: first });
    expect(told(new ConnectError('x', { cause: first }), 'debug').lines).toHaveLength(10);
  });

  test('show the stack of a fault of ours, and of what caused it', () => {
    const { exit, lines } = told(new InternalError('odd', { cause: refused }), 'debug');
    expect(exit).toBe(70);
    expect(lines.filter((line) => /^ {2} +at /.test(line)).length).toBeGreaterThan(1);
    expect(told(new InternalError('odd'), 'info').lines).toHaveLength(2);
  });

  test('carry the usage where the command line was wrong', () => {
    expect(told(new UsageError('what?', { hint: 'this' }), 'info', 'usage: usher x').lines).toEqual(
      ['error: what?', '  this', '  usage: usher x'],
    );
  });
});

describe('usage', () => {
  test('is that of the action where one was named', () => {
    expect(usageText('mcp', ['get', 'a', 'b'], 78)).toBe(
      'usage: usher mcp get NAME, or: usher mcp get --help',
    );
    expect(usageText('mcp', ['disable'], 78)).toBe(
      'usage: usher mcp remove|enable|disable NAME, or: usher mcp disable --help',
    );
    expect(usageText('mcp', ['add'], 100)).toBe(
      'usage: usher mcp add NAME [URL | -- PROGRAM ARG ...], or: usher mcp add --help',
    );
  });

  test.each([40, 60, 78, 120])('is broken between actions at %d columns', (columns) => {
    const lines = usageText('mcp', ['lst'], columns).split('\n');
    expect(lines.length).toBeGreaterThan(2);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(
      Math.max(columns, 59),
    );
    expect(lines[0]).toStartWith('usage: usher mcp list | get NAME');
    expect(lines.at(-1)).toEndWith('or: usher mcp --help');
  });

  test('is of the command whose flag nobody knows', async () => {
    const { exit, stderr } = await cli(['mcp', 'add', 'x', '--cod', '1']);
    expect([exit, stderr.split('\n').at(-2)]).toEqual([
      2,
      '  usage: usher mcp add NAME [URL | -- PROGRAM ARG ...], or: usher mcp add --help',
    ]);
    expect((await cli(['--cod'])).stderr).toEndWith(
      '  usage: usher --prompt TEXT, or: usher --help\n',
    );
  });

  test('is one line where that is enough', () => {
    expect(usageText('', [], 78)).toBe('usage: usher --prompt TEXT, or: usher --help');
    expect(usageText('call', ['SERVER|URL'], 100)).toBe(
      'usage: usher call SERVER|URL TOOL [JSON | KEY=VALUE ... | -], or: usher call --help',
    );
  });
});
