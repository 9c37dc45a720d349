import { afterAll, describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { JsonObject } from '../../src/base/json.ts';
import { isSecretPath } from '../../src/builtin/root.ts';
import { createWorkspace } from '../../src/builtin/workspace.ts';
import { checkArguments } from '../../src/tools/validate.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'usher-workspace-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const root = join(base, 'root');

function put(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(base, path)), { recursive: true });
  writeFileSync(join(base, path), content);
}

put('outside.txt', 'outside needle');
put('root/a.txt', 'one\ntwo needle\nthree\n');
put('root/empty.txt', '');
put('root/src/b.ts', 'const needle = 1;\nconst Needle = 2;\n');
put('root/src/deep/c.ts', 'x');
put('root/bin.dat', new Uint8Array([1, 0, 2, 110, 101, 101, 100, 108, 101]));
put('root/.env', 'KEY=needle');
put('root/.env.example', 'KEY=');
put('root/keys/server.pem', 'needle');
put('root/.git/config', 'needle');
put('root/node_modules/m/index.js', 'needle');
symlinkSync(join(base, 'outside.txt'), join(root, 'leaves.txt'));
symlinkSync('a.txt', join(root, 'inside.txt'));
symlinkSync('.env', join(root, 'harmless.txt'));
symlinkSync('loop', join(root, 'loop'));

const workspace = createWorkspace('workspace', root);
async function run(tool: string, args: JsonObject = {}) {
  const result = await workspace.source.call({
    tool,
    arguments: args,
    signal: new AbortController().signal,
    onProgress: () => undefined,
  });
  const text = result.content[0]?.['text'];
  return result.isError ? { refused: text } : text;
}

