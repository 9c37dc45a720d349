import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { AppError } from '../../src/base/errors.ts';
import { readElicit } from '../../src/cli/elicit.ts';
import { newFolder, writeFiles } from '../helpers/places.ts';

const fileOf = (text: string) => join(writeFiles(newFolder(), { 'e.yaml': text }), 'e.yaml');
const read = (flag: string | undefined) => readElicit(flag, systemClock);

test.each([undefined, 'accept', 'decline'] as const)('%s stands for itself', async (flag) => {
  expect(await read(flag)).toBe(flag);
});

test('a file is a list of answers with values of any type', async () => {
  const path = fileOf(`
- server: forge
  match: "*name*"
  action: accept
  content: { name: Ada, age: 30, tea: true, extras: [milk] }
- { action: decline }
`);
  expect(await read(path)).toEqual([
    {
      server: 'forge',
      match: '*name*',
      action: 'accept',
      content: { name: 'Ada', age: 30, tea: true, extras: ['milk'] },
    },
    { server: undefined, match: undefined, action: 'decline', content: undefined },
  ]);
});

test('an empty file answers nothing', async () => {
  expect(await read(fileOf(''))).toEqual([]);
});

describe('what is wrong is said', () => {
  const failure = async (path: string) => {
    const error = await read(path).catch((thrown: unknown) => thrown);
    if (!(error instanceof AppError)) throw new Error(`unexpected ${String(error)}`);
    return [error.exit, error.message.replace(path, 'FILE')] as const;
  };

  test('a name that is no file is a mistake of the line', async () => {
    const path = join(newFolder(), 'acept');
    expect(await failure(path)).toEqual([2, '--elicit: FILE is not there']);
  });

  test.each([
    ['server: x', 'FILE: expected a list of answers'],
    ['- accept', 'FILE: answer 1 is no mapping'],
    [
      '- {action: decline}\n- {server: x}',
      'FILE: answer 2: action must be accept, decline or cancel',
    ],
    ['- {action: accept, contents: {}}', 'FILE: answer 1: unknown key contents'],
    ['- {action: accept, server: 1}', 'FILE: answer 1: server must be text'],
    ['- {action: accept, content: []}', 'FILE: answer 1: content must be a mapping of fields'],
  ])('%j', async (text, message) => {
    expect(await failure(fileOf(text))).toEqual([3, message]);
  });

  test('broken YAML with its place', async () => {
    const [exit, message] = await failure(fileOf('- {action: accept\n- x'));
    expect([exit, message.slice(0, 9)]).toEqual([3, 'FILE:2:1 ']);
  });

  test('a bomb of aliases', async () => {
    const bomb = [
      '- &a [x,x,x,x,x,x,x,x,x]',
      '- &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]',
      '- &c [*b,*b,*b,*b,*b,*b,*b]',
      '- [*c,*c,*c,*c,*c,*c]',
    ];
    const [exit] = await failure(fileOf(bomb.join('\n')));
    expect(exit).toBe(3);
  });
});
