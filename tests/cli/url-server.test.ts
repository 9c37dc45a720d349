/** How a server that is named by its bare URL is named again, when a person is told to sign in to it. */
import { expect, test } from 'bun:test';
import { readOptions } from '../../src/cli/options.ts';
import { parseLine } from '../../src/cli/parse.ts';
import { configForUrl } from '../../src/cli/url-server.ts';
import { emptyConfig } from './fakes.ts';

const url = 'https://mcp.example/mcp';
const env = {};

function queryOf(words: readonly string[]) {
  const { headers, bearerEnv, oauth } = readOptions(parseLine(['mcp', 'login', url, ...words]));
  return { url, headers, bearerEnv, oauth, env, cwd: '/' };
}

test.each<[given: string[], words: string]>([
  [[], ''],
  [['--oauth-scope', 'a b'], ''],
  [['--header', 'X-Team: blue'], " --header 'X-Team: blue'"],
  [
    ['--client-id', "it's", '--client-secret-env', 'S'],
    " --client-id 'it'\\''s' --client-secret-env S",
  ],
  [
    ['--grant', 'enterprise', '--client-id', 'c', '--idp', 'idp.json'],
    ' --client-id c --grant enterprise --idp idp.json',
  ],
  [
    ['--grant', 'jwt-bearer', '--client-id', 'c', '--assertion', 'a.jwt'],
    ' --client-id c --grant jwt-bearer --assertion a.jwt',
  ],
  [['--dpop', '--callback-port', '8765'], ' --dpop --callback-port 8765'],
])('given %j, the same words name it again', (given, words) => {
  const config = configForUrl(emptyConfig, queryOf(given));
  expect(config.loginWords).toBe(`${url}${words}`);
  const shell = Bun.spawnSync(['sh', '-c', `printf '%s\\0' ${config.loginWords}`]);
  const [, ...typed] = shell.stdout.toString().split('\0').slice(0, -1);
  expect(configForUrl(emptyConfig, queryOf(typed)).loginWords).toBe(`${url}${words}`);
});

test('a key file that cannot be used is told by its flag', () => {
  const given = ['--grant', 'client_credentials', '--client-id', 'c', '--private-key', 'myKey.pem'];
  expect(() => configForUrl(emptyConfig, queryOf(given))).toThrow(
    '--private-key: /myKey.pem does not exist',
  );
});
