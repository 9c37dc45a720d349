import { describe, expect, test } from 'bun:test';
import type { ScriptStep } from '../fixtures/models/types.ts';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { runScripted } from '../helpers/scripted-run.ts';

const text = ['first ', 'second'];
const CUTS: Readonly<Record<string, ScriptStep>> = {
  'ends cleanly after two deltas': { text, cut: 'fin' },
  'is reset after two deltas': { text, cut: 'rst' },
  'ends inside the arguments of a call': {
    toolCalls: [{ name: 's1_echo', arguments: '{"text":"hi"}' }],
    cut: 'fin',
    frames: 2,
  },
  'has nothing but a role': { text, cut: 'fin', frames: 1 },
  'is empty': { body: '', contentType: 'text/event-stream' },
};
const formats = ['openai', 'anthropic'] as const;

describe.each(formats)('over %s', (format) => {
  test.concurrent.each(Object.entries(CUTS))(
    'a stream that %s is no answer',
    async (_name, step) => {
      await using server = await startMcpServer();
      const run = await runScripted({
        format,
        servers: [{ name: 's1', url: server.url }],
        model: { timeout: { firstByte: '2s', idle: '700ms' } },
        steps: { steps: [step], after: 'repeat' },
      });
      expect([run.code, run.stdout]).toEqual([8, '']);
      expect(run.stderr.trim()).not.toBe('');
      expect(run.requests.length).toBeLessThanOrEqual(6);
      expect(server.calls()).toEqual([]);
    },
    20_000,
  );

  test.concurrent('a cut stream is asked for again, and the second answer counts alone', async () => {
    const run = await runScripted({ format, steps: [{ text, cut: 'fin' }, { text: 'whole' }] });
    expect([run.code, run.stdout.trim(), run.requests.length]).toEqual([0, 'whole', 2]);
  });

  test.concurrent.each<[string, ScriptStep]>([
    ['without the terminal event', { text, end: 'missing' }],
    ['whose socket stays open', { text, end: 'keep-open' }],
  ])('a finished answer %s is an answer, at once', async (_name, step) => {
    const run = await runScripted({ format, steps: [step] });
    expect([run.code, run.stdout.trim()]).toEqual([0, 'first second']);
    expect(run.ms).toBeLessThan(4000);
  });
});
