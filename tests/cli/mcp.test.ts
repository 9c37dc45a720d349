/** `usher mcp list` and `usher mcp doctor`, on the binary. */
import { describe, expect, test } from 'bun:test';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { stdioServer } from '../helpers/config.ts';
import { closedPort } from '../helpers/tcp.ts';
import { runUsher } from '../helpers/usher.ts';

const BAD = { name: 'bad', url: 'http://127.0.0.1:9/mcp', nope: 1 };
const OFF = { name: 'off', command: 'x', enabled: false };
const NO_PROGRAM = { name: 'missing', command: 'no-such-program' };

describe('mcp list', () => {
  test('reads the file alone: what is there, where from, and what is wrong', async () => {
    const servers = [{ name: 'w', builtin: 'workspace' }, OFF, NO_PROGRAM, BAD];
    const run = await runUsher(['mcp', 'list'], { config: { servers } });
    const file = `${run.home}/config.yaml`;
    expect([run.code, run.stdout]).toEqual([
      3,
      [
        `w        builtin  enabled   ${file}`,
        `off      stdio    disabled  ${file}`,
        `missing  stdio    enabled   ${file}`,
        'bad      -        skipped',
        '',
      ].join('\n'),
    ]);
    expect(run.stderr).toContain('servers.bad.nope: unknown key');
  });

  test('as JSON, and 0 when every entry is good, whatever the servers do', async () => {
    const run = await runUsher(['mcp', 'list', '--json'], { config: { servers: [NO_PROGRAM] } });
    expect([run.code, run.stderr, JSON.parse(run.stdout)]).toEqual([
      0,
      '',
      {
        servers: [
          {
            name: 'missing',
            transport: 'stdio',
            enabled: true,
            required: false,
            source: `${run.home}/config.yaml`,
            scope: 'named',
          },
        ],
        skipped: [],
        pending: [],
      },
    ]);
  });

  test('without a file shows the default', async () => {
    const run = await runUsher(['mcp', 'list']);
    expect([run.code, run.stdout]).toEqual([0, DEFAULT_LIST]);
  });
});

const DEFAULT_LIST = 'workspace  builtin  enabled  (no config file)\n';

describe('mcp list --check', () => {
  test('connects to all and ends with 0 when all are well', async () => {
    await using http = await startMcpServer();
    const servers = [{ name: 'net', url: http.url }, stdioServer('proc'), OFF];
    const run = await runUsher(['mcp', 'list', '--check'], { config: { servers } });
    const lines = run.stdout.replace(/\d+ ms/g, 'N ms').split('\n');
    expect([run.code, run.stderr, lines]).toEqual([
      0,
      '',
      [
        expect.stringMatching(
          /^net {3}http {3}ready {2}legacy {2}2025-11-25 {2}\d+ tools {2}N ms$/,
        ),
        expect.stringMatching(
          /^proc {2}stdio {2}ready {2}legacy {2}2025-11-25 {2}\d+ tools {2}N ms$/,
        ),
        'off   stdio  disabled',
        '',
      ],
    ]);
  });

  test('4 when one failed, in JSON with the reason; 3 when an entry is bad as well', async () => {
    const servers = [{ name: 'gone', url: `http://127.0.0.1:${closedPort()}/mcp` }, NO_PROGRAM];
    const options = { config: { servers } };
    const run = await runUsher(['mcp', 'list', '--check', '--json'], options);
    const document = JSON.parse(run.stdout);
    expect(run.code).toBe(4);
    expect(
      document.servers.map(({ name, state }: Record<string, unknown>) => [name, state]),
    ).toEqual([
      ['gone', 'failed'],
      ['missing', 'failed'],
    ]);
    expect(document.servers[0].error.message).toContain('connection refused');
    expect(run.stderr).toContain('cannot start no-such-program');
    const worse = await runUsher(['mcp', 'list', '--check'], {
      config: { servers: [...servers, BAD] },
    });
    expect(worse.code).toBe(3);
  });
});

test('a server that needs a sign-in is listed with the exact command', async () => {
  const name = `tracker-${'x'.repeat(50)}`;
  await using server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ url }) => {
      const { origin, pathname } = new URL(url);
      if (pathname.startsWith('/.well-known/oauth-protected-resource')) {
        return Response.json({ resource: `${origin}/mcp`, authorization_servers: [origin] });
      }
      const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
      const headers = { 'www-authenticate': `Bearer resource_metadata="${metadata}"` };
      return new Response('no', { status: 401, headers });
    },
  });
  const auth = { type: 'oauth', clientId: 'us' };
  const config = { servers: [{ name, url: `${server.url}mcp`, auth }] };
  const run = await runUsher(['mcp', 'list', '--check'], { config });
  expect([run.code, run.stdout]).toEqual([
    4,
    `${name}  http  needs a sign-in: usher mcp login ${name}\n`,
  ]);
  const got = await runUsher(['mcp', 'get', name], { config });
  expect(got.stdout).toEndWith(
    `\nsign in: usher mcp login ${name}\ntest it: usher tools ${name}\n`,
  );
  const machine = { ...auth, grant: 'client_credentials', clientSecretEnv: 'SECRET' };
  const other = await runUsher(['mcp', 'get', name], {
    config: { servers: [{ name, url: `${server.url}mcp`, auth: machine }] },
  });
  expect(other.stdout).not.toContain('sign in');
});

