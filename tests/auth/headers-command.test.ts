import { describe, expect, test } from 'bun:test';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { createHeaderSource } from '../../src/auth/header-source.ts';
import { runHeadersCommand } from '../../src/auth/headers-command.ts';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { AppError } from '../../src/base/errors.ts';
import type { Fetch, FetchInit } from '../../src/base/http.ts';
import { scrubSecrets } from '../../src/base/redact.ts';
import { type Child, spawnChild } from '../../src/base/spawn.ts';
import { newFolder, writeFiles } from '../helpers/places.ts';

const never = new AbortController().signal;
const PATH = '/usr/bin:/bin';

/** An executable in a folder of its own. */
function program(script: string): { readonly path: string; readonly cwd: string } {
  const cwd = newFolder();
  writeFiles(cwd, { helper: `#!/bin/sh\n${script}\n` });
  const path = join(cwd, 'helper');
  chmodSync(path, 0o755);
  return { path, cwd };
}

async function run(
  script: string,
  args: readonly string[] = [],
  more: { readonly env?: Record<string, string>; readonly clock?: Clock } = {},
) {
  const { path, cwd } = program(script);
  const children: Child[] = [];
  const spawn: typeof spawnChild = (options) => {
    const child = spawnChild(options);
    children.push(child);
    return child;
  };
  const command = { server: 's1', argv: [path, ...args], env: { PATH, ...more.env }, cwd };
  try {
    return await runHeadersCommand(command, { spawn, clock: more.clock ?? systemClock }, never);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { exit, message } = error;
    return { exit, message: message.replaceAll(path, 'helper') };
  } finally {
    expect(children.filter((child) => child.isGroupAlive())).toEqual([]);
  }
}

describe('a headers command', () => {
  test('gives headers with lower-case names, trimmed, and all of them are secrets', async () => {
    const script = `echo '{"X-Api-Key": " canary-cmd-1 ", "Authorization": "Bearer canary-cmd-2"}'`;
    expect(await run(script)).toEqual({
      'x-api-key': 'canary-cmd-1',
      authorization: 'Bearer canary-cmd-2',
    });
    expect(scrubSecrets('canary-cmd-1 canary-cmd-2')).toBe('*** ***');
  });

  test('gets its arguments verbatim, its variables and folder, and an input that is at its end', async () => {
    const script = `cat; printf '{"a": "%s", "b": "%s", "c": "%s"}' "$1" "$TOKEN_NAME" "\${PWD##*/}"`;
    const headers = await run(script, ['$(id); *'], { env: { TOKEN_NAME: 'prod-canary' } });
    expect(headers).toMatchObject({ a: '$(id); *', b: 'prod-canary' });
  });

  const said = 'server "s1": headersCommand: helper';
  test.each([
    ['exit 3', `${said} ended with 3`],
    ['echo no key >&2; exit 1', `${said} ended with 1; it said: no key`],
    ['kill -9 $$', `${said} ended by SIGKILL`],
    ['echo canary-not-json', `${said} has to print one JSON object of texts`],
    ['echo "[1]"', `${said} has to print one JSON object of texts`],
    ['true', `${said} has to print one JSON object of texts`],
    [`echo '{"a": 1}'`, `${said}: a is no text`],
    [`echo '{"a": null}'`, `${said}: a is no text`],
    [`echo '{"a b": "canary-x"}'`, `${said} gave a name that is no header`],
    [`echo '{"Host": "evil.test"}'`, `${said}: Host: this header is set by usher itself`],
    [
      `printf %s '{"a": "x\\r\\nEvil: canary-y"}'`,
      `${said}: a: the value has a line break or control character in it`,
    ],
    ['head -c 70000 /dev/zero', `${said} printed more than 64 KiB`],
  ])('%s: fails in plain words, without what it printed', async (script, message) => {
    expect(await run(script)).toEqual({ exit: 6, message });
  });

  test('shows the end of what it said on stderr, without secrets, at most 4,000 characters', async () => {
    await run(`echo '{"k": "canary-stderr-1"}'`);
    const script =
      'head -c 9000 /dev/zero | tr "\\0" x >&2; echo " canary-stderr-1 end" >&2; exit 1';
    const failure = await run(script);
    const { message = '' } = failure;
    expect(message).not.toContain('canary-stderr-1');
    expect(message).toEndWith('xx *** end');
    expect(message.length).toBeLessThan(4200);
  });

  test('is killed with all it started after 5 s', async () => {
    const hurried: Clock = {
      ...systemClock,
      after: (ms, action) => systemClock.after(ms / 50, action),
    };
    expect(await run('sleep 60 & sleep 60', [], { clock: hurried })).toEqual({
      exit: 6,
      message: `${said} gave no answer within 5 s`,
    });
  });

  test('that does not exist is named', async () => {
    const command = { server: 's1', argv: ['/nowhere/helper'], env: { PATH }, cwd: '/tmp' };
    const ports = { spawn: spawnChild, clock: systemClock };
    const failure = await runHeadersCommand(command, ports, never).catch((error) => error.message);
    expect(failure).toStartWith('server "s1": headersCommand: ');
    expect(failure).toContain('/nowhere/helper');
  });
});

