import { expect, test } from 'bun:test';
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { standardTools } from '../fixtures/servers/script.ts';
import { newFolder, writeFiles } from '../helpers/places.ts';
import { callTool, httpEndpoint, never, open } from './rig.ts';

/** A command whose n-th run gives the n-th token, the last one from then on. */
function helper(tokens: readonly string[]) {
  const cwd = newFolder();
  const print = tokens
    .map(
      (token, index) =>
        `[ $n -${index === tokens.length - 1 ? 'ge' : 'eq'} ${index + 1} ] && echo '{"Authorization": "Bearer ${token}"}'`,
    )
    .join('\n');
  writeFiles(cwd, {
    helper: `#!/bin/sh\necho "$ALLOWED $SECRET_OF_OTHERS" >> runs\nn=$(wc -l < runs)\n${print}\ntrue\n`,
  });
  chmodSync(join(cwd, 'helper'), 0o755);
  return {
    command: { argv: [join(cwd, 'helper')], envPass: ['ALLOWED'], cwd },
    runs: () => readFileSync(join(cwd, 'runs'), 'utf8'),
  };
}

const env = { PATH: '/usr/bin:/bin', ALLOWED: 'yes', SECRET_OF_OTHERS: 'no' };

test('a server gets what its headersCommand prints, run once, with few variables', async () => {
  await using server = await startMcpServer({ tools: standardTools, bearer: 'canary-cmd-good' });
  const { command, runs } = helper(['canary-cmd-good']);
  const headers = { authorization: 'Bearer static', 'x-team': 'docs' };
  await using connection = open(httpEndpoint(server.url, { headers, headersCommand: command }), {
    env,
  });
  await connection.connect(never);
  await callTool(connection, 'echo', { text: 'x' });
  expect([connection.status().state, runs()]).toEqual(['ready', 'yes \n']);
  expect(server.requests.map((request) => request.headers['x-team'])).not.toContain(undefined);
});

test('it is run once more after a 401, and the request is sent again', async () => {
  await using server = await startMcpServer({ tools: standardTools, bearer: 'canary-cmd-new' });
  const { command, runs } = helper(['canary-cmd-old', 'canary-cmd-new']);
  await using connection = open(httpEndpoint(server.url, { headersCommand: command }), { env });
  await connection.connect(never);
  expect([connection.status().state, runs()]).toEqual(['ready', 'yes \nyes \n']);
});

test('two refusals are told, with what was tried', async () => {
  await using server = await startMcpServer({ tools: standardTools, bearer: 'canary-cmd-other' });
  const { command, runs } = helper(['canary-cmd-bad']);
  await using connection = open(httpEndpoint(server.url, { headersCommand: command }), { env });
  await connection.connect(never);
  const { state, error } = connection.status();
  expect([state, error?.hint, runs()]).toEqual([
    'needs_auth',
    'its headersCommand was run once more, and those headers are refused as well',
    'yes \nyes \n',
  ]);
});

test('headersCommand and auth for the same header are refused, and nothing is sent', async () => {
  await using server = await startMcpServer({ tools: standardTools });
  const { command } = helper(['canary-cmd-bad']);
  const auth = { type: 'bearer', tokenEnv: 'ALLOWED' } as const;
  await using connection = open(httpEndpoint(server.url, { headersCommand: command, auth }), {
    env,
  });
  await connection.connect(never);
  expect([connection.status().error?.message, server.requests.length]).toEqual([
    'server "s1": headersCommand and auth both set Authorization',
    0,
  ]);
});
