import { describe, expect, test } from 'bun:test';
import type { JsonObject } from '../../../src/base/json.ts';
import { readLogMessage } from '../../../src/mcp/handlers/logging.ts';
import { RefusedRequest } from '../../../src/mcp/handlers/refusal.ts';
import { answerSampling, readSampling } from '../../../src/mcp/handlers/sampling.ts';

const text = (role: string, words: string): JsonObject => ({
  role,
  content: { type: 'text', text: words },
});

describe('a sampling request', () => {
  test('is read, text blocks joined', () => {
    const two = { role: 'assistant', content: [{ type: 'text', text: 'a' }, { text: 'b' }] };
    expect(
      readSampling('forge', {
        messages: [text('user', 'hi'), two],
        systemPrompt: 'be kind',
        maxTokens: 9.7,
        modelPreferences: { hints: [] },
      }),
    ).toEqual({
      server: 'forge',
      system: 'be kind',
      messages: [
        { role: 'user', text: 'hi' },
        { role: 'assistant', text: 'a\nb' },
      ],
      maxTokens: 9,
    });
  });

  test('is answered in the shape of the protocol', async () => {
    const sample = async () => ({ model: 'm', text: 'yes', stopReason: 'endTurn' as const });
    const params = { messages: [text('user', 'hi')] };
    expect(await answerSampling(sample, 'forge', params, new AbortController().signal)).toEqual({
      role: 'assistant',
      content: { type: 'text', text: 'yes' },
      model: 'm',
      stopReason: 'endTurn',
    });
  });

  test.each<[string, JsonObject, string]>([
    [
      'with tools',
      { messages: [text('user', 'x')], tools: [{ name: 't' }] },
      'sampling with tools is not supported',
    ],
    ['without messages', { messages: [] }, 'messages are missing'],
    [
      'with an image',
      { messages: [{ role: 'user', content: { type: 'image', data: '' } }] },
      'only text is supported, not image',
    ],
    ['of the system alone', { messages: [text('system', 'x')] }, 'a message has no role'],
    [
      'of a book',
      { messages: [text('user', 'x'.repeat(200_001))] },
      'more than 200000 characters of text',
    ],
  ])('%s is refused', (_name, params, message) => {
    expect(() => readSampling('forge', params)).toThrow(new RefusedRequest(-32602, message));
  });
});

test.each<[JsonObject, string, string]>([
  [{ level: 'warning', logger: 'db', data: 'slow' }, 'warning', 'db: slow'],
  [{ level: 'loud', data: { b: 1, a: 2 } }, 'info', '{"a":2,"b":1}'],
  [{}, 'info', 'null'],
])('the log message %j is read', (params, level, line) => {
  expect(readLogMessage(params)).toEqual({ level, text: line });
});
