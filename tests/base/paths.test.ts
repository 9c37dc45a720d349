import { describe, expect, test } from 'bun:test';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  displayPath,
  isInsideLexically,
  resolveInside,
  stateDirectory,
  userConfigFile,
} from '../../src/base/paths.ts';
import { newFolder } from '../helpers/places.ts';

describe('XDG folders', () => {
  test('come from their variables, else from HOME, else are undefined', () => {
    const environments = [
      { XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: '/s', HOME: '/h' },
      { HOME: '/h' },
      { XDG_CONFIG_HOME: '', XDG_STATE_HOME: 'relative', HOME: '/h' },
      { XDG_CONFIG_HOME: '/c' },
      { HOME: '' },
      { HOME: 'relative' },
      {},
    ];
    expect(environments.map((env) => [userConfigFile(env), stateDirectory(env)])).toEqual([
      ['/c/usher/config.yaml', '/s/usher'],
      ['/h/.config/usher/config.yaml', '/h/.local/state/usher'],
      ['/h/.config/usher/config.yaml', '/h/.local/state/usher'],
      ['/c/usher/config.yaml', undefined],
      [undefined, undefined],
      [undefined, undefined],
      [undefined, undefined],
    ]);
  });
});

describe('contained in a root', () => {
  test('by spelling', () => {
    const paths = [
      '',
      '.',
      'a',
      'a/../b',
      '..a',
      '/r/x',
      '/r',
      '..',
      '../r2',
      'a/../../x',
      '/r2',
      '/',
    ];
    expect(paths.filter((path) => isInsideLexically('/r', path))).toEqual([
      '',
      '.',
      'a',
      'a/../b',
      '..a',
      '/r/x',
      '/r',
    ]);
    expect(isInsideLexically('/', '/any')).toBe(true);
  });

  test('by real path: symlinks out, dangling ones and loops are refused', () => {
    const outside = newFolder();
    const root = newFolder();
    mkdirSync(join(root, 'dir'));
    writeFileSync(join(root, 'dir/file'), '');
    writeFileSync(join(outside, 'secret'), '');
    symlinkSync(outside, join(root, 'out'));
    symlinkSync('dir', join(root, 'in'));
    symlinkSync('/nowhere/at/all', join(root, 'dangling'));
    symlinkSync('loop', join(root, 'loop'));
    const inside = (path: string) => resolveInside(root, path);
    expect([inside('dir/file'), inside('in/file'), inside('in/new/deep'), inside('.')]).toEqual([
      join(root, 'dir/file'),
      join(root, 'dir/file'),
      join(root, 'dir/new/deep'),
      root,
    ]);
    const refused = [
      'out',
      'out/secret',
      'out/new',
      'dangling',
      'dangling/x',
      'loop',
      '../x',
      '/etc',
      'a\0b',
      'in/../out/x',
      'dir/file/below',
    ];
    expect(refused.filter((path) => inside(path) !== undefined)).toEqual(['dir/file/below']);
  });

  test('a root that is itself a symlink is followed', () => {
    const real = newFolder();
    const link = join(newFolder(), 'link');
    symlinkSync(real, link);
    expect(resolveInside(link, 'new')).toBe(join(real, 'new'));
  });
});

test('paths for people are relative below cwd, else as they are', () => {
  expect(['/w/a/b', '/w', '/x', '/w2'].map((path) => displayPath(path, '/w'))).toEqual([
    'a/b',
    '.',
    '/x',
    '/w2',
  ]);
});
