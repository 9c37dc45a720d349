// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references are what is tested.
import { describe, expect, test } from 'bun:test';
import { failure, load } from './try-load.ts';

const heads = async (text: string, env = {}) =>
  (await failure(text, env)).split('\n').filter((line) => !line.startsWith('  '));

describe('the root', () => {
  test('of an empty file gives the defaults and no server', async () => {
    const expected = {
      files: [expect.stringMatching(/config\.yaml$/)],
      model: undefined,
      mcp: { permissions: 'ask', naming: 'server_tool', patienceMs: 2000 },
      defaultTools: { hasMeta: false, without: [] },
      rules: [],
      hooks: { toolCall: [], toolResult: [] },
      servers: [],
      warnings: [],
      skipped: [],
    } as const;
    for (const text of ['', '# nothing\n', 'servers:\nmodel:\nmcp:\n', '{}'])
      expect(await load(text)).toEqual(expected);
  });

  test('names every problem at once', async () => {
    const text = [
      'rules: 1',
      'hooks: 1',
      'server: []',
      'mcpServers: {}',
      'mcp: {permissions: maybe, discovery: background, exposure: some, limits: {}, patiance: 3s}',
      'model: {provider: openia, temperature: hot, maxTokens: 0, foo: 1}',
      'servers: [{name: x, command: 1}]',
    ].join('\n');
    expect(await heads(text)).toEqual([
      'config.yaml:1:8 rules: expected a list, got 1',
      'config.yaml:2:8 hooks: expected a mapping (key: value), got 1',
      'config.yaml:3:1 server: unknown key; did you mean servers?',
      'config.yaml:4:1 mcpServers: unknown key; write a list: servers: [{ name: …, command: … }]',
      'config.yaml:5:20 mcp.permissions: expected ask or auto, got "maybe"',
      'config.yaml:5:38 mcp.discovery: "background" is not available in this version',
      'config.yaml:5:60 mcp.exposure: expected direct, deferred, codemode, hidden or auto, got "some"',
      'config.yaml:5:66 mcp.limits: this key is not available in this version',
      'config.yaml:5:78 mcp.patiance: unknown key; did you mean patience?',
      'config.yaml:6:19 model.provider: expected one of openai-compatible, openai, anthropic, google, offline, got "openia"',
      'config.yaml:6:40 model.temperature: expected a number from 0 to 2, got "hot"',
      'config.yaml:6:56 model.maxTokens: expected a whole number of at least 1, got 0',
      'config.yaml:6:59 model.foo: unknown key',
      'config.yaml:7:30 servers.x.command: expected an executable, got 1. Quote it if that is its name',
    ]);
  });

  const later = ['lsp', 'serve', 'extensions'];
  test('keys of later versions are never ignored', async () => {
    const found = await Promise.all(later.map((key) => heads(`${key}: x`)));
    expect(found).toEqual(
      later.map((key) => [`config.yaml:1:1 ${key}: this key is not available in this version`]),
    );
  });

  const shapes: Readonly<Record<string, string>> = {
    hello: 'config.yaml:1:1 expected a mapping with servers: and model:, got "hello"',
    '- a': 'config.yaml:1:1 expected a mapping with servers: and model:, got a list',
    'servers: {a: 1}':
      'config.yaml:1:10 servers: expected a list of servers, got a mapping. Write - name: NAME for each server',
    'servers: a': 'config.yaml:1:10 servers: expected a list of servers, got "a"',
    'mcp: [a]': 'config.yaml:1:6 mcp: expected a mapping (key: value), got a list',
    'mcp: 5': 'config.yaml:1:6 mcp: expected a mapping (key: value), got 5',
    'model: qwen': 'config.yaml:1:8 model: expected a mapping (key: value), got "qwen"',
    'mcp: {servers: {}}':
      'config.yaml:1:16 mcp.servers: expected a list of servers, got a mapping. Write - name: NAME for each server',
  };
  for (const [text, message] of Object.entries(shapes)) {
    test(`of another shape is an error: ${text}`, async () =>
      expect(await heads(text)).toEqual([message]));
  }

  test('a file full of mistakes ends quickly, with the first ones named', async () => {
    const keys = Array.from({ length: 20_000 }, (_, index) => `k${index}: 1`);
    const found = await heads(keys.join('\n'));
    expect([found.length, found[0], found[49]]).toEqual([
      50,
      'config.yaml:1:1 k0: unknown key; known here: model, mcp, defaultTools, rules, hooks, artifacts, search, logins, servers',
      'config.yaml:50:1 k49: unknown key; known here: model, mcp, defaultTools, rules, hooks, artifacts, search, logins, servers',
    ]);
    const servers = '- {name: x}\n'.repeat(501);
    expect(await heads(`servers:\n${servers}`)).toEqual([
      'config.yaml:2:1 servers: expected at most 500 servers, got 501',
    ]);
  });

  test('mcp.servers is the same list, both together are an error', async () => {
    const { servers } = await load('mcp: {servers: [{name: a, command: x}], permissions: auto}');
    expect(servers.map(({ name }) => name)).toEqual(['a']);
    expect(await heads('mcp: {servers: []}\nservers: []')).toEqual([
      'config.yaml:1:7 mcp.servers: servers stands at the top level as well; keep one of the two lists',
    ]);
  });

  test('problems below mcp.servers name the server', async () => {
    const { warnings } = await load('mcp: {servers: [{name: a}]}');
    expect(warnings.map(({ message }) => message.split('\n')[0])).toEqual([
      'config.yaml:1:17 mcp.servers.a: one of url, command, builtin is missing',
    ]);
  });

  test('mcp keeps what it says', async () => {
    const { mcp } = await load(
      'mcp: {permissions: auto, naming: mcp, patience: 0s, discovery: eager}',
    );
    expect(mcp).toEqual({ permissions: 'auto', naming: 'mcp', patienceMs: 0 });
  });
});

