import { describe, expect, test } from 'bun:test';
import { createSampleModel } from '../../src/host/sample.ts';
import type { SamplingRequest } from '../../src/mcp/handlers/sampling.ts';
import type { ModelProvider, ModelReply, ModelRequest } from '../../src/model/types.ts';
import { personTyping } from './dialogue.ts';

const reply: ModelReply = {
  text: 'four',
  toolCalls: [],
  finish: 'stop',
  origin: 'model',
  usage: { inputTokens: 1, outputTokens: 1 },
  state: undefined,
};
const request: SamplingRequest = {
  server: 'forge',
  system: 'be short',
  messages: [
    { role: 'user', text: 'two and two?' },
    { role: 'assistant', text: 'hm' },
  ],
  maxTokens: 20,
};

interface Setting {
  readonly typed?: readonly string[] | undefined;
  readonly request?: SamplingRequest;
  readonly reply?: Partial<ModelReply> | Error;
  readonly hasModel?: boolean;
}

async function sample(setting: Setting) {
  const sent: ModelRequest[] = [];
  const limits: number[] = [];
  const model: ModelProvider = {
    label: 'test/model',
    maxTools: undefined,
    async reply(given) {
      sent.push(given);
      if (setting.reply instanceof Error) throw setting.reply;
      return { ...reply, ...setting.reply };
    },
  };
  const person = setting.typed && personTyping(setting.typed);
  const answer = createSampleModel({
    talk: person?.talk,
    async openModel(maxTokens) {
      limits.push(maxTokens);
      return setting.hasModel === false ? undefined : model;
    },
  });
  const result = await answer(setting.request ?? request, new AbortController().signal).catch(
    (error: unknown) => String(error),
  );
  return { result, sent, limits, shown: person?.shown() ?? '' };
}

describe('a yes', () => {
  test('lets the model answer, without tools and history', async () => {
    const { result, sent, limits, shown } = await sample({ typed: ['y'] });
    expect(result).toEqual({ model: 'test/model', text: 'four', stopReason: 'endTurn' });
    expect(limits).toEqual([20]);
    expect(sent).toEqual([
      {
        system: 'be short',
        tools: [],
        messages: [
          { role: 'user', text: 'two and two?' },
          { role: 'assistant', text: 'hm', toolCalls: [], state: undefined },
        ],
      },
    ]);
    expect(shown).toBe(`
*forge* wants your model test/model to answer this, in at
most 20 tokens; the answer goes to the server:
  system prompt:
  | be short
  user:
  | two and two?
  assistant:
  | hm
  y yes, n no, v view everything
Allow? [y/n/v] y`);
  });

  test('is bounded in tokens, whatever the server asks', async () => {
    const large = await sample({ typed: ['y'], request: { ...request, maxTokens: 1e9 } });
    const none = await sample({ typed: ['y'], request: { ...request, maxTokens: undefined } });
    expect([large.limits, none.limits]).toEqual([[8192], [1024]]);
  });

  test('a reply cut by length says so', async () => {
    const { result } = await sample({ typed: ['y'], reply: { finish: 'length' } });
    expect(result).toMatchObject({ stopReason: 'maxTokens' });
  });

  test('what the provider said stays here', async () => {
    const { result } = await sample({ typed: ['y'], reply: new Error('key sk-123 refused') });
    expect(result).toBe('RefusedRequest: the model failed (internal)');
  });
});

describe('nothing is sent', () => {
  test.each<[string, Setting, string]>([
    ['after a no', { typed: ['n'] }, 'User rejected sampling request'],
    ['after Ctrl-C', { typed: [] }, 'User rejected sampling request'],
    ['after nonsense and a no', { typed: ['', 'ok', 'n'] }, 'User rejected sampling request'],
    ['with nobody there', {}, 'sampling needs a person to allow it; nobody is here'],
    [
      'by the router',
      { typed: ['y'], hasModel: false },
      'no language model is configured: the offline router cannot sample',
    ],
  ])('%s', async (_name, setting, message) => {
    const { result, sent } = await sample(setting);
    expect([result, sent]).toEqual([`RefusedRequest: ${message}`, []]);
  });
});

test('long requests are cut, and v shows them whole', async () => {
  const text = `${'x'.repeat(3000)} end`;
  const messages = Array.from({ length: 8 }, () => ({ role: 'user' as const, text }));
  const { shown } = await sample({ typed: ['v', 'n'], request: { ...request, messages } });
  const [short = '', whole = ''] = shown.split('Allow? [y/n/v] v');
  expect(short).toContain('… 2 more messages; v shows all');
  expect([short.match(/end/g), whole.match(/end/g)?.length]).toEqual([null, 8]);
});
