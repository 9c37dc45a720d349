/** A model on a hand-written wire: bodies as a list, one for each request. */
import { type Clock, systemClock } from '../../src/base/clock.ts';
import type { Env } from '../../src/base/env.ts';
import type { ModelConfig } from '../../src/config/types.ts';
import { createModel } from '../../src/model/registry.ts';
import type { ModelProvider, ModelReply, ModelRequest } from '../../src/model/types.ts';

export const HELLO: ModelRequest = {
  system: '',
  messages: [{ role: 'user', text: 'hello' }],
  tools: [],
};

/** What the model asked for, and how to answer it. */
export type Answer = (request: Request) => Response | Promise<Response>;

export interface WireOptions {
  readonly provider?: Exclude<ModelConfig['provider'], 'offline'>;
  readonly config?: Partial<ModelConfig>;
  readonly env?: Env;
  readonly clock?: Clock;
}

/** A model whose fetch is answered in process, in order; the last answer repeats. */
export async function modelOn(
  answers: readonly Answer[],
  {
    provider = 'openai-compatible',
    config,
    env = { KEY: 'sk-123456789' },
    clock,
  }: WireOptions = {},
): Promise<{ readonly model: ModelProvider; readonly requests: Request[] }> {
  const requests: Request[] = [];
  const model = await createModel({
    model: {
      provider,
      name: 'm',
      baseUrl: 'http://127.0.0.1:1/v1',
      apiKeyEnv: 'KEY',
      timeout: { firstByteMs: 2000, idleMs: 2000 },
      ...config,
    },
    env,
    clock: clock ?? hastyClock,
    random: () => 0.5,
    fetch: async (url, init) => {
      const request = new Request(url, init);
      requests.push(request);
      const answer = answers[Math.min(requests.length, answers.length) - 1];
      if (answer === undefined) throw new Error('no answer is scripted');
      return answer(request);
    },
    snapshot: () => ({
      tools: [],
      reachable: [],
      hidden: [],
      resolve: () => ({ kind: 'unknown', nearest: [] }),
    }),
  });
  return { model, requests };
}

/** Real time, but waits up to a minute pass at once unless they are clocks or grace periods. */
export const hastyClock: Clock = {
  ...systemClock,
  after: (delayMs, action) =>
    systemClock.after([2000, 1000, 100].includes(delayMs) ? delayMs : 0, action),
};

/** An event stream of the given data lines, then its end. */
export function stream(...data: readonly string[]): Answer {
  return () => new Response(data.map((line) => `data: ${line}\n\n`).join(''), { headers: STREAM });
}

/** Verbatim text as an event stream. */
export function raw(text: string, headers: Readonly<Record<string, string>> = STREAM): Answer {
  return () => new Response(text, { headers });
}

const STREAM = { 'content-type': 'text/event-stream' };

/** A chunk of chat completions. */
export function chunk(delta: object, finish: string | null = null): string {
  return JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] });
}

/** Asks once; gives what the listener heard as well. */
export async function askOn(model: ModelProvider, request: ModelRequest = HELLO) {
  const heard: string[] = [];
  const listener = {
    onText: (delta: string) => heard.push(`text ${delta}`),
    onReset: () => heard.push('reset'),
    onRetry: (notice: string) => heard.push(`retry ${notice}`),
  };
  let reply: ModelReply | undefined;
  let error: unknown;
  try {
    reply = await model.reply(request, listener, new AbortController().signal);
  } catch (thrown) {
    error = thrown;
  }
  return { reply, error, heard };
}
