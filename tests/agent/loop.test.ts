import { describe, expect, test } from 'bun:test';
import { type AgentDeps, runAgent } from '../../src/agent/loop.ts';
import type { AgentEvent } from '../../src/agent/types.ts';
import {
  FailedError,
  InterruptedError,
  PermissionError,
  ProviderError,
} from '../../src/base/errors.ts';
import type { TimedOutcome, ToolCall } from '../../src/calls/types.ts';
import type { ModelMessage, ModelReply, ModelRequest } from '../../src/model/types.ts';
import type { RegisteredTool, RegistrySnapshot } from '../../src/tools/types.ts';

const emptySnapshot: RegistrySnapshot = {
  tools: [],
  reachable: [],
  hidden: [],
  resolve: () => ({ kind: 'unknown', nearest: [] }),
};

const tool: RegisteredTool = {
  server: 's',
  name: 'echo',
  publicName: 's_echo',
  definition: {
    name: 'echo',
    title: undefined,
    description: undefined,
    inputSchema: { type: 'object', properties: {} },
    outputSchema: undefined,
    annotations: {},
    raw: {},
  },
  hidden: undefined,
  exposure: 'direct',
  source: {
    name: 's',
    kind: 'builtin',
    identity: 's',
    call: () => Promise.reject(new Error('not used')),
  },
};

function reply(part: Partial<ModelReply>): ModelReply {
  return {
    text: '',
    toolCalls: [],
    finish: 'stop',
    origin: 'model',
    usage: { inputTokens: 10, outputTokens: 5 },
    state: undefined,
    ...part,
  };
}

function calls(...argumentTexts: string[]): Partial<ModelReply> {
  return {
    finish: 'tool_calls',
    toolCalls: argumentTexts.map((argumentsText, index) => ({
      id: `c${index + 1}`,
      name: 's_echo',
      argumentsText,
    })),
  };
}

function ok(text: string): TimedOutcome {
  const rendered = { text, isError: false, artifacts: [], omittedCharacters: 0 };
  const result = { content: [], structuredContent: undefined, isError: false, raw: {} };
  return { outcome: { kind: 'result', tool, result, rendered }, durationMs: 3 };
}

interface Setup {
  readonly replies: readonly (ModelReply | Error)[];
  readonly outcomes?: (call: ToolCall) => TimedOutcome;
  readonly limits?: Partial<AgentDeps['limits']>;
  readonly contextTokens?: number;
}

function setUp({ replies, outcomes = () => ok('fine'), limits = {}, contextTokens }: Setup) {
  const requests: ModelRequest[] = [];
  const ran: ToolCall[][] = [];
  const events: AgentEvent[] = [];
  const deps: AgentDeps = {
    model: {
      label: 'test/model',
      maxTools: undefined,
      reply: async (request) => {
        requests.push({ ...request, messages: [...request.messages] });
        const next = replies[Math.min(requests.length, replies.length) - 1];
        if (next === undefined || next instanceof Error) throw next;
        return next;
      },
    },
    snapshot: async () => emptySnapshot,
    declare: () => [],
    executeCalls: async (list) => {
      ran.push([...list]);
      return list.map(outcomes);
    },
    system: () => 'system',
    contextTokens,
    limits: { maxTurns: 50, maxTokens: undefined, onDenied: 'fail', ...limits },
    emit: (event) => events.push(event),
  };
  const run = (history: readonly ModelMessage[] = [], signal = new AbortController().signal) =>
    runAgent(deps, history, 'hello', signal);
  return { run, requests, ran, events };
}

