import { describe, expect, test } from 'bun:test';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type AtomicOps, systemAtomicOps } from '../../src/base/files.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { newEntryProblems } from '../../src/config/new-entry.ts';
import { type Scope, sourceOf } from '../../src/config/sources.ts';
import { chooseScope, entriesOf, writeTarget } from '../../src/config/targets.ts';
import { recordChoice } from '../../src/config/trust.ts';
import { type Edit, editFile } from '../../src/config/write.ts';
import { newFolder, writeFiles } from '../helpers/places.ts';

const source = (scope: Scope, path: string) => sourceOf(scope, path, dirname(path));
const add = (name: string): Edit => ({ kind: 'add', entry: { name, command: 'x' } });

/** The system's operations, of which the n-th (from 0) fails. */
function failingAt(n: number): { readonly ops: AtomicOps; readonly used: () => number } {
  let count = 0;
  const step = <A extends readonly unknown[], R>(work: (...args: A) => R) => {
    return (...args: A): R => {
      count += 1;
      if (count === n + 1) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
      return work(...args);
    };
  };
  const { makeFolder, create, setMode, write, sync, close, rename } = systemAtomicOps;
  return {
    ops: {
      makeFolder: step(makeFolder),
      create: step(create),
      setMode: step(setMode),
      write: step(write),
      sync: step(sync),
      close: step(close),
      rename: step(rename),
    },
    used: () => count,
  };
}

test('changes that are made at the same time are all kept', async () => {
  const folder = writeFiles(newFolder(), { 'a.yaml': 'servers: []\n' });
  const at = source('user', join(folder, 'a.yaml'));
  const names = Array.from({ length: 6 }, (_, index) => `s${index}`);
  await Promise.all(names.map((name) => editFile(at, add(name))));
  const written = readFileSync(at.path, 'utf8').match(/s\d/g);
  expect(written?.toSorted()).toEqual(names);
  expect(readdirSync(folder)).toEqual(['a.yaml']);
});

