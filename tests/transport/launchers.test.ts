import { expect, test } from 'bun:test';
import { mayDownload } from '../../src/transport/launchers.ts';

test.each([
  ['npx', ['-y', '@x/y']],
  ['/usr/local/bin/uvx', ['server']],
  ['C:\\node\\npx.cmd', []],
  ['docker', ['run', '-i', 'image']],
  ['bun', ['x', 'server']],
  ['sh', ['-c', 'cd /srv && exec npx -y server']],
  ['cmd', ['/c', 'npx', 'server']],
  ['env', ['A=1', 'uv', 'run', 'server']],
  ['go', ['run', './cmd/server']],
])('%s %j may download', (command, args) => {
  expect(mayDownload(command, args)).toBe(true);
});

test.each([
  ['node', ['server.js']],
  ['python3', ['-m', 'server']],
  ['bun', ['server.ts']],
  ['deno', ['eval', '1']],
  ['./npx-like', []],
  ['sh', ['-c', 'exec node npx.js']],
  ['/opt/server', ['npx']],
])('%s %j does not', (command, args) => {
  expect(mayDownload(command, args)).toBe(false);
});
