import { describe, expect, test } from 'bun:test';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { runUsher } from '../helpers/usher.ts';

const VAR = 'TOK';
const braced = `\${${VAR}}`;

async function headerFor(value: string, env: Readonly<Record<string, string>>) {
  await using server = await startMcpServer();
  const run = await runUsher(['tools', 's1', '--json'], {
    config: { servers: [{ name: 's1', url: server.url, headers: { 'X-Token': value } }] },
    env,
  });
  const sent = [...new Set(server.requests.map((one) => String(one.headers['x-token'])))];
  return { code: run.code, sent, stderr: run.stderr };
}

async function bearerFor(env: Readonly<Record<string, string>>) {
  await using server = await startMcpServer();
  const auth = { type: 'bearer', tokenEnv: VAR };
  const run = await runUsher(['tools', 's1', '--json'], {
    config: { servers: [{ name: 's1', url: server.url, auth }] },
    env,
  });
  const sent = [...new Set(server.requests.map((one) => String(one.headers['authorization'])))];
  return { code: run.code, sent, stderr: run.stderr };
}

describe('a variable in a header', () => {
  test.each<[string, string, Readonly<Record<string, string>>, string]>([
    ['that is set', `Bearer ${braced}`, { TOK: 'abc' }, 'Bearer abc'],
    ['with a default that is not needed', `Bearer \${${VAR}:-dflt}`, { TOK: 'abc' }, 'Bearer abc'],
    ['with a default that is needed', `Bearer \${${VAR}:-dflt}`, {}, 'Bearer dflt'],
    ['with a default, and empty', `Bearer \${${VAR}:-dflt}`, { TOK: '' }, 'Bearer dflt'],
    ['whose value looks like a variable', braced, { TOK: `a$b\${HOME}c` }, `a$b\${HOME}c`],
    ['whose default is empty', `v\${${VAR}:-}`, {}, 'v'],
  ])('%s is put in exactly', async (_name, value, env, header) => {
    const seen = await headerFor(value, env);
    expect([seen.code, seen.sent]).toEqual([0, [header]]);
  });

  test.each([
    ['unset', `Bearer ${braced}`, {}],
    ['unset, alone', braced, {}],
  ])('%s without a default: nothing is sent and the message names it', async (_n, value, env) => {
    const seen = await headerFor(value, env);
    expect(seen.sent).toEqual([]);
    expect(seen.code).not.toBe(0);
    expect(seen.stderr).toContain(VAR);
    expect(seen.stderr).toContain('s1');
    expect(seen.stderr).toMatch(/X-Token|headers/);
  });

  test.each([
    ['a bare dollar', `a $${VAR} b`],
    ['another notation', `\${env:${VAR}}`],
    ['a doubled dollar', `$$\{${VAR}}`],
    ['an open brace', `\${${VAR}`],
  ])('%s never sends an empty or half-made value', async (_name, value) => {
    const seen = await headerFor(value, { TOK: 'abc' });
    if (seen.code === 0) expect([[value], [value.replace('$$', '$')]]).toContainEqual(seen.sent);
    else {
      expect(seen.sent).toEqual([]);
      expect(seen.stderr).toMatch(/config\.yaml:\d+:\d+/);
    }
  });
});

describe('a bearer token', () => {
  test.each([
    ['is sent as it is', 'abc', 'Bearer abc'],
    ['loses a trailing newline and blanks', ' abc \n', 'Bearer abc'],
    ['is not expanded again', `a\${HOME}`, `Bearer a\${HOME}`],
  ])('%s', async (_name, value, header) => {
    const seen = await bearerFor({ TOK: value });
    expect([seen.code, seen.sent]).toEqual([0, [header]]);
  });

  test.each([
    ['unset', {}],
    ['empty', { TOK: '' }],
    ['blank', { TOK: ' \n' }],
  ])('%s: nothing is sent, the message names variable and server', async (_name, env) => {
    const seen = await bearerFor(env);
    expect([seen.code, seen.sent]).toEqual([6, []]);
    expect(seen.stderr).toContain(VAR);
    expect(seen.stderr).toContain('s1');
  });
});
