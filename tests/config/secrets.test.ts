// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references are what is tested.
import { describe, expect, test } from 'bun:test';
import { scrubSecrets } from '../../src/base/redact.ts';
import { maskText } from '../../src/config/mask.ts';
import {
  isPlausibleVariable,
  isSecretName,
  looksLikeSecret,
} from '../../src/config/secret-names.ts';
import { failure, load, problems, serverProblems } from './try-load.ts';

describe('literal secrets', () => {
  test('are errors that show the spelling that works', async () => {
    const text = [
      'url: https://a.example/mcp?api_key=CANARY1&q=1',
      'headers:',
      '  Authorization: Bearer CANARY2',
      '  X-Api-Key: "CANARY3"',
      '  X-Foo-Key: $CANARY_VAR',
      '  Cookie: $${CANARY}',
      'apiKey: CANARY4',
      'token: ${MY_TOKEN}',
      'password: |',
      '  CANARY5',
    ].join('\n');
    expect(await serverProblems(text)).toEqual([
      'config.yaml:3:10 servers.x.url: a secret never stands in the file; put the value of "api_key" into a variable and write api_key=${X_KEY}',
      'config.yaml:5:22 servers.x.headers.Authorization: a secret never stands in the file; put it into a variable and write "Bearer ${X_TOKEN}", or auth: { type: bearer, tokenEnv: X_TOKEN }',
      'config.yaml:6:18 servers.x.headers.X-Api-Key: a secret never stands in the file; put it into a variable and write "${X_TOKEN}"',
      'config.yaml:7:18 servers.x.headers.X-Foo-Key: a secret never stands in the file; put it into a variable and write "${CANARY_VAR}"',
      'config.yaml:8:15 servers.x.headers.Cookie: a secret never stands in the file; put it into a variable and write "${X_TOKEN}"',
      'config.yaml:9:5 servers.x.apiKey: a secret never stands in the file; put it into a variable and write auth: { type: bearer, tokenEnv: NAME_OF_VARIABLE }',
      'config.yaml:10:5 servers.x.token: a secret never stands in the file; put it into a variable and write auth: { type: bearer, tokenEnv: MY_TOKEN }',
      'config.yaml:11:5 servers.x.password: a secret never stands in the file; put it into a variable and write auth: { type: bearer, tokenEnv: NAME_OF_VARIABLE }',
    ]);
  });

  test('in auth are errors as well', async () => {
    const text =
      'url: https://a.example/\nauth: {type: bearer, token: CANARY6, tokenEnv: ghp_CANARY00000000}';
    expect(await serverProblems(text)).toEqual([
      'config.yaml:4:26 servers.x.auth.token: a secret never stands in the file; put it into a variable and write tokenEnv: NAME_OF_VARIABLE',
      'config.yaml:4:52 servers.x.auth.tokenEnv: expected the NAME of an environment variable, not a value. Example: GITHUB_TOKEN',
    ]);
  });

  test('in model are fatal', async () => {
    const message = await failure(
      'model: {provider: openai, name: m, apiKey: CANARY7, headers: {X-Api-Key: CANARY8}, baseUrl: "https://a/?key=CANARY9"}',
    );
    expect(message.split('\n').filter((line) => !line.startsWith('  '))).toEqual([
      'config.yaml:1:36 model.apiKey: a secret never stands in the file; put it into a variable and write apiKeyEnv: NAME_OF_VARIABLE',
      'config.yaml:1:74 model.headers.X-Api-Key: a secret never stands in the file; put it into a variable and write "${MODEL_API_KEY}"',
      'config.yaml:1:93 model.baseUrl: a secret never stands in the file; write key=${MODEL_API_KEY}',
    ]);
    expect(message).not.toContain('CANARY');
  });

  test('auth beside a header of the same name is an error', async () => {
    const text =
      'url: https://a.example/\nauth: {type: bearer, tokenEnv: T}\nheaders: {authorization: "${T}"}';
    expect(await serverProblems(text, { T: 'value-of-test' })).toEqual([
      'config.yaml:5:30 servers.x.headers.authorization: auth already sets this header; keep one of the two',
    ]);
  });

  test('the line with the caret shows *** in their place, the caret stands right', async () => {
    const line =
      '{name: x, url: "https://u:CANARY@a.example/?token=CANARY#CANARY", headers: {Authorization: "Bearer CANARY"}, zzz: 1}';
    const [message = ''] = await problems(`servers:\n  - ${line}\n`);
    const shown =
      '    - {name: x, url: "https://***@a.example/?token=***#***", headers: {Authorization: ***}, zzz: 1}';
    expect(message.split('\n').filter((text) => text.startsWith('    - '))).toEqual([
      shown,
      shown,
      shown,
    ]);
    expect(message.split('\n').at(-1)).toBe(`${' '.repeat(shown.indexOf('zzz'))}^`);
    expect(message).not.toContain('CANARY');
  });

  const broken: Readonly<Record<string, string>> = {
    'an unclosed quote': 'servers:\n  - name: x\n    headers: {Authorization: "Bearer CANARY\n',
    'a second colon': 'servers:\n  - api_key: CANARY: x\n',
    'a tab': 'servers:\n\t- token: CANARY\n',
    'a repeated key': 'servers: [{password: CANARY, password: CANARY}]\n',
    'a token under any name': 'model: {x: ghp_CANARY0000000000, x: 1}\n',
    'a url': 'model: {x: "https://u:CANARY@h/?a=CANARY#CANARY", x: 1}\n',
    'a flag in a list': 'servers: [{args: [--api-key, CANARY], args: 1}]\n',
    'a flag in a broken list': 'servers: [{args: [--api-key, "CANARY", --token=CANARY}]\n',
    'a flag in a command': 'servers: [{command: x --password CANARY, command: y}]\n',
    'a value that a block scalar holds': 'servers:\n  - token: |\n      CANARY\n    token: b\n',
    'a mapping under a secret name': 'servers: [{secret: {a: CANARY, a: CANARY}}]\n',
  };
  for (const [name, text] of Object.entries(broken)) {
    test(`a syntax problem does not show one: ${name}`, async () => {
      expect(await failure(text)).not.toContain('CANARY');
    });
  }

  test('a shell line does not show them', async () => {
    const messages = await problems(
      'servers: [{name: x, command: "TOKEN=CANARY npx --api-key CANARY"}]',
    );
    expect(messages).toEqual([
      'config.yaml:1:30 servers.x.command: expected an executable, not a shell line. Write command: NAME, args: […]\n  servers: [{name: x, command: "TOKEN=***"}]\n                               ^',
    ]);
  });

  test('no wrong type makes one visible', async () => {
    const lines =
      'url: https://a.example/\nheaders: CANARY\nauth: CANARY\ndescription: [CANARY]\nenv: {TOKEN: [CANARY]}';
    const messages = await problems(`servers:\n  - name: x\n${lines.replace(/^/gm, '    ')}\n`);
    expect(messages.join('\n').match(/CANARY/g)).toEqual(['CANARY']);
  });
});

