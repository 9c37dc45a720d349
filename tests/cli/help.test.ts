/** Help pages: one for each command, topic and action of mcp, made for the terminal's width. */
import { describe, expect, test } from 'bun:test';
import { COMMANDS, isCommandName } from '../../src/cli/command-table.ts';
import { renderHelp, renderTopic } from '../../src/cli/help.ts';
import { flagsOfAction, MCP_EVERYWHERE, mcpActions } from '../../src/cli/mcp-actions.ts';
import { readOptions } from '../../src/cli/options.ts';
import { parseLine } from '../../src/cli/parse.ts';
import { TOPICS } from '../../src/cli/topics.ts';
import { cli } from './fakes.ts';

const commands = ['' as const, ...Object.keys(COMMANDS).filter(isCommandName)];

describe('the page of an action of mcp', () => {
  test.each(mcpActions())(
    '%s has its usage, its own flags and examples that parse',
    async (action) => {
      const run = await cli(['mcp', action, '--help']);
      const options = /\nOPTIONS\n\n(.*?)(?:\n\nEXAMPLES\n\n(.*))?\n$/s.exec(run.stdout);
      const flags = [...(options?.[1] ?? '').matchAll(/^ {2}(?: {4}|-\w, )--([a-z-]+)/gm)];
      expect(run.stdout).toContain(`\nUSAGE usher mcp ${action} [OPTIONS]`);
      expect(flags.map(([, name]) => name)).toEqual([
        ...flagsOfAction(action),
        ...MCP_EVERYWHERE,
        'help',
      ]);
      const examples = (options?.[2] ?? '').split('\n').map((line) => line.trim());
      expect(examples.length).toBeGreaterThan(0);
      for (const example of examples) {
        const words = [...example.matchAll(/'([^']*)'|(\S+)/g)].map(([, a, b]) => a ?? b ?? '');
        expect(words.slice(0, 3)).toEqual(['usher', 'mcp', action]);
        expect(() => readOptions(parseLine(words.slice(1)))).not.toThrow();
      }
      expect((await cli(['help', 'mcp', action])).stdout).toBe(run.stdout);
    },
  );

  test('does not say again which action a flag is for', async () => {
    expect(await renderHelp('mcp', ['list'])).toMatch(/--check +connect to every server\n/);
    expect(await renderHelp('mcp', ['lock'])).toMatch(/--diff +what changed since tools/);
    expect(await renderHelp('mcp', ['add'])).toMatch(/--arg=<TEXT> +one argument of the program\n/);
  });

  test('an action that is none has the overview with --help, and no page of its own', async () => {
    expect((await cli(['mcp', 'ad', '--help'])).stdout).toBe(await renderHelp('mcp'));
    const topic = await cli(['help', 'mcp', 'ad']);
    expect([topic.exit, topic.stderr.split('\n').slice(0, 2)]).toEqual([
      2,
      ['error: no help on "mcp ad"', '  did you mean add?'],
    ]);
    expect((await cli(['help', 'call', 'add'])).exit).toBe(2);
  });
});

test.each([80, 60, 40])(
  'nothing but a single word is wider than a terminal of %i columns',
  async (columns) => {
    const pages = await Promise.all([
      ...commands.map((name) => renderHelp(name, [], columns)),
      ...mcpActions().map((action) => renderHelp('mcp', [action], columns)),
      ...Object.keys(TOPICS).map((topic) => renderTopic([topic], columns)),
    ]);
    const lines = pages.flatMap((page) => page.split('\n'));
    const wide = lines.filter((line) => line.length > columns && line.trim().includes(' '));
    // Examples are to be copied, so they stay whole.
    expect(wide.filter((line) => columns === 80 || !/\busher /.test(line))).toEqual([]);
  },
);

test('values that are too many for the column stand in the text', async () => {
  expect(await renderHelp('mcp', ['add'])).toContain(
    `      --grant=<VALUE>         sign-in: how tokens are got (default
                              authorization_code): authorization_code,
                              device_code, client_credentials, jwt-bearer,
                              enterprise
`,
  );
});

test('a command that is a topic as well has both, and is named once', async () => {
  const both = await cli(['help', 'login']);
  expect(both.stdout).toBe(`${await renderHelp('login')}\n${TOPICS['login']}`);
  const { stderr } = await cli(['help', 'nothing-of-the-kind']);
  expect(stderr.match(/\blogin\b/g)).toHaveLength(1);
});

test('topics are named by the program and by help', async () => {
  for (const page of [await renderHelp(''), await renderHelp('help')]) {
    const [, names = ''] = /usher help TOPIC tells about: ([^.]*)\./.exec(page) ?? [];
    expect(names.split(/,\s+/)).toEqual(Object.keys(TOPICS));
  }
});
