import { expect, test } from 'bun:test';
import { registerSecret } from '../../src/base/redact.ts';
import { identityOf } from '../../src/mcp/identity.ts';
import { newFolder, writeFiles } from '../helpers/places.ts';

const cwd = writeFiles(newFolder(), { 'server.js': '' });
const stdio = (command: string, ...args: readonly string[]) =>
  identityOf({ kind: 'stdio', command, args, env: {}, envPass: [], cwd });

test.each([
  ['npx', ['-y', '@scope/server@1.2.3', '--stdio']],
  ['/usr/bin/server', ['--root=/data', '/data', '']],
  ['node', ['-e', 'missing.js']],
] as const)('%s %p is the same in every directory', (command, args) => {
  expect(stdio(command, ...args)).toBe(JSON.stringify([command, ...args]));
});

test.each([
  ['./server', []],
  ['bin/server', []],
  ['node', ['server.js']],
  ['npx', ['-y', 'server-filesystem', '.']],
  ['npx', ['server-filesystem', '../data']],
  ['server', ['--root=.']],
  ['server', ['--root=./data']],
] as const)('%s %p is another one in another directory', (command, args) => {
  expect(stdio(command, ...args)).toBe(JSON.stringify([command, ...args, { cwd }]));
});

test('an address is known without its secrets', () => {
  registerSecret('canary-in-address');
  const url = 'https://a.example/mcp?key=canary-in-address';
  const http = { url, headers: {}, auth: undefined, allowPrivate: false } as const;
  expect(identityOf({ kind: 'http', ...http })).toBe('https://a.example/mcp?key=***');
});
