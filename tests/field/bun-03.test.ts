import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '../helpers/places.ts';
import { runScripted } from '../helpers/scripted-run.ts';
import { startTcp } from '../helpers/tcp.ts';
import { runUsher } from '../helpers/usher.ts';

test('files of the working directory that configure a runtime have no effect', async () => {
  await using trap = startTcp('HTTP/1.1 418 Trapped\r\nContent-Length: 0\r\n\r\n');
  const marker = join(newFolder(), 'marker');
  const address = `http://127.0.0.1:${trap.port}`;
  const dotenv = [
    `HTTP_PROXY=${address}`,
    `OPENAI_BASE_URL=${address}/v1`,
    'SCRIPTED_KEY=from-the-file',
    'USHER_CONFIG=/nowhere.yaml',
    'NODE_OPTIONS=--require=./evil.js',
    'BUN_OPTIONS=--preload=./evil.ts',
  ].join('\n');
  const evil = `require('node:fs').writeFileSync(${JSON.stringify(marker)}, 'ran')`;
  const files = {
    '.env': dotenv,
    '.env.local': dotenv,
    '.env.production': dotenv,
    'bunfig.toml': 'preload = ["./evil.ts"]\n[run]\npreload = ["./evil.ts"]\n',
    'evil.ts': evil,
    'evil.js': evil,
    'package.json': '{"name":"trap","type":"module","imports":{"#x":"./evil.ts"}}',
    'tsconfig.json': '{"compilerOptions":{"paths":{"*":["./evil.ts"]}}}',
  };
  const help = await runUsher(['--help'], { files });
  const run = await runScripted({ steps: { key: 'right', steps: [{ text: 'answered' }] }, files });
  const keyed = await runScripted({
    steps: { key: 'right', steps: [{ text: 'answered' }] },
    files,
    env: { SCRIPTED_KEY: 'right' },
  });
  expect([help.code, keyed.code, keyed.stdout]).toEqual([0, 0, 'answered\n']);
  // Its own key is not the right one: had the file's been read, this would not show which was sent.
  expect([run.code, run.requests[0]?.headers['authorization']]).toEqual([
    8,
    'Bearer key-of-the-scripted-model',
  ]);
  expect(trap.received()).toEqual([]);
  expect(existsSync(marker)).toBe(false);
});

test('a variable that only the .env file sets stays unset', async () => {
  const run = await runUsher(['--prompt', 'hi'], {
    files: { '.env': 'MY_KEY=from-the-file\n' },
    config: {
      model: {
        provider: 'openai-compatible',
        name: 'x',
        baseUrl: 'http://127.0.0.1:1/v1',
        apiKeyEnv: 'MY_KEY',
      },
    },
  });
  expect(run.code).not.toBe(0);
  expect(run.stderr).toContain('MY_KEY');
});