describe('expanded secrets', () => {
  test('are scrubbed from all output from then on', async () => {
    const env = {
      A_HEADER: 'header-secret-1',
      A_QUERY_KEY: 'query-secret-2',
      PLAIN: 'plain-secret-3',
      HARMLESS: 'harmless-text-4',
      PADDED: ' padded-secret-5\n',
      PASSED_TOKEN: 'passed-secret-9',
    };
    await load(
      [
        'servers:',
        '  - name: a',
        '    url: https://a.example/?key=${A_QUERY_KEY}',
        '    headers: {Authorization: "Bearer ${A_HEADER}", X-Api-Key: "${PADDED}", X-Other: "${HARMLESS}"}',
        '  - name: b',
        '    command: x',
        '    args: [--api-key, literal-secret-6, "--token=literal-secret-7", "--dir=${HARMLESS}"]',
        '    envPass: [PASSED_TOKEN, HARMLESS]',
        '    env: {MY_PASSWORD: "${PLAIN}", OTHER_SECRET: literal-secret-8, LOG_LEVEL: verbose-level}',
      ].join('\n'),
      env,
    );
    const text = `header-secret-1 query-secret-2 plain-secret-3 harmless-text-4 padded-secret-5 literal-secret-6 literal-secret-7 literal-secret-8 passed-secret-9 verbose-level`;
    expect(scrubSecrets(text)).toBe(
      '*** *** *** harmless-text-4 *** *** *** *** *** verbose-level',
    );
  });
});

describe('names', () => {
  test('of credentials are known', () => {
    const secret = [
      'Authorization',
      'Proxy-Authorization',
      'X-Api-Key',
      'x-goog-api-key',
      'apikey',
      'apiKey',
      'API_KEY',
      'token',
      'GITHUB_TOKEN',
      'accessToken',
      'X-Auth-Token',
      'client_secret',
      'PASSWORD',
      'passwd',
      'cookie',
      'Set-Cookie',
      'X-Tenant-Key',
      'key',
      'sig',
      'OPENAI_API_KEY',
      'AWS_SECRET_ACCESS_KEY',
      'private_key',
      'GITHUB_PAT',
      'DB_PASS',
      'MYSQL_PWD',
      'GPG_PASSPHRASE',
      'SESSION_JWT',
    ];
    const plain = [
      'maxTokens',
      'contextTokens',
      'max_tokens',
      'tokenEnv',
      'apiKeyEnv',
      'LOG_LEVEL',
      'Accept',
      'X-Team',
      'keyboard',
      'monkey',
      'author',
      'TOKEN_FILE',
      'OLDPWD',
      'BYPASS',
      'COMPAT',
      'TOKEN_URL',
      'Idempotency-Key',
      'toolPermissions',
      'q',
    ];
    expect(secret.filter((name) => !isSecretName(name))).toEqual([]);
    expect(plain.filter(isSecretName)).toEqual([]);
  });

  test('a pasted token is no name of a variable', () => {
    expect(
      ['A', '_a1', 'ghp_abcdefghijklmnop', 'a-b', '1a', '', 'A B'].map(isPlausibleVariable),
    ).toEqual([true, true, false, false, false, false, false]);
    expect(
      ['sk-proj-0123456789ab', 'xoxb-12345678', 'npx', '@scope/server'].map(looksLikeSecret),
    ).toEqual([true, true, false, false]);
  });

  test('text without a parser is masked by its looks', () => {
    expect(
      [
        'token: abc',
        '"api_key": "abc", x: 1',
        'Authorization: Bearer ${TOK}',
        'a=1&token=abc',
        'https://u:p@h/x?y=1&z=${A}#f',
        'tokenEnv: NAME',
        'maxTokens: 5',
        'args: [--x, eyJhbGciOiJI.eyJzdWIiOiIx]',
      ].map(maskText),
    ).toEqual([
      'token: ***',
      '"api_key": "***", x: 1',
      'Authorization: Bearer ${TOK}',
      'a=1&token=***',
      'https://***@h/x?y=***&z=${A}#***',
      'tokenEnv: NAME',
      'maxTokens: 5',
      'args: [--x, ***]',
    ]);
  });
});