describe('the headers of a connection', () => {
  const init = (headers: Record<string, string>): FetchInit => ({
    method: 'POST',
    headers,
    signal: never,
    redirect: 'manual',
    timeout: false,
    verbose: false,
  });

  /** A source that counts its runs, before a server that accepts some tokens. */
  function rig(accepts: (token: string | undefined) => boolean) {
    let runs = 0;
    const sent: Record<string, string>[] = [];
    const fetch: Fetch = async (_url, { headers }) => {
      sent.push(headers);
      return new Response('', { status: accepts(headers['authorization']) ? 200 : 401 });
    };
    const source = createHeaderSource(async () => {
      runs += 1;
      return { authorization: `t${runs}` };
    });
    return { source, sent, send: source.wrap(fetch), runs: () => runs };
  }

  test('win over static ones in any case, and are asked for once', async () => {
    const { send, sent, runs } = rig(() => true);
    await Promise.all([send('u', init({ AUTHORIZATION: 'old', a: 'b' })), send('u', init({}))]);
    expect([sent, runs()]).toEqual([[{ a: 'b', authorization: 't1' }, { authorization: 't1' }], 1]);
  });

  test('are renewed once after a 401, for all that were refused together', async () => {
    const { send, runs } = rig((token) => token === 't2');
    const replies = await Promise.all([send('u', init({})), send('u', init({}))]);
    expect([replies.map(({ status }) => status), runs()]).toEqual([[200, 200], 2]);
  });

  test('are not asked for again and again where a server refuses all', async () => {
    const { send, source, runs } = rig(() => false);
    for (let round = 0; round < 3; round += 1) expect((await send('u', init({}))).status).toBe(401);
    expect(runs()).toBe(2);
    source.reset();
    await send('u', init({}));
    expect(runs()).toBe(4);
  });

  test('are renewed again when they expire later on', async () => {
    let valid = 't1';
    const { send, runs } = rig((token) => token === valid);
    for (const next of ['t1', 't2', 't3']) {
      valid = next;
      expect((await send('u', init({}))).status).toBe(200);
    }
    expect(runs()).toBe(3);
  });

  test('a command that failed is run anew by the next request', async () => {
    let runs = 0;
    const source = createHeaderSource(async () => {
      runs += 1;
      if (runs === 1) throw new Error('not yet');
      return { a: 'b' };
    });
    const send = source.wrap(async () => new Response('fine'));
    expect(await send('u', init({})).catch((error) => error.message)).toBe('not yet');
    expect((await send('u', init({}))).status).toBe(200);
  });
});
