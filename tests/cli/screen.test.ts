/** stderr of a command: at a terminal no word is cut, a pipe gets whole lines. */
import { expect, test } from 'bun:test';
import { createLog } from '../../src/base/log.ts';
import { createScreen } from '../../src/cli/screen.ts';
import { memoryWriter } from './fakes.ts';

const ADDRESS = 'https://mcp.example.com/a/very/long/way/that/is/one/word';

test.each([
  [
    'at a terminal broken at spaces, addresses whole',
    true,
    `warning: the server at\n  ${ADDRESS}\n  cannot be reached\n  usher mcp doctor docs tells more\n  about it\n`,
  ],
  [
    'whole in a pipe',
    false,
    `warning: the server at ${ADDRESS} cannot be reached\n  usher mcp doctor docs tells more about it\n`,
  ],
])('a long warning with its hint is %s', (_name, isTerminal, text) => {
  const writer = memoryWriter();
  const { line } = createScreen(writer, {
    env: {},
    noColor: true,
    breakLine: () => undefined,
    isTerminal,
    columns: () => 36,
  });
  const log = createLog({ level: 'warn', colour: false, writeLine: line });
  log.warn(
    `the server at ${ADDRESS} cannot be reached`,
    'usher mcp doctor docs tells more about it',
  );
  expect(writer.text()).toBe(text);
});