describe('workspace tools', () => {
  test('are read-only by annotation, with schemas that our own calls fit', () => {
    expect(
      workspace.definitions.map(({ name, annotations }) => [name, annotations.readOnlyHint]),
    ).toEqual([
      ['list_directory', true],
      ['read_file', true],
      ['find_files', true],
      ['search_text', true],
      ['file_info', true],
    ]);
    const [, readFile] = workspace.definitions;
    expect(checkArguments(readFile?.inputSchema ?? {}, { path: 'a', offset: 0 })).toEqual([
      'arguments.offset: expected at least 1, got 0',
    ]);
  });

  test('list_directory: folders first, links and credential files say what they are', async () => {
    expect(await run('list_directory')).toBe(
      [
        '.: 13 entries',
        '.git/',
        'keys/',
        'node_modules/',
        'src/',
        '.env  (not readable here)',
        '.env.example  4 B',
        'a.txt  21 B',
        'bin.dat  9 B',
        'empty.txt  0 B',
        'harmless.txt  (link)',
        'inside.txt  (link)',
        'leaves.txt  (link that leaves the workspace)',
        'loop  (link that leaves the workspace)',
      ].join('\n'),
    );
  });

  test('read_file: whole, in pieces, empty', async () => {
    expect([
      await run('read_file', { path: 'a.txt' }),
      await run('read_file', { path: 'inside.txt', offset: 2, limit: 1 }),
      await run('read_file', { path: join(root, 'a.txt'), offset: 3 }),
      await run('read_file', { path: 'empty.txt' }),
      await run('read_file', { path: 'a.txt', offset: 9 }),
      await run('read_file', { path: '.env.example' }),
    ]).toEqual([
      'one\ntwo needle\nthree',
      'two needle\n[lines 2 to 2 of 3]\n[go on with offset 3]',
      'three\n[lines 3 to 3 of 3]',
      '(the file is empty)',
      { refused: '"a.txt" has 3 lines; offset 9 is beyond its end' },
      'KEY=',
    ]);
  });

  test('read_file: long lines and files are bounded', async () => {
    put('root/long.txt', 'y'.repeat(100_000));
    put('root/many.txt', `${'z'.repeat(99)}\n`.repeat(1_000));
    const long = String(await run('read_file', { path: 'long.txt' }));
    expect(long.slice(40_000)).toBe('\n[line 1 is longer than 40000 characters and is cut]');
    const many = String(await run('read_file', { path: 'many.txt' }));
    expect(many.slice(39_999)).toBe('\n[lines 1 to 400 of 1000]\n[go on with offset 401]');
    rmSync(join(root, 'long.txt'));
    rmSync(join(root, 'many.txt'));
  });

  test('what leaves the root, holds credentials, or is no text file is refused in a sentence', async () => {
    const read = (path: string) => run('read_file', { path });
    const outside = (path: string) => ({
      refused: `${JSON.stringify(path)} is outside the workspace and is not read`,
    });
    const secret = (path: string) => ({
      refused: `${JSON.stringify(path)} may hold credentials (.env, keys and the like) and is not read`,
    });
    expect([
      await read('../outside.txt'),
      await read(join(base, 'outside.txt')),
      await read('leaves.txt'),
      await read('loop'),
      await read('a\0b'),
      await read('.env'),
      await read('src/../.env'),
      await read('harmless.txt'),
      await read('keys/server.pem'),
      await read('.git/config'),
      await read('bin.dat'),
      await read('src'),
      await read('none.txt'),
      await run('list_directory', { path: 'a.txt' }),
      await run('search_text', { text: 'x', path: '..' }),
      await run('find_files', { pattern: '*', path: '../' }),
      await run('file_info', { path: '.env' }),
      await run('read_file', { path: 5 }),
    ]).toEqual([
      outside('../outside.txt'),
      outside(join(base, 'outside.txt')),
      outside('leaves.txt'),
      outside('loop'),
      outside('a\0b'),
      secret('.env'),
      secret('src/../.env'),
      secret('harmless.txt'),
      secret('keys/server.pem'),
      secret('.git/config'),
      { refused: '"bin.dat" is a binary file (9 B) and is not read' },
      { refused: '"src" is a folder; list_directory shows what is in it' },
      { refused: 'there is no file or folder "none.txt" in the workspace' },
      { refused: '"a.txt" is a file; read_file shows what is in it' },
      outside('..'),
      outside('../'),
      secret('.env'),
      { refused: 'arguments.path: expected text, got 5' },
    ]);
  });

  test('find_files: by name, by path, bounded', async () => {
    expect([
      await run('find_files', { pattern: '*.ts' }),
      await run('find_files', { pattern: 'src/*.ts' }),
      await run('find_files', { pattern: '**/*', path: 'src' }),
      await run('find_files', { pattern: '*', limit: 2 }),
      await run('find_files', { pattern: '*.pem' }),
    ]).toEqual([
      'src/b.ts\nsrc/deep/c.ts',
      'src/b.ts',
      'src/b.ts\nsrc/deep/c.ts',
      '.env.example\na.txt\n… more than 2 files fit',
      'no file fits',
    ]);
  });

  test('search_text: literal, neither credentials nor links nor binaries', async () => {
    expect([
      await run('search_text', { text: 'needle' }),
      await run('search_text', { text: 'NEEDLE', ignore_case: true, pattern: '*.ts' }),
      await run('search_text', { text: 'needle', path: 'a.txt' }),
      await run('search_text', { text: 'needle', limit: 1 }),
      await run('search_text', { text: '.*' }),
      await run('search_text', { text: '' }),
    ]).toEqual([
      'a.txt:2: two needle\nsrc/b.ts:1: const needle = 1;',
      'src/b.ts:1: const needle = 1;\nsrc/b.ts:2: const Needle = 2;',
      'a.txt:2: two needle',
      'a.txt:2: two needle\n… there are more; narrow path, pattern or text',
      'no line has this text',
      { refused: 'arguments.text: expected text that is not empty' },
    ]);
  });

  test('file_info tells size and lines', async () => {
    const info = String(await run('file_info', { path: 'a.txt' })).replace(
      /changed: \S+Z/,
      'changed: T',
    );
    expect(info).toBe('path: a.txt\nkind: file\nchanged: T\nsize: 21 bytes\nlines: 3');
    expect(String(await run('file_info', { path: 'src' }))).toStartWith(
      'path: src\nkind: folder\n',
    );
  });

  test('credential files are known by name', () => {
    const secret = [
      '.env',
      '.env.local',
      'prod.env',
      '.envrc',
      'id_rsa',
      'x/id_ed25519.pub',
      'a.KEY',
      '.netrc',
      '.npmrc',
      '.ssh/known_hosts',
      '.aws/config',
      'credentials.json',
      'secrets.yaml',
      'x.tfstate',
    ];
    const open = [
      '.env.example',
      'environment.ts',
      'keys.ts',
      'secrets.ts',
      'monkey.txt',
      'config',
      'README.md',
    ];
    expect(secret.filter((path) => !isSecretPath(path))).toEqual([]);
    expect(open.filter(isSecretPath)).toEqual([]);
  });

  test('a root that is missing is a plain sentence at the call', async () => {
    const missing = createWorkspace('w', join(base, 'nowhere'));
    const result = await missing.source.call({
      tool: 'list_directory',
      arguments: {},
      signal: new AbortController().signal,
      onProgress: () => undefined,
    });
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: 'there is no file or folder "." in the workspace' }],
    });
  });
});
