import { describe, expect, test } from 'bun:test';
import { systemClock } from '../../src/base/clock.ts';
import type { ModelConfig } from '../../src/config/types.ts';
import { createModel, preloadModel } from '../../src/model/registry.ts';
import { askOn, chunk, modelOn, stream } from './harness.ts';

const BASE: ModelConfig = {
  provider: 'openai-compatible',
  name: 'm',
  baseUrl: 'http://localhost:1/v1',
  timeout: { firstByteMs: 1000, idleMs: 1000 },
};

async function create(model: ModelConfig | undefined, env = {}) {
  const snapshot = () => ({
    tools: [],
    reachable: [],
    hidden: [],
    resolve: () => ({ kind: 'unknown', nearest: [] }) as const,
  });
  return createModel({ model, env, clock: systemClock, random: () => 0, snapshot });
}

describe('the model of a configuration', () => {
  test('is the router without one', async () => {
    expect((await create(undefined)).label).toBe('offline/router');
    expect((await create({ ...BASE, provider: 'offline' })).label).toBe('offline/router');
  });

  test('has its label, and the number of tools OpenAI takes', async () => {
    expect(await create(BASE)).toMatchObject({ label: 'openai-compatible/m', maxTools: undefined });
    const openai = await create({ ...BASE, provider: 'openai', apiKeyEnv: 'K' }, { K: 'sk-1234' });
    expect(openai).toMatchObject({ label: 'openai/m', maxTools: 128 });
  });

  const refused: readonly (readonly [string, Partial<ModelConfig>, object])[] = [
    ['without a name', { name: undefined }, { code: 'config' }],
    ['without an address', { baseUrl: undefined }, { code: 'config' }],
    ['with an address that is none', { baseUrl: 'localhost:11434' }, { code: 'config' }],
    [
      'with a password in its address',
      { baseUrl: 'https://u:p@example.com/v1' },
      { code: 'config' },
    ],
    [
      'with plain http beyond this machine',
      { baseUrl: 'http://models.example.com/v1' },
      { code: 'config' },
    ],
    ['with a private address', { baseUrl: 'https://10.0.0.1/v1' }, { code: 'config' }],
    ['whose variable is not set', { apiKeyEnv: 'NO_SUCH_KEY' }, { code: 'auth', exit: 6 }],
    ['whose variable is blank', { apiKeyEnv: 'BLANK' }, { code: 'auth', exit: 6 }],
    [
      'of OpenAI without any key',
      { provider: 'openai', baseUrl: undefined },
      { code: 'auth', exit: 6 },
    ],
  ];
  for (const [what, change, error] of refused) {
    test(`is refused ${what}`, async () => {
      const entries = Object.entries({ ...BASE, ...change }).filter(
        ([, value]) => value !== undefined,
      );
      // Checked: BASE has all required fields, and only optional ones were taken away.
      const config = Object.fromEntries(entries) as ModelConfig;
      await expect(create(config, { BLANK: ' \n' })).rejects.toMatchObject(error);
    });
  }

  test('may be at a private address when that is allowed', async () => {
    const model = await create({ ...BASE, baseUrl: 'http://10.0.0.1:8080/v1', allowPrivate: true });
    expect(model.label).toBe('openai-compatible/m');
  });

  test('loads ahead without failing, whatever the provider', async () => {
    for (const provider of [
      'openai-compatible',
      'openai',
      'anthropic',
      'google',
      'offline',
    ] as const) {
      expect(await preloadModel({ ...BASE, provider })).toBeUndefined();
    }
  });
});

describe('a request', () => {
  const done = stream(chunk({ content: 'ok' }, 'stop'));

  test('carries the key trimmed, own headers and settings', async () => {
    const { model, requests } = await modelOn([done], {
      env: { KEY: ' sk-abcdef \n' },
      config: { headers: { 'x-team': 'blue' }, maxTokens: 77, temperature: 0.5 },
    });
    expect((await askOn(model)).reply?.text).toBe('ok');
    const [request] = requests;
    expect(request?.headers.get('authorization')).toBe('Bearer sk-abcdef');
    expect(request?.headers.get('x-team')).toBe('blue');
    expect(await request?.json()).toMatchObject({
      model: 'm',
      max_tokens: 77,
      temperature: 0.5,
      stream: true,
    });
  });

  test('goes to the configured address with its parameters, which errors do not show', async () => {
    const { model, requests } = await modelOn([done, () => new Response('', { status: 400 })], {
      config: { baseUrl: 'http://127.0.0.1:1/deep/v1/?api-version=7' },
    });
    await askOn(model);
    expect(requests[0]?.url).toBe('http://127.0.0.1:1/deep/v1/chat/completions?api-version=7');
    expect(String((await askOn(model)).error)).toContain('at http://127.0.0.1:1/deep/v1: 400');
  });

  test('carries no key when none is configured', async () => {
    for (const provider of ['openai-compatible', 'openai', 'anthropic', 'google'] as const) {
      const { model, requests } = await modelOn([() => new Response('', { status: 400 })], {
        provider,
        env: {},
        config: { apiKeyEnv: undefined },
      });
      await askOn(model);
      const headers = [...(requests[0]?.headers ?? [])];
      expect(headers.filter(([name]) => /auth|api-key|goog/.test(name))).toEqual([]);
    }
  });

  test('to OpenAI stores nothing and is not strict', async () => {
    const { model, requests } = await modelOn([() => new Response('', { status: 400 })], {
      provider: 'openai',
    });
    await askOn(model, {
      system: '',
      messages: [{ role: 'user', text: 'x' }],
      tools: [{ name: 't', description: '', inputSchema: {} }],
    });
    expect(await requests[0]?.json()).toMatchObject({
      store: false,
      tools: [{ name: 't', strict: false }],
    });
  });
});