describe('a change of a file', () => {
  const edits: Readonly<Record<string, readonly [file: string, before: string, edit: Edit]>> = {
    'added to YAML': ['a.yaml', 'servers:\n  - {name: a, command: x}\n', add('n')],
    'removed from YAML': [
      'a.yaml',
      'servers:\n  - {name: a, command: x}\n',
      { kind: 'remove', name: 'a' },
    ],
    'switched off in YAML': [
      'a.yaml',
      'servers:\n  - {name: a, command: x}\n',
      { kind: 'enable', name: 'a', enabled: false },
    ],
    'added to JSON': ['.mcp.json', '{"mcpServers": {"a": {"command": "x"}}}\n', add('n')],
  };
  for (const [what, [name, before, edit]] of Object.entries(edits)) {
    test(`${what}: whichever file operation fails, the old or the new file is there whole`, async () => {
      const good = join(writeFiles(newFolder(), { [name]: before }), name);
      await editFile(source('user', good), edit);
      const after = readFileSync(good, 'utf8');
      expect(after).not.toBe(before);
      let finished = false;
      for (let n = 0; !finished; n += 1) {
        const path = join(writeFiles(newFolder(), { [name]: before }), name);
        const { ops, used } = failingAt(n);
        const outcome = await editFile(source('user', path), edit, ops).then(
          () => 'written',
          (error: Error) => error.message,
        );
        finished = used() <= n;
        expect({
          text: readFileSync(path, 'utf8'),
          outcome,
          names: readdirSync(dirname(path)),
        }).toEqual({
          text: finished ? after : before,
          outcome: finished ? 'written' : `${path} cannot be written: no space left on the device`,
          names: [name],
        });
      }
    });
  }

  test('keeps the mode of the file; a new own file is private, a project file is not', async () => {
    const folder = newFolder();
    const old = join(writeFiles(folder, { 'old.yaml': 'servers: []\n' }), 'old.yaml');
    chmodSync(old, 0o640);
    await editFile(source('user', old), add('a'));
    await editFile(source('user', join(folder, 'new.yaml')), add('a'));
    await editFile(source('project', join(folder, 'usher.yaml')), add('a'));
    const mode = (name: string) => statSync(join(folder, name)).mode & 0o777;
    expect([mode('old.yaml'), mode('new.yaml'), mode('usher.yaml')]).toEqual([0o640, 0o600, 0o644]);
  });

  test('a new local folder is hidden from git, an old one is left as it is', async () => {
    const folder = newFolder();
    await editFile(source('local', join(folder, '.usher/local.yaml')), add('a'));
    expect(readFileSync(join(folder, '.usher/.gitignore'), 'utf8')).toBe('*\n');
    const other = writeFiles(newFolder(), { '.usher/x': '' });
    await editFile(source('local', join(other, '.usher/local.yaml')), add('a'));
    expect(existsSync(join(other, '.usher/.gitignore'))).toBe(false);
  });

  test('a symlink, a file that cannot be parsed and a layout that cannot be kept are refused', async () => {
    const folder = writeFiles(newFolder(), {
      'real.yaml': 'servers: []\n',
      'bad.yaml': 'servers: [',
      'alias.yaml': 'x: &l []\nservers: *l\n',
      'map.yaml': 'servers: {a: b}\n',
    });
    symlinkSync('real.yaml', join(folder, 'link.yaml'));
    const refusal = (name: string) =>
      editFile(source('user', join(folder, name)), add('a')).then(
        () => 'written',
        (error: Error) => error.message,
      );
    expect([
      await refusal('link.yaml'),
      await refusal('bad.yaml'),
      await refusal('alias.yaml'),
      await refusal('map.yaml'),
    ]).toEqual([
      `${join(folder, 'link.yaml')} is a symlink and is not written to`,
      expect.stringContaining('bad.yaml:1:'),
      'alias.yaml cannot be changed without rewriting more of it',
      'map.yaml: servers is no list',
    ]);
    expect(readFileSync(join(folder, 'real.yaml'), 'utf8')).toBe('servers: []\n');
  });

  test('of a JSON project file stays JSON, with type and a bearer header as others read it', async () => {
    const path = join(writeFiles(newFolder(), { '.mcp.json': '{"mcpServers": {}}' }), '.mcp.json');
    const auth = { type: 'bearer', tokenEnv: 'T' };
    const entry = { name: 'h', url: 'https://a.example/mcp', auth };
    await editFile(source('project', path), { kind: 'add', entry });
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
      mcpServers: {
        h: {
          type: 'http',
          url: 'https://a.example/mcp',
          // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference.
          headers: { Authorization: 'Bearer ${T}' },
        },
      },
    });
  });
});

test('decisions: whichever write fails, the old ones are there', () => {
  const home = newFolder();
  const question = { file: '/p/.mcp.json', name: 'a', signature: 's', tools: undefined };
  recordChoice({ HOME: home }, question, 'approved');
  const path = join(home, '.local/state/usher/approvals.json');
  const before = readFileSync(path, 'utf8');
  for (let n = 0; n < 7; n += 1) {
    const other = { ...question, name: `n${n}` };
    expect(() => recordChoice({ HOME: home }, other, 'approved', failingAt(n).ops)).toThrow(
      'no space left',
    );
    expect([readFileSync(path, 'utf8'), readdirSync(dirname(path))]).toEqual([
      before,
      ['approvals.json'],
    ]);
  }
});

