import { expect, test } from 'bun:test';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { tool } from '../fixtures/servers/script.ts';
import { stdioCommand } from '../helpers/config.ts';
import { runUsher } from '../helpers/usher.ts';

/** Plain scalars that a YAML reader may turn into something else; each must stay as written. */
const SCALARS = {
  A: '0123',
  B: 'no',
  C: '1e3',
  D: '1.10',
  F: '2024-01-01',
  G: '0x1F',
  H: 'true',
  I: '123456789012345678901',
  J: '1_000',
  K: '12:30:45',
  L: 'on',
  M: '0o17',
  N: '.5',
  O: '+1',
  P: '1.0',
  Q: 'True',
  R: '-0',
  S: 'yes',
};

const any = { type: 'object', properties: {} };
const reporter = stdioCommand({
  tools: [
    tool('env', 'Environment.', any, { does: { env: true } }),
    tool('argv', 'Arguments.', any, { does: { argv: true } }),
  ],
});

test('scalars in env, args and headers arrive as they stand in the file', async () => {
  await using server = await startMcpServer();
  const lines = (indent: string, key: (name: string) => string) =>
    Object.entries(SCALARS)
      .map(([name, value]) => `${indent}${key(name)} ${value}`)
      .join('\n');
  const config = `servers:
  - name: local
    command: ${reporter.command}
    args:
${reporter.args.map((word) => `      - ${JSON.stringify(word)}`).join('\n')}
${lines('      ', () => '-')}
    env:
${lines('      ', (name) => `${name}:`)}
  - name: far
    url: ${server.url}
    headers:
${lines('      ', (name) => `X-${name}:`)}
`;
  const ask = async (...words: string[]) => {
    const run = await runUsher(['call', ...words, '--json'], { config });
    expect(run.stderr).toBe(run.code === 0 ? run.stderr : 'no error');
    return JSON.parse(run.stdout).content[0].text;
  };
  const [env, argv] = await Promise.all([ask('local', 'env'), ask('local', 'argv')]);
  await ask('far', 'read');

  const seenEnv: Record<string, string> = JSON.parse(env);
  expect(Object.fromEntries(Object.keys(SCALARS).map((key) => [key, seenEnv[key]]))).toEqual(
    SCALARS,
  );
  expect(JSON.parse(argv).slice(1)).toEqual(Object.values(SCALARS));
  const headers = server.requests[0]?.headers ?? {};
  expect(
    Object.fromEntries(Object.keys(SCALARS).map((key) => [key, headers[`x-${key.toLowerCase()}`]])),
  ).toEqual(SCALARS);
});

test.each(['~', 'null', ''])(
  '%p as a variable is an error with its place, or unset',
  async (value) => {
    const config = `servers:
  - name: local
    command: ${reporter.command}
    args: ${JSON.stringify(reporter.args)}
    env:
      E: ${value}
`;
    const run = await runUsher(['call', 'local', 'env', '--json'], { config });
    if (run.code === 0)
      expect(JSON.parse(JSON.parse(run.stdout).content[0].text).E).toBeUndefined();
    else expect(run.stderr).toMatch(/config\.yaml:6:\d+/);
  },
);
