/** `headersCommand` on the binary: who may have it run, and what its failure says. */
import { expect, test } from 'bun:test';
import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { newFolder, writeFiles } from '../helpers/places.ts';
import { runUsher } from '../helpers/usher.ts';

const TOKEN = 'canary-of-the-command';

function folderWith(script: string, url: string): string {
  const folder = writeFiles(newFolder(), {
    helper: `#!/bin/sh\n${script}\n`,
    'usher.yaml': `servers:\n  - { name: docs, url: "${url}", headersCommand: [./helper] }\n`,
  });
  chmodSync(join(folder, 'helper'), 0o755);
  return folder;
}

const print = `touch ran; echo '{"Authorization": "Bearer ${TOKEN}"}'`;

test('of a project is not run before its server is approved', async () => {
  await using server = await startMcpServer({ bearer: TOKEN });
  const cwd = folderWith(print, server.url);
  const waiting = await runUsher(['tools'], { cwd });
  expect([existsSync(join(cwd, 'ran')), server.requests.length]).toEqual([false, 0]);
  expect(waiting.stderr).toContain('docs');
  const approved = await runUsher(['tools', 'docs', '--approve', 'docs'], {
    cwd,
  });
  expect([approved.code, existsSync(join(cwd, 'ran'))]).toEqual([0, true]);
  expect(approved.stdout).toContain('docs/echo');
});

test('that fails is the error, with what it said and without secrets, and exit 6', async () => {
  await using server = await startMcpServer({ bearer: TOKEN });
  const cwd = folderWith(`echo "no login for $API_TOKEN" >&2; exit 3`, server.url);
  const config = `servers:\n  - { name: docs, url: "${server.url}", headersCommand: ["${cwd}/helper"], envPass: [API_TOKEN] }\n`;
  const env = { API_TOKEN: 'canary-passed-on' };
  const run = await runUsher(['call', 'docs', 'echo'], { config, env });
  expect([run.code, run.stderr, server.requests.length]).toEqual([
    6,
    `error: server "docs": headersCommand: ${cwd}/helper ended with 3; it said: no login for ***\n  run it by hand with the same variables; it gets few of yours, envPass: names more\n`,
    0,
  ]);
});