describe('where a change goes', () => {
  test('the nearest project or local file, else the workspace root; a named file whatever the scope', () => {
    const root = writeFiles(newFolder(), { '.git/HEAD': '', 'sub/.mcp.json': '{}' });
    const cwd = join(root, 'sub/deep');
    writeFiles(cwd, { x: '' });
    const env = { HOME: '/home/me' };
    const target = (scope: 'user' | 'project' | 'local', at = cwd) =>
      writeTarget({ env, cwd: at }, scope).path;
    expect([
      target('user'),
      target('project'),
      target('project', root),
      target('local'),
      writeTarget({ env, cwd, configFlag: 'c.yaml' }, 'project').path,
    ]).toEqual([
      '/home/me/.config/usher/config.yaml',
      join(root, 'sub/.mcp.json'),
      join(root, 'usher.yaml'),
      join(root, '.usher/local.yaml'),
      join(cwd, 'c.yaml'),
    ]);
  });

  test('a name in several scopes is an error with the exact lines', async () => {
    const cwd = writeFiles(newFolder(), { 'usher.yaml': 'servers: [{name: a, command: x}]' });
    const home = writeFiles(newFolder(), {
      '.config/usher/config.yaml': 'servers:\n  - {name: a, command: y}',
    });
    const { found } = await entriesOf({ env: { HOME: home }, cwd }, 'a');
    expect(() => chooseScope(found, undefined, 'remove', 'a')).toThrow(
      `server a stands in ${home}/.config/usher/config.yaml:2 and usher.yaml:1; say which is meant:\n  usher mcp remove a --scope user\n  usher mcp remove a --scope project`,
    );
    expect(chooseScope(found, 'project', 'remove', 'a')).toBe('project');
    expect(() => chooseScope(found, 'local', 'remove', 'a')).toThrow(
      'does not stand in a local file',
    );
  });
});

describe('what is written', () => {
  const token = ['gh', 'p_abcdefghijklmnopqrst'].join('');
  const cases: Readonly<Record<string, readonly [entry: JsonObject, path: string, flag: string]>> =
    {
      'an environment value': [
        { command: 'x', env: { API_TOKEN: 'plain-words' } },
        'env.API_TOKEN',
        "--env 'API_TOKEN=\u0024{API_TOKEN}'",
      ],
      'a value that looks like a token': [
        { command: 'x', env: { FOO: token } },
        'env.FOO',
        "--env 'FOO=\u0024{FOO}'",
      ],
      'a bearer header': [
        { url: 'https://a.example/', headers: { authorization: `Bearer ${token}` } },
        'headers.authorization',
        '--bearer-env S_TOKEN',
      ],
      'another header': [
        { url: 'https://a.example/', headers: { 'X-Api-Key': 'plain-words' } },
        'headers.X-Api-Key',
        "--header 'X-Api-Key: \u0024{S_TOKEN}'",
      ],
      'an argument behind its flag': [
        { command: 'x', args: ['--api-key', 'plain-words'] },
        'args[1]',
        "--arg '\u0024{S_TOKEN}'",
      ],
      'an argument with its flag': [
        { command: 'x', args: ['--token=plain-words'] },
        'args[0]',
        "--arg '\u0024{S_TOKEN}'",
      ],
      'a query': [
        { url: 'https://a.example/?api_key=plain-words' },
        'url: api_key',
        "'…?api_key=\u0024{S_TOKEN}'",
      ],
    };
  for (const [what, [entry, path, flag]] of Object.entries(cases)) {
    test(`never holds a secret: ${what}`, () => {
      const found = newEntryProblems({ name: 's', ...entry });
      expect(found).toEqual({
        problems: [`${path}: a secret never stands in the file; put it into a variable`],
        flags: [flag],
      });
    });
  }

  test('is what the file may hold: every rule of a configuration file counts', () => {
    const problems = (entry: JsonObject) => newEntryProblems({ name: 's', ...entry }).problems;
    expect([
      problems({ url: 'http://a.example/' }),
      problems({ url: 'https://10.0.0.1/' }),
      problems({ url: 'https://10.0.0.1/', allowPrivate: true }),
      problems({ command: 'x', headers: { A: 'b' } }),
      problems({ command: 'npx -y thing' }),
      newEntryProblems({ name: 'two words', command: 'x' }).problems,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference.
      problems({ command: 'x', env: { API_TOKEN: '${A}' } }),
    ]).toEqual([
      [expect.stringContaining('plain http')],
      [expect.stringContaining('private address')],
      [],
      ['headers: only goes with url, this server has command'],
      [expect.stringContaining('not a shell line')],
      [expect.stringContaining('a name of 1 to 64')],
      [],
    ]);
  });
});