describe('the model', () => {
  test('keeps what it says, with defaults and expansion', async () => {
    const text = `model:
  provider: openai-compatible
  name: 4
  baseUrl: http://localhost:\${PORT:-11434}/v1
  apiKeyEnv: KEY
  maxTokens: 100
  temperature: 0.5
  headers: {X-Team: "\${TEAM}", Authorization: "Bearer \${TEAM}"}
  contextTokens: 2048
  system: on
  allowPrivate: true
  timeout: {idle: 5s}
`;
    expect((await load(text, { TEAM: 'docs-team' })).model).toEqual({
      provider: 'openai-compatible',
      name: '4',
      baseUrl: 'http://localhost:11434/v1',
      apiKeyEnv: 'KEY',
      maxTokens: 100,
      temperature: 0.5,
      headers: { 'X-Team': 'docs-team', Authorization: 'Bearer docs-team' },
      contextTokens: 2048,
      system: 'on',
      allowPrivate: true,
      timeout: { firstByteMs: 300_000, idleMs: 5000 },
    });
  });

  const cases: Readonly<Record<string, readonly string[]>> = {
    '{}': ['config.yaml:1:8 model.provider: is missing'],
    '{provider: openai-compatible}': [
      'config.yaml:1:8 model.name: is missing; provider openai-compatible needs it',
      'config.yaml:1:8 model.baseUrl: is missing; provider openai-compatible needs it',
    ],
    '{provider: openai}': ['config.yaml:1:8 model.name: is missing; provider openai needs it'],
    '{provider: openai, name: m, baseUrl: "http://10.0.0.1/v1"}': [
      'config.yaml:1:45 model.baseUrl: 10.0.0.1 is a private address; allowPrivate: true permits it',
    ],
    '{provider: openai, name: m, baseUrl: "https://${H}/"}': [
      'config.yaml:1:45 model.baseUrl: $H is not set; set it, or write a default: ${H:-…}',
    ],
    '{provider: openai, name: m, apiKeyEnv: sk-0123456789abcdef}': [
      'config.yaml:1:47 model.apiKeyEnv: expected the NAME of an environment variable, not a value. Example: OPENAI_API_KEY',
    ],
  };
  for (const [model, messages] of Object.entries(cases)) {
    test(`is fatal when bad: ${model.slice(0, 58)}`, async () => {
      expect(await heads(`model: ${model}`)).toEqual([...messages]);
    });
  }
});
