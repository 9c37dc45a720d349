import { expect, test } from 'bun:test';
import { UsageError } from '../../src/base/errors.ts';
import { readOptions } from '../../src/cli/options.ts';
import { parseLine } from '../../src/cli/parse.ts';

const read = (...words: string[]) => readOptions(parseLine(words));

test('defaults are filled in', () => {
  expect(read()).toEqual({
    prompt: undefined,
    config: undefined,
    model: undefined,
    servers: undefined,
    onlyTools: undefined,
    withoutTools: [],
    noBuiltins: false,
    permissions: undefined,
    yes: [],
    onDenied: 'fail',
    output: 'text',
    maxTurns: 51,
    maxTokens: undefined,
    timeoutMs: 0,
    patienceMs: undefined,
    elicit: undefined,
    strict: false,
    stdin: 'auto',
    artifacts: 'on',
    session: undefined,
    continues: false,
    ephemeral: false,
    approve: [],
    edit: {
      scope: undefined,
      command: undefined,
      args: [],
      env: [],
      cwd: undefined,
      transport: undefined,
      exposure: undefined,
      description: undefined,
      allowPrivate: false,
    },
    headers: [],
    bearerEnv: undefined,
    oauth: {
      clientId: undefined,
      clientSecretEnv: undefined,
      clientMetadataUrl: undefined,
      clientName: undefined,
      grant: undefined,
      privateKey: undefined,
      algorithm: undefined,
      idp: undefined,
      assertion: undefined,
      dpop: undefined,
      scope: undefined,
      callbackPort: undefined,
      authServerMetadataUrl: undefined,
    },
    login: { noBrowser: false, printUrl: false, code: undefined, isByDevice: false },
    all: false,
    why: false,
    check: false,
    diff: false,
    batch: false,
    limit: undefined,
    quiet: false,
    verbose: 0,
    noColor: false,
    noInput: false,
  });
});

test('values are read', () => {
  const words = '-p x --model openai-compatible/org/qwen3 --timeout 1.5m --patience 250ms';
  const options = read(...words.split(' '), '--max-turns=3', '--max-tokens', '9', '-vv', '--json');
  expect(options).toMatchObject({
    model: { provider: 'openai-compatible', name: 'org/qwen3' },
    timeoutMs: 90_000,
    patienceMs: 250,
    maxTurns: 3,
    maxTokens: 9,
    verbose: 2,
    output: 'json',
  });
});

test.each([
  [['--model', 'qwen3'], '--model: expected PROVIDER/NAME, got "qwen3"'],
  [['--model', 'openai/'], '--model: expected PROVIDER/NAME, got "openai/"'],
  [['--max-turns', '0'], '--max-turns: expected a whole number of at least 1, got "0"'],
  [['--max-turns', '1e3'], '--max-turns: expected a whole number of at least 1, got "1e3"'],
  [['--timeout', '30'], '--timeout: expected a duration, got "30"'],
  [['--timeout', '-1s'], '--timeout: expected a duration, got "-1s"'],
  [['--yes', '*'], '--yes takes names of tools, not patterns: "*"'],
  [['--yes', 'fs/read,fs/*'], '--yes takes names of tools, not patterns: "fs/*"'],
  [['--json', '--output', 'stream-json'], '--json and --output stream-json exclude each other'],
  [['-q', '-v'], '--quiet and --verbose exclude each other'],
])('%p is refused', (words, message) => {
  expect(() => read('-p', 'x', ...words)).toThrow(new UsageError(message));
});
