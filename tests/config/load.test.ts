import { describe, expect, test } from 'bun:test';
import { chmodSync, closeSync, openSync, symlinkSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../src/base/errors.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { SourceOptions } from '../../src/config/sources.ts';
import { newFolder, writeFiles } from '../helpers/places.ts';

const server = (name: string) => `servers: [{name: ${name}, command: x}]\n`;

async function names(options: SourceOptions): Promise<readonly string[]> {
  return (await loadConfig(options)).servers.map(({ name }) => name);
}

async function refusal(options: SourceOptions) {
  try {
    await loadConfig(options);
  } catch (error) {
    if (error instanceof ConfigError)
      return { message: error.message, hint: error.hint, exit: error.exit };
    throw error;
  }
  return 'loaded';
}

describe('which file is read', () => {
  test('--config before $USHER_CONFIG before the user file, one alone', async () => {
    const home = writeFiles(newFolder(), { '.config/usher/config.yaml': server('user') });
    const cwd = writeFiles(newFolder(), {
      'flag.yaml': server('flag'),
      'variable.yaml': server('variable'),
    });
    const env = { HOME: home, USHER_CONFIG: 'variable.yaml' };
    expect([
      await names({ configFlag: 'flag.yaml', env, cwd }),
      await names({ env, cwd }),
      await names({ env: { ...env, USHER_CONFIG: '' }, cwd }),
      await names({ env: { HOME: '/nowhere', XDG_CONFIG_HOME: join(home, '.config') }, cwd }),
    ]).toEqual([['flag'], ['variable'], ['user'], ['user']]);
  });

  test('without any file: no model, the workspace built-in, no warning', async () => {
    const cwd = newFolder();
    const config = await loadConfig({ env: { HOME: newFolder() }, cwd });
    expect({
      ...config,
      servers: config.servers.map(({ name, endpoint }) => [name, endpoint]),
    }).toEqual({
      files: [],
      model: undefined,
      mcp: { permissions: 'ask', naming: 'server_tool', patienceMs: 2000 },
      defaultTools: { hasMeta: false, without: [] },
      servers: [['workspace', { kind: 'builtin', builtin: 'workspace' }]],
      warnings: [],
      rules: [],
      hooks: { toolCall: [], toolResult: [] },
      skipped: [],
    });
    expect(await names({ env: {}, cwd })).toEqual(['workspace']);
  });

  test.each([
    ['', ['workspace']],
    ['# nothing yet\n', ['workspace']],
    ['servers:\n', ['workspace']],
    ['mcp:\n  servers:\nmodel:\n', ['workspace']],
    ['servers: []\n', []],
    ['mcp: { permissions: auto }\n', []],
  ])('an own file with %j has the servers %j', async (text, servers) => {
    const home = writeFiles(newFolder(), { '.config/usher/config.yaml': text });
    expect(await names({ env: { HOME: home }, cwd: newFolder() })).toEqual(servers);
  });

  test('a named file that says nothing has no servers', async () => {
    const cwd = writeFiles(newFolder(), { 'a.yaml': 'servers:\n' });
    expect(await names({ env: {}, cwd, configFlag: 'a.yaml' })).toEqual([]);
  });

  test('a file is named by its absolute path', async () => {
    const cwd = writeFiles(newFolder(), { 'a/c.yaml': '' });
    expect((await loadConfig({ configFlag: 'a/c.yaml', env: {}, cwd })).files).toEqual([
      join(cwd, 'a/c.yaml'),
    ]);
  });

  test('a named file that cannot be read ends in one sentence', async () => {
    const cwd = writeFiles(newFolder(), {
      'folder/x': '',
      'utf16.yaml': '',
      'latin.yaml': '',
      'big.yaml': 'a'.repeat(5_000_000),
    });
    writeFileSync(join(cwd, 'utf16.yaml'), new Uint8Array([0xff, 0xfe, 0x61, 0]));
    writeFileSync(join(cwd, 'latin.yaml'), new Uint8Array([0x61, 0x3a, 0x20, 0xe9]));
    symlinkSync('loop.yaml', join(cwd, 'loop.yaml'));
    const example = 'usher config example prints a file to start from';
    const cases: Readonly<Record<string, readonly [message: string, hint: string | undefined]>> = {
      'no.yaml': ['does not exist', example],
      'latin.yaml/no.yaml': ['does not exist', example],
      folder: ['is a directory', 'name the file in it'],
      'utf16.yaml': ['is UTF-16 text', 'save it as UTF-8'],
      'latin.yaml': ['is not UTF-8 text', 'save it as UTF-8'],
      'big.yaml': ['is larger than 1 MiB', 'name the YAML file with servers: and model:'],
      'loop.yaml': ['is a symlink that leads to itself', undefined],
    };
    for (const [name, [text, hint]] of Object.entries(cases)) {
      expect(await refusal({ configFlag: name, env: {}, cwd })).toEqual({
        message: `--config: ${name} ${text}`,
        hint,
        exit: 3,
      });
    }
    expect(await refusal({ env: { USHER_CONFIG: 'no.yaml' }, cwd })).toEqual({
      message: '$USHER_CONFIG: no.yaml does not exist',
      hint: example,
      exit: 3,
    });
    expect(await refusal({ configFlag: '', env: {}, cwd })).toEqual({
      message: '--config: the name of the file is empty',
      hint: undefined,
      exit: 3,
    });
  });

  test.skipIf(process.getuid?.() === 0)(
    'an unreadable user file is an error, not an absent one',
    async () => {
      const home = writeFiles(newFolder(), { '.config/usher/config.yaml': '' });
      const path = join(home, '.config/usher/config.yaml');
      chmodSync(path, 0);
      expect(await refusal({ env: { HOME: home }, cwd: newFolder() })).toEqual({
        message: `${path} cannot be read: permission denied`,
        hint: 'chmod u+r lets you read it',
        exit: 3,
      });
    },
  );

  test('a pipe is read to its end', async () => {
    const cwd = newFolder();
    expect(Bun.spawnSync(['mkfifo', join(cwd, 'pipe')]).exitCode).toBe(0);
    // Opened for both directions, so that neither side waits for the other.
    const fd = openSync(join(cwd, 'pipe'), 'r+');
    const loading = names({ configFlag: 'pipe', env: {}, cwd });
    writeSync(fd, server('piped'));
    closeSync(fd);
    expect(await loading).toEqual(['piped']);
  });
});

describe('a file that others may write', () => {
  const text = (who: string, mode: string) =>
    `c.yaml: ${who} may change this file (mode ${mode}), and commands in it run as you`;
  const warningsOf = async (options: SourceOptions) =>
    (await loadConfig(options)).warnings.map(({ message, hint }) => [message, hint]);

  test.each([
    [0o666, 'everybody'],
    [0o602, 'everybody'],
    [0o660, 'its group'],
    [0o644, undefined],
    [0o600, undefined],
  ] as const)('mode %o, named: %p', async (mode, who) => {
    const cwd = writeFiles(newFolder(), { 'c.yaml': server('a') });
    chmodSync(join(cwd, 'c.yaml'), mode);
    const shown = `0${mode.toString(8)}`;
    expect(await warningsOf({ configFlag: 'c.yaml', env: {}, cwd })).toEqual(
      who === undefined ? [] : [[text(who, shown), `chmod go-w ${join(cwd, 'c.yaml')}`]],
    );
  });

  test('of a symlink the target counts, and a project file is never trusted anyway', async () => {
    const home = writeFiles(newFolder(), {
      'dotfiles/config.yaml': server('a'),
      '.config/usher/x': '',
    });
    symlinkSync(join(home, 'dotfiles/config.yaml'), join(home, '.config/usher/config.yaml'));
    const cwd = writeFiles(newFolder(), { 'usher.yaml': '{}', '.usher/local.yaml': '{}' });
    chmodSync(join(cwd, 'usher.yaml'), 0o666);
    expect(await warningsOf({ env: { HOME: home }, cwd })).toEqual([]);
    chmodSync(join(home, 'dotfiles/config.yaml'), 0o666);
    chmodSync(join(cwd, '.usher/local.yaml'), 0o666);
    const told = (await warningsOf({ env: { HOME: home }, cwd })).map(([message]) => message);
    expect(told.map((message) => message?.replace(home, '~').split(': ')[0])).toEqual([
      '~/.config/usher/config.yaml',
      '.usher/local.yaml',
    ]);
  });

  test('a pipe has no such mode', async () => {
    const cwd = newFolder();
    Bun.spawnSync(['mkfifo', '-m', '666', join(cwd, 'c.yaml')]);
    const fd = openSync(join(cwd, 'c.yaml'), 'r+');
    const loading = warningsOf({ configFlag: 'c.yaml', env: {}, cwd });
    writeSync(fd, server('a'));
    closeSync(fd);
    expect(await loading).toEqual([]);
  });
});

describe('project files', () => {
  test('above the workspace root, or outside one above cwd, are not looked at', async () => {
    const outer = writeFiles(newFolder(), {
      'usher.yaml': '',
      'repo/.git/HEAD': '',
      'plain/x': '',
    });
    const env = { HOME: newFolder() };
    const inRepo = await loadConfig({ env, cwd: join(outer, 'repo') });
    const inPlain = await loadConfig({ env, cwd: join(outer, 'plain') });
    expect([inRepo.warnings, inPlain.warnings]).toEqual([[], []]);
  });

  test('beside a named file are not read', async () => {
    const cwd = writeFiles(newFolder(), { 'usher.yaml': server('evil'), 'mine.yaml': '' });
    const named = await loadConfig({ configFlag: 'mine.yaml', env: {}, cwd });
    expect([named.files, named.warnings, named.pending]).toEqual([
      [join(cwd, 'mine.yaml')],
      [],
      undefined,
    ]);
  });
});