describe('runAgent', () => {
  test('answers with the text of the turn without calls and counts turns and usage', async () => {
    const { run } = setUp({ replies: [reply(calls('{"a":1}')), reply({ text: 'done' })] });
    const { result, history } = await run();
    expect(result).toEqual({
      answer: 'done',
      exit: 0,
      error: undefined,
      turns: 2,
      usage: { inputTokens: 20, outputTokens: 10 },
      toolCalls: [
        { id: 'c1', server: 's', tool: 'echo', arguments: { a: 1 }, outcome: 'ok', durationMs: 3 },
      ],
      denied: [],
      unknownOutcome: [],
      warnings: [],
    });
    expect(history.map((message) => message.role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
    ]);
  });

  test.each(['', ' ', 'null', '{}'])('takes arguments %p as an empty object', async (text) => {
    const { run, ran, requests } = setUp({ replies: [reply(calls(text)), reply({ text: 'ok' })] });
    await run();
    expect(ran[0]?.[0]).toMatchObject({ arguments: {}, invalidArguments: undefined });
    expect(requests[1]?.messages[1]).toMatchObject({ toolCalls: [{ argumentsText: '{}' }] });
  });

  test('hands invalid arguments on as such and keeps the history valid', async () => {
    const { run, ran, requests } = setUp({
      replies: [reply(calls('{a:1}')), reply({ text: 'ok' })],
    });
    await run();
    expect(ran[0]?.[0]).toMatchObject({ arguments: {}, invalidArguments: '{a:1}' });
    expect(requests[1]?.messages[1]).toMatchObject({ toolCalls: [{ argumentsText: '{}' }] });
  });

  test.each([
    ['length', '{"path":"/a","text":"half'],
    ['length', '{"path":"/a"}'],
    ['tool_calls', '{"path":"/a","text":"half'],
  ] as const)(
    'runs no call of a reply cut with %s %s, and stops after three',
    async (finish, text) => {
      const cut = reply({ ...calls('{"whole":1}', text), finish });
      const { run, ran, requests } = setUp({ replies: [cut] });
      const { result } = await run();
      expect(ran).toEqual([]);
      expect(requests.length).toBe(3);
      expect(result.exit).toBe(7);
      expect(result.error?.message).toContain('output limit reached');
      const last = requests[2]?.messages.at(-1);
      expect(last?.role === 'tool' && last.results.map((entry) => entry.status)).toEqual([
        'error',
        'error',
      ]);
    },
  );

  test('prints a text cut by length with a warning and exit 7', async () => {
    const { run, events } = setUp({ replies: [reply({ text: 'half', finish: 'length' })] });
    const { result } = await run();
    expect(result).toMatchObject({ answer: 'half', exit: 7 });
    expect(events.filter((event) => event.type === 'warning').length).toBe(1);
  });

  test.each(['content_filter', 'other'] as const)(
    'gives no answer after finish %s',
    async (finish) => {
      const { run } = setUp({ replies: [reply({ text: 'something', finish })] });
      expect((await run()).result).toMatchObject({ answer: '', exit: 8 });
    },
  );

  test('reports an empty answer as exit 8', async () => {
    const { run } = setUp({ replies: [reply({ text: '  ' })] });
    expect((await run()).result).toMatchObject({ answer: '', exit: 8 });
  });

  test('tells the model at the third equal call and stops at the sixth', async () => {
    const { run, requests, ran } = setUp({ replies: [reply(calls('{}'))] });
    const { result, history } = await run();
    expect(ran.length).toBe(6);
    expect(result.exit).toBe(7);
    const told = requests.map((request) =>
      JSON.stringify(request.messages.at(-1)).includes('several times'),
    );
    expect(told).toEqual([false, false, false, true, true, true]);
    expect(history.at(-1)?.role).toBe('tool');
  });

  test('tells the model at the fourth round of two turns and stops at the sixth', async () => {
    const pair = [reply(calls('{"a":1}')), reply(calls('{"a":2}'))];
    const { run, requests, ran } = setUp({
      replies: Array.from({ length: 10 }, () => pair).flat(),
    });
    const { result, history } = await run();
    const told = requests.filter((request) =>
      JSON.stringify(request.messages.at(-1)).includes('several times in turn'),
    );
    expect([ran.length, told.length, result.exit]).toEqual([12, 4, 7]);
    expect(history.at(-1)?.role).toBe('tool');
    expect(result.error?.message).toContain('the same 2 turns 6 times in a row');
  });

  test('ends at maxTurns when every call differs', async () => {
    let counter = 0;
    const { run, ran, requests } = setUp({
      replies: [reply(calls('{}'))],
      outcomes: () => ok(String(counter++)),
      limits: { maxTurns: 4 },
    });
    const { result, history } = await run();
    // The calls of the last reply would be for nothing: nobody could tell of them.
    expect([requests.length, ran.length]).toEqual([4, 3]);
    expect(history.at(-1)?.role).toBe('tool');
    expect(result).toMatchObject({ exit: 7, turns: 4 });
    expect(result.error?.message).toContain('--max-turns');
  });

  test('counts replies that were cut as turns', async () => {
    const { run, requests } = setUp({
      replies: [reply({ ...calls('{"half'), finish: 'length' })],
      limits: { maxTurns: 2 },
    });
    const { result } = await run();
    expect([requests.length, result.exit]).toEqual([2, 7]);
    expect(result.error?.message).toContain('--max-turns');
  });

  test('ends at maxTokens before another request', async () => {
    const { run, requests } = setUp({ replies: [reply(calls('{}'))], limits: { maxTokens: 20 } });
    expect((await run()).result).toMatchObject({ exit: 7 });
    expect(requests.length).toBe(2);
  });

  test('exits 5 after a denied call, 0 with on-denied continue, 0 after a person said no', async () => {
    const denied = (by: 'rule' | 'nobody' | 'person'): TimedOutcome => ({
      outcome: { kind: 'denied', tool, by, text: 'no', remedy: '--yes s/echo' },
      durationMs: 0,
    });
    const exits = await Promise.all(
      (
        [
          ['nobody', 'fail'],
          ['rule', 'fail'],
          ['nobody', 'continue'],
          ['person', 'fail'],
        ] as const
      ).map(async ([by, onDenied]) => {
        const { run } = setUp({
          replies: [reply(calls('{}')), reply({ text: 'sorry' })],
          outcomes: () => denied(by),
          limits: { onDenied },
        });
        const { result } = await run();
        return [result.exit, result.denied.length];
      }),
    );
    expect(exits).toEqual([
      [5, 1],
      [5, 1],
      [0, 1],
      [0, 1],
    ]);
  });

  test('lists a call of unknown outcome and exits 9', async () => {
    const { run } = setUp({
      replies: [reply(calls('{}')), reply({ text: 'not sure' })],
      outcomes: () => ({
        outcome: { kind: 'unknown', tool, text: '?', error: new ProviderError('x') },
        durationMs: 0,
      }),
    });
    expect((await run()).result).toMatchObject({
      answer: 'not sure',
      exit: 9,
      unknownOutcome: [{ server: 's', tool: 'echo' }],
    });
  });

  test('exits by what became of its calls when the run itself only says that one failed', async () => {
    const unsure: TimedOutcome = {
      outcome: { kind: 'unknown', tool, text: '?', error: new ProviderError('x') },
      durationMs: 0,
    };
    const refused: TimedOutcome = {
      outcome: { kind: 'denied', tool, by: 'rule', text: 'no', remedy: undefined },
      durationMs: 0,
    };
    const exitAfter = async (
      outcome: TimedOutcome,
      error: Error,
      onDenied: 'fail' | 'continue' = 'fail',
    ) => {
      const { run } = setUp({
        replies: [reply(calls('{}')), error],
        outcomes: () => outcome,
        limits: { onDenied },
      });
      return (await run()).result.exit;
    };
    expect([
      await exitAfter(unsure, new FailedError('the call failed')),
      await exitAfter(ok('fine'), new FailedError('the call failed')),
      await exitAfter(unsure, new ProviderError('down')),
      await exitAfter(refused, new PermissionError('denied')),
      await exitAfter(refused, new PermissionError('denied'), 'continue'),
    ]).toEqual([9, 1, 8, 5, 0]);
  });

  test('forgets the prompt when the model failed before anything was done', async () => {
    const { run } = setUp({ replies: [new ProviderError('down')] });
    const before: ModelMessage[] = [{ role: 'user', text: 'earlier' }];
    const { result, history } = await run(before);
    expect(result).toMatchObject({
      answer: '',
      exit: 8,
      error: { code: 'provider', message: 'down' },
    });
    expect(history).toEqual(before);
  });

  test('keeps one result per call when interrupted during calls, and exits 130', async () => {
    const controller = new AbortController();
    const { run } = setUp({
      replies: [reply(calls('{"n":1}', '{"n":2}'))],
      outcomes: (call) => {
        controller.abort(new InterruptedError());
        return call.id === 'c1'
          ? ok('one')
          : {
              outcome: { kind: 'cancelled', tool: undefined, sent: false, text: 'stopped' },
              durationMs: 0,
            };
      },
    });
    const { result, history } = await run([], controller.signal);
    expect(result.exit).toBe(130);
    const last = history.at(-1);
    expect(
      last?.role === 'tool' && last.results.map((entry) => [entry.callId, entry.text]),
    ).toEqual([
      ['c1', 'one'],
      ['c2', 'stopped'],
    ]);
  });

  test('shrinks the oldest results beyond contextTokens and keeps the last', async () => {
    let counter = 0;
    const { run, requests } = setUp({
      replies: [reply(calls('{"n":1}')), reply(calls('{"n":2}')), reply({ text: 'ok' })],
      outcomes: () => ok(`${counter++}`.repeat(8000)),
      contextTokens: 3000,
    });
    await run();
    const sizes = requests[2]?.messages
      .filter((message) => message.role === 'tool')
      .map((message) => message.results[0]?.text.length);
    expect(sizes?.[0]).toBeLessThan(200);
    expect(sizes?.[1]).toBe(8000);
  });
});
