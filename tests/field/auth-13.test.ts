/** AUTH-13: a secret shows up nowhere but in requests to its own server. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { startModelServer } from '../fixtures/models/server.ts';
import { spellingsOf, startReflector } from '../fixtures/servers/malicious-http.ts';
import { newFolder } from '../helpers/places.ts';
import { runUsher } from '../helpers/usher.ts';
import { type RpcServer, serveRpc } from '../transport/rpc-server.ts';

const CANARIES = {
  BEARER: 'canary-bearer/1+2=',
  HEADER: 'canary-header"3',
  QUERY: 'canary-query-4',
  CHILD: 'canary-child-5',
  MODEL_KEY: 'canary-model-6',
  PROXY_PASS: 'canary-proxy-7',
} as const;
const home = newFolder();
const stdio = resolve(import.meta.dir, '../fixtures/servers/stdio.ts');

/** Says what it was sent, as the body of a refusal. */
function refusing(status: number): RpcServer {
  return serveRpc(
    (_message, request) =>
      new Response(`refused ${request.url} ${JSON.stringify([...request.headers])}`, {
        status,
        headers: { 'www-authenticate': `Bearer realm="${request.headers.get('authorization')}"` },
      }),
  );
}

let servers: readonly RpcServer[] = [];
let model: Awaited<ReturnType<typeof startModelServer>>;
let config = '';

beforeAll(async () => {
  const reflector = startReflector();
  const denied = refusing(401);
  const broken = refusing(500);
  servers = [reflector, denied, broken];
  const steps = [
    {
      toolCalls: ['leak', 'fail', 'break', 'refuse'].map((name) => ({
        name: `docs_${name}`,
        arguments: JSON.stringify({ q: CANARIES.BEARER }),
      })),
    },
    { text: `they say {{result}} and ${CANARIES.BEARER}` },
  ];
  model = await startModelServer({ format: 'openai', script: steps });
  const entry = (name: string, url: string) =>
    `  - { name: ${name}, url: "${url}?key=\${QUERY}", auth: { type: bearer, tokenEnv: BEARER }, headers: { X-Api-Key: "\${HEADER}" }, permissions: auto }`;
  config = `model: { provider: openai-compatible, name: m, baseUrl: "${model.baseUrl}", apiKeyEnv: MODEL_KEY }
servers:
${entry('docs', reflector.url)}
${entry('denied', denied.url)}
${entry('broken', broken.url)}
${entry('tls', reflector.url.replace('http:', 'https:'))}
  - { name: far, url: "https://mcp.example.test/?key=\${QUERY}", proxy: "http://me:\${PROXY_PASS}@127.0.0.1:9" }
  - { name: child, command: "${process.execPath}", args: ["${stdio}", '{"stderr": "x"}'], env: { API_TOKEN: "\${CHILD}" } }
`;
});

afterAll(async () => {
  for (const server of servers) await server[Symbol.asyncDispose]();
  await model.close();
});

async function run(words: readonly string[], env: Readonly<Record<string, string>> = CANARIES) {
  return runUsher(words, { config, home, env, timeoutMs: 60_000 });
}

/** The spelling of the canary that was found, if one was. */
function found(text: string): string | undefined {
  return Object.values(CANARIES)
    .flatMap((canary) => spellingsOf(canary).filter((one) => !one.startsWith('dXNlcj')))
    .find((spelling) => text.includes(spelling));
}

describe('no command shows a secret', () => {
  test.each([
    [['tools', '-vv']],
    [['tools', 'docs', '--all', '--json']],
    [['call', 'docs', 'leak', '-vv']],
    [['call', 'docs', 'leak', '--json']],
    [['call', 'docs', 'fail', '-vv']],
    [['call', 'docs', 'break', '--json']],
    [['call', 'docs', 'refuse', '-vv']],
    [['call', 'denied', 'x']],
    [['call', 'broken', 'x', '--json']],
    [['call', 'tls', 'x']],
    [['mcp', 'list', '--json']],
    [['mcp', 'list', '--check', '-vv']],
    [['mcp', 'get', 'docs']],
    [['mcp', 'get', 'far', '--json']],
    [['mcp', 'get', 'child']],
    [['mcp', 'doctor', '--json']],
    [['mcp', 'doctor', '-vv']],
    [['config', 'check']],
  ])('usher %j', async (words) => {
    const { stdout, stderr } = await run(words);
    expect(stdout.length + stderr.length).toBeGreaterThan(0);
    expect(found(stdout + stderr)).toBeUndefined();
  });

  test('a run in which server and model spell it out', async () => {
    const { stdout, stderr } = await run([
      '-p',
      `use ${CANARIES.BEARER}`,
      '-vv',
      '--server',
      'docs',
    ]);
    expect(stdout).toContain('***');
    expect(found(stdout + stderr)).toBeUndefined();
  });

  test.each([
    ['a token with a line break', { ...CANARIES, BEARER: 'canary-bearer\nX: canary-header"3' }],
    ['a header that cannot be sent', { ...CANARIES, HEADER: 'canary-header"3\r\nEvil: 1' }],
  ])('%s', async (_what, env) => {
    for (const words of [
      ['tools', '-vv'],
      ['mcp', 'doctor', 'docs'],
    ]) {
      const { stdout, stderr } = await run(words, env);
      expect(found(stdout + stderr)).toBeUndefined();
      expect(stdout + stderr).not.toContain('canary-bearer');
    }
  });

  test('a URL with a password in it', async () => {
    const text = 'servers:\n  - { name: a, url: "https://me:canary-query-4@mcp.example.test/" }\n';
    for (const words of [['config', 'check'], ['tools'], ['mcp', 'get', 'a']]) {
      const { stdout, stderr } = await runUsher(words, { config: text, home });
      expect(found(stdout + stderr)).toBeUndefined();
    }
  });

  test('and no file holds one afterwards', () => {
    const files = readdirSync(home, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== 'config.yaml')
      .map((entry) => join(entry.parentPath, entry.name));
    expect(files.length).toBeGreaterThan(0);
    const leaks = files.flatMap((file) => {
      const spelling = found(readFileSync(file, 'utf8'));
      return spelling === undefined ? [] : [`${file}: ${spelling}`];
    });
    expect(leaks).toEqual([]);
  });
});