describe('mcp doctor', () => {
  test('a server of an older revision is healthy, whatever it says to the probe', async () => {
    await using http = await startMcpServer();
    const run = await runUsher(['mcp', 'doctor', 'net'], {
      config: { servers: [{ name: 'net', url: http.url }] },
    });
    const probe = run.stdout.split('\n').find((line) => line.includes('server/discover')) ?? '';
    expect([run.code, run.stdout.includes('✗')]).toEqual([0, false]);
    expect(probe).toMatch(/ ms {2}.*: not known, it speaks 2025-11-25$/);
  });

  test('declares what a run declares, so that the same tools are listed', async () => {
    await using http = await startMcpServer();
    const config = { servers: [{ name: 'net', url: http.url }] };
    await runUsher(['mcp', 'doctor'], { config });
    await runUsher(['tools'], { config });
    const declared = http.requests
      .filter(({ method }) => method === 'initialize')
      .map(
        ({ message }) => JSON.stringify(message['params']).match(/"capabilities":\{.*?\}\}/)?.[0],
      );
    expect(declared).toHaveLength(2);
    expect(declared[0]).toContain('elicitation');
    expect(declared[0]).toBe(declared[1]);
  });

  test('tells every step, what was agreed on, and no secret', async () => {
    await using http = await startMcpServer({ sessions: true, bearer: 'canary-token-1' });
    const auth = { type: 'bearer', tokenEnv: 'TOKEN' };
    const run = await runUsher(['mcp', 'doctor', 'net', '--json'], {
      config: { servers: [{ name: 'net', url: http.url, auth }] },
      env: { TOKEN: 'canary-token-1' },
    });
    const [one] = JSON.parse(run.stdout).servers;
    expect(run.code).toBe(0);
    expect(one.steps.map(({ name, ok }: Record<string, unknown>) => `${name} ${ok}`)).toEqual(
      expect.arrayContaining(['connect true', 'initialize true', 'tools/list true']),
    );
    expect(one).toMatchObject({
      state: 'ready',
      transport: 'http',
      era: 'legacy',
      protocol: { chosen: '2025-11-25' },
      server: { name: 'fixture', version: '1.0.0' },
      capabilities: { tools: {} },
      session: true,
    });
    expect(one.headers.sent.authorization).toBe('(not shown)');
    expect(run.stdout + run.stderr).not.toContain('canary-token-1');
  });

  test('takes a bare URL; a missing token is 6 with its remedy', async () => {
    await using http = await startMcpServer({ bearer: 'x' });
    const run = await runUsher(['mcp', 'doctor', http.url]);
    expect(run.code).toBe(6);
    expect(run.stdout).toMatch(/^ {2}state +needs auth$/m);
    expect(run.stdout).toMatch(/^ {2}remedy +usher mcp login http:\S+, or --bearer-env NAME /m);
  });

  test.each([
    [{ name: 's', command: 'no-such-program' }, 'find', 'install it, or write its whole path'],
    [
      { name: 's', url: `http://127.0.0.1:${closedPort()}/mcp` },
      'connect',
      'check host and port in url',
    ],
  ])('a failure shows its step and a remedy: %j', async (server, step, remedy) => {
    const run = await runUsher(['mcp', 'doctor'], { config: { servers: [server] } });
    expect(run.code).toBe(4);
    expect(run.stdout).toMatch(new RegExp(`^ {2}${step} +[\\d.]+ ms ✗`, 'm'));
    expect(run.stdout).toMatch(new RegExp(`^ {2}remedy +${remedy}`, 'm'));
  });

  test('shows the end of stderr and the proxy without its password', async () => {
    const crash = { name: 's', command: 'sh', args: ['-c', 'echo it broke >&2; exit 3'] };
    const run = await runUsher(['mcp', 'doctor', 's'], { config: { servers: [crash] } });
    expect(run.stdout).toMatch(/^ {2}stderr +it broke$/m);
    expect(run.stdout).toContain('ended with exit code 3');
    const port = closedPort();
    const far = { name: 'far', url: 'https://mcp.example/mcp' };
    const proxied = await runUsher(['mcp', 'doctor'], {
      config: { servers: [far] },
      env: { HTTPS_PROXY: `http://someone:canary-word@127.0.0.1:${port}` },
    });
    expect(proxied.code).toBe(4);
    expect(proxied.stdout).toMatch(
      new RegExp(`^ {2}proxy +http://127.0.0.1:${port} of HTTPS_PROXY$`, 'm'),
    );
    expect(proxied.stdout).toMatch(/^ {2}remedy +NO_PROXY=mcp\.example goes past the proxy$/m);
    expect(proxied.stdout + proxied.stderr).not.toContain('canary-word');
  });
});

test.each([
  [['mcp'], 'mcp: which action?'],
  [['mcp', 'lst'], 'mcp: unknown action "lst"'],
  [['mcp', 'list', 'x'], 'unexpected argument "x"'],
  [['mcp', 'doctor', '--check'], 'it goes with usher mcp list'],
  [['mcp', 'list', '--bearer-env', 'X'], 'it goes with usher mcp add, doctor'],
  [['mcp', 'list', '--strict'], '--strict does not go with usher mcp'],
  [['mcp', 'doctor', 'nobody'], 'unknown server "nobody"'],
])('%j is refused', async (words, message) => {
  const run = await runUsher(words);
  expect([run.code, run.stdout]).toEqual([2, '']);
  expect(run.stderr).toContain(message);
});
