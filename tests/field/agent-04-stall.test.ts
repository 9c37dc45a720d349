import { expect, test } from 'bun:test';
import { runScripted } from '../helpers/scripted-run.ts';

test.concurrent.each(['openai', 'anthropic'] as const)(
  'a stream that stalls for ever is asked for again, then is a failure of the model, over %s',
  async (format) => {
    const run = await runScripted({
      format,
      model: { timeout: { firstByte: '2s', idle: '700ms' } },
      steps: { steps: [{ text: ['first ', 'second'], stall: true }], after: 'repeat' },
    });
    expect([run.code, run.stdout]).toEqual([8, '']);
    expect(run.stderr).toContain('idle');
    expect(run.requests.length).toBeLessThanOrEqual(6);
  },
  20_000,
);
