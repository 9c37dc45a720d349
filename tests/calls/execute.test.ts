import { describe, expect, test } from 'bun:test';
import type { CallRule } from '../../src/base/call-rules.ts';
import { systemClock } from '../../src/base/clock.ts';
import {
  ConnectError,
  InternalError,
  LimitError,
  ProtocolError,
  UnknownOutcomeError,
} from '../../src/base/errors.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { executeBatch } from '../../src/calls/batch.ts';
import { createExecutor } from '../../src/calls/execute.ts';
import { createGrants } from '../../src/calls/grants.ts';
import type { Hooks } from '../../src/calls/hooks.ts';
import type { CallEvent, CallOutcome, ToolCall } from '../../src/calls/types.ts';
import { createQuestionQueue } from '../../src/permission/ask.ts';
import type { PermissionPolicy, ServerPolicy } from '../../src/permission/policy.ts';
import type { Answer, Question } from '../../src/permission/types.ts';
import type { ExposureRules } from '../../src/tools/filter.ts';
import { createRegistry } from '../../src/tools/registry.ts';
import type { SourceCall, ToolDefinition, ToolResult } from '../../src/tools/types.ts';
import { definition, sourceOf, textResult } from '../tools/samples.ts';

const never = new AbortController().signal;
const TOOLS = [
  definition('read', {
    inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  }),
  definition('noargs'),
];

interface Bench {
  readonly tools?: readonly ToolDefinition[];
  readonly server?: Partial<ServerPolicy>;
  readonly mode?: 'ask' | 'auto';
  readonly rules?: Partial<ExposureRules>;
  readonly answer?: (call: SourceCall) => Promise<ToolResult>;
  /** `undefined`: nobody is there. */
  readonly person?: (question: Question, signal: AbortSignal) => Promise<Answer>;
  readonly callRules?: readonly CallRule[];
  readonly hooks?: Hooks;
}

function bench({
  tools = TOOLS,
  server = {},
  mode = 'auto',
  rules = {},
  answer,
  person,
  callRules = [],
  hooks,
}: Bench = {}) {
  const source = sourceOf('fs', answer);
  const registry = createRegistry({ naming: 'server_tool', order: ['fs'] });
  registry.setSource('fs', source, tools, {
    tools: undefined,
    exposure: 'direct',
    binary: 'drop',
    ...rules,
  });
  const policy: PermissionPolicy = {
    servers: new Map([
      ['fs', { mode: undefined, tools: {}, trustsAnnotations: false, isBuiltin: false, ...server }],
    ]),
    mode,
    flag: undefined,
    yes: [],
    rules: callRules,
  };
  const events: CallEvent[] = [];
  const executor = createExecutor({
    policy,
    grants: createGrants(systemClock),
    hooks,
    askUser: person === undefined ? undefined : createQuestionQueue({ ask: person }),
    render: { artifacts: 'off', stateDir: undefined, saveFile: () => undefined },
    clock: systemClock,
    onEvent: (event) => events.push(event),
  });
  const snapshot = registry.snapshot();
  return {
    source,
    events,
    executor,
    snapshot,
    registry,
    run: (asked: ToolCall, signal = never) => executor.execute(asked, snapshot, signal),
  };
}

function call(name: string, args: JsonObject = {}, more: Partial<ToolCall> = {}): ToolCall {
  return { id: 'c1', name, arguments: args, invalidArguments: undefined, origin: 'model', ...more };
}

/** Kind and text, which is what the model and the record see. */
function brief(outcome: CallOutcome): readonly [string, string] {
  return [outcome.kind, outcome.kind === 'result' ? outcome.rendered.text : outcome.text];
}

describe('one road to a tool', () => {
  test('a call is permitted, sent once under its original name, rendered and recorded', async () => {
    const { run, source, events } = bench();
    expect(brief(await run(call('fs_read', { path: 'a' })))).toEqual(['result', 'called read']);
    expect(source.calls.map(({ tool, arguments: given }) => ({ tool, given }))).toEqual([
      { tool: 'read', given: { path: 'a' } },
    ]);
    const about = { id: 'c1', server: 'fs', tool: 'read' };
    expect(events.slice(0, 2)).toEqual([
      {
        type: 'call_permission',
        ...about,
        decision: { effect: 'allow', why: 'mcp.permissions: auto' },
        answer: undefined,
      },
      { type: 'call_sent', ...about, arguments: { path: 'a' } },
    ]);
    expect(events.map(({ type }) => type)).toEqual(['call_permission', 'call_sent', 'call_done']);
  });

  test('MM-13: the same call twice is sent twice', async () => {
    const { run, source } = bench();
    await run(call('fs_read', { path: 'a' }));
    await run(call('fs_read', { path: 'a' }));
    expect(source.calls).toHaveLength(2);
  });

  test('unknown, ambiguous and vanished names go back with what helps', async () => {
    const { run, registry, executor, source } = bench();
    registry.setSource('fs2', sourceOf('fs2'), TOOLS, {
      tools: undefined,
      exposure: 'direct',
      binary: 'drop',
    });
    const both = registry.snapshot();
    registry.setSource('fs', source, [], { tools: undefined, exposure: 'direct', binary: 'drop' });
    expect([
      brief(await run(call('fs_raed'))),
      brief(await run(call('something_else_entirely'))),
      brief(await executor.execute(call('read'), both, never)),
      brief(await executor.execute(call('fs_read'), registry.snapshot(), never)),
    ]).toEqual([
      ['invalid', 'There is no tool "fs_raed". Did you mean fs_read?'],
      ['invalid', 'There is no tool "something_else_entirely".'],
      ['invalid', '"read" fits several tools: fs/read, fs2/read. Name one.'],
      ['invalid', 'fs/read is no longer offered by its server.'],
    ]);
  });

  test('arguments that do not fit go back and are not sent, a person sends what is given', async () => {
    const { run, source } = bench();
    expect(brief(await run(call('fs_read', { path: 5 })))).toEqual([
      'invalid',
      'The arguments do not fit the schema of fs_read; nothing was sent:\n- arguments.path: expected string, got number',
    ]);
    expect(source.calls).toEqual([]);
    expect(brief(await run(call('fs/read', { path: 5 }, { origin: 'user' })))[0]).toBe('result');
  });

  test('AGENT-01: empty, blank and null arguments are an empty object, other text is an error', async () => {
    const { run, source } = bench();
    for (const invalidArguments of ['', ' \n', 'null'])
      await run(call('fs_noargs', {}, { invalidArguments }));
    expect(source.calls.map(({ arguments: given }) => given)).toEqual([{}, {}, {}]);
    expect(brief(await run(call('fs_noargs', {}, { invalidArguments: '{"a":' })))).toEqual([
      'invalid',
      'The arguments of fs_noargs must be one JSON object, got "{\\"a\\":".',
    ]);
    expect(source.calls).toHaveLength(3);
  });
});

describe('JSON nested without end', () => {
  const deep = JSON.parse(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`);

  test('is refused as arguments and hides a tool that declares it', async () => {
    const nested = definition('nested', {
      inputSchema: { type: 'object', properties: { a: deep } },
    });
    const { run, source, snapshot } = bench({ tools: [...TOOLS, nested] });
    for (const origin of ['model', 'user'] as const) {
      expect(brief(await run(call('fs/noargs', deep, { origin })))).toEqual([
        'invalid',
        'The arguments of fs_noargs nest deeper than 512 levels.',
      ]);
    }
    expect(snapshot.hidden.map(({ hidden }) => hidden)).toEqual([
      { kind: 'malformed', problem: 'nested deeper than 512 levels' },
    ]);
    expect(source.calls).toEqual([]);
  });
});

describe('hidden tools', () => {
  const binary = definition('up', {
    inputSchema: { type: 'object', properties: { f: { format: 'binary' } } },
  });

  test('a model and the router cannot reach them, nor learn that they are there', async () => {
    const { run, source } = bench({
      tools: [...TOOLS, binary],
      rules: { tools: ['up', 'noargs'] },
    });
    for (const origin of ['model', 'router'] as const) {
      expect(brief(await run(call('fs/up', {}, { origin })))).toEqual([
        'invalid',
        'There is no tool "fs/up".',
      ]);
      expect(brief(await run(call('fs/read', {}, { origin })))).toEqual([
        'invalid',
        'There is no tool "fs/read".',
      ]);
    }
    expect(source.calls).toEqual([]);
  });

  test('a person may call a binary or undeclared one, but not what tools: leaves out', async () => {
    const user = { origin: 'user' } as const;
    const listed = bench({ tools: [...TOOLS, binary], rules: { tools: ['up', '!rea?'] } });
    const undeclared = bench({ rules: { exposure: 'hidden' } });
    expect([
      brief(await listed.run(call('fs/up', {}, user))),
      brief(await listed.run(call('fs/noargs', {}, user))),
      brief(await listed.run(call('fs/read', {}, user))),
      brief(await undeclared.run(call('fs/noargs', {}, user))),
    ]).toEqual([
      ['result', 'called up'],
      [
        'invalid',
        'fs/noargs is not exposed by your config (tools:). Add "noargs" to tools: of server fs.',
      ],
      [
        'invalid',
        'fs/read is not exposed by your config (tools:). Take "!rea?" out of tools: of server fs.',
      ],
      ['result', 'called noargs'],
    ]);
  });
});

describe('permission on the road', () => {
  test('MM-22 PERM-01: ask with nobody there is denied at once, with the flag that would allow it', async () => {
    const { run, source } = bench({ mode: 'ask' });
    const outcome = await run(call('fs_noargs'));
    expect(outcome).toMatchObject({
      kind: 'denied',
      by: 'nobody',
      text: 'fs/noargs was not called: it needs approval and nobody is there to ask.',
      remedy: '--yes fs/noargs',
    });
    expect(source.calls).toEqual([]);
  });

  test('a deny rule holds against the user as well', async () => {
    const { run, source } = bench({ server: { tools: { '*': 'deny' } } });
    expect(await run(call('fs/noargs', {}, { origin: 'user' }))).toMatchObject({
      kind: 'denied',
      by: 'rule',
      remedy: 'take the rule out of the config: toolPermissions: {"*": deny} of server fs',
    });
    expect(source.calls).toEqual([]);
  });

  test('MM-21: each answer does what it says', async () => {
    const answers: Answer[] = [
      { kind: 'yes' },
      { kind: 'no' },
      { kind: 'deny', reason: 'wrong file' },
      { kind: 'nobody', reason: 'nobody answered in 10 minutes' },
      { kind: 'session' },
    ];
    const questions: string[] = [];
    const { run, source, events } = bench({
      mode: 'ask',
      person: async (question) => {
        questions.push(question.lines[0] ?? '');
        return answers.shift() ?? { kind: 'no' };
      },
    });
    const outcomes: (readonly [string, string])[] = [];
    for (let index = 0; index < 6; index += 1) outcomes.push(brief(await run(call('fs_noargs'))));
    expect(outcomes).toEqual([
      ['result', 'called noargs'],
      ['denied', 'fs/noargs was not called: the user declined it.'],
      ['denied', 'fs/noargs was not called: the user declined it and says: wrong file'],
      ['denied', 'fs/noargs was not called: it needs approval and nobody answered in 10 minutes.'],
      ['result', 'called noargs'],
      ['result', 'called noargs'],
    ]);
    expect(questions).toEqual(Array.from({ length: 5 }, () => 'Allow fs/noargs ?'));
    expect(source.calls).toHaveLength(3);
    const given = events.flatMap((event) =>
      event.type === 'call_permission' ? [event.answer] : [],
    );
    expect(given).toEqual(['yes', 'no', 'deny', 'nobody', 'session', undefined]);
  });

  test('a session grant does not cover a tool that changed since', async () => {
    let asked = 0;
    const { run, registry, executor, source } = bench({
      mode: 'ask',
      person: async () => {
        asked += 1;
        return { kind: 'session' };
      },
    });
    await run(call('fs_noargs'));
    await run(call('fs_noargs'));
    registry.setSource('fs', source, [definition('noargs', { description: 'now it deletes' })], {
      tools: undefined,
      exposure: 'direct',
      binary: 'drop',
    });
    await executor.execute(call('fs_noargs'), registry.snapshot(), never);
    expect(asked).toBe(2);
  });

  test('an abort while a person is asked ends the call unsent', async () => {
    const controller = new AbortController();
    const { run, source } = bench({
      mode: 'ask',
      person: (_, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
          controller.abort(new Error('ctrl-c'));
        }),
    });
    expect(brief(await run(call('fs_noargs'), controller.signal))).toEqual([
      'cancelled',
      'The call was cancelled before it was sent.',
    ]);
    expect(source.calls).toEqual([]);
  });
});

describe('how a call ends', () => {
  const failing = (error: unknown) => bench({ answer: () => Promise.reject(error) });

  test('MM-23: failures of the server are outcomes with its words, cleaned', async () => {
    const ends = [
      new ProtocolError('\u001b[31mInvalid params\u202e: path'),
      new ConnectError('fs: connection refused', { hint: 'start it' }),
      new LimitError('fs: idle limit of 60s before it was sent'),
      new ProtocolError('cut for people…', { details: { wholeMessage: 'w'.repeat(5000) } }),
      new UnknownOutcomeError('fs: idle limit of 60s'),
    ];
    const outcomes: (readonly [string, string])[] = [];
    for (const error of ends) outcomes.push(brief(await failing(error).run(call('fs_noargs'))));
    expect(outcomes).toEqual([
      ['failed', 'fs/noargs failed: Invalid params: path'],
      ['failed', 'fs/noargs failed: fs: connection refused\nstart it'],
      ['failed', 'fs/noargs failed: fs: idle limit of 60s before it was sent'],
      ['failed', `fs/noargs failed: ${'w'.repeat(4000)}`],
      [
        'unknown',
        'fs/noargs: the call was sent but not answered; do not repeat it: it may have happened. (fs: idle limit of 60s)',
      ],
    ]);
  });

  test('no failure makes it send the call again', async () => {
    for (const error of [
      new UnknownOutcomeError('x'),
      new ConnectError('x', { retryable: true }),
    ]) {
      const { run, source } = failing(error);
      await run(call('fs_noargs'));
      expect(source.calls).toHaveLength(1);
    }
  });

  test('isError is a result, not a failure', async () => {
    const { run } = bench({ answer: async () => textResult('no such file', true) });
    expect(await run(call('fs_noargs'))).toMatchObject({
      kind: 'result',
      rendered: { text: 'no such file', isError: true },
    });
  });

  test('an abort in flight is cancelled, unless the call is known to be unanswered', async () => {
    for (const [error, kind] of [
      [new Error('ctrl-c'), 'cancelled'],
      [new UnknownOutcomeError('gone'), 'unknown'],
    ] as const) {
      const controller = new AbortController();
      const { run } = bench({
        answer: async () => {
          controller.abort(new Error('ctrl-c'));
          throw error;
        },
      });
      expect((await run(call('fs_noargs'), controller.signal)).kind).toBe(kind);
    }
  });

  test('a fault of ours is an InternalError', async () => {
    const error = await failing(new TypeError('oops'))
      .run(call('fs_noargs'))
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InternalError);
  });

  test('progress is cleaned, and nothing of it comes after the end', async () => {
    let late: (() => void) | undefined;
    const { run, events } = bench({
      answer: async ({ onProgress }) => {
        onProgress({ progress: 1, total: 2, message: 'half\u001b[2J\nway' });
        late = () => onProgress({ progress: 2, total: 2, message: undefined });
        return textResult('done');
      },
    });
    await run(call('fs_noargs'));
    late?.();
    expect(events.filter(({ type }) => type === 'call_progress')).toEqual([
      {
        type: 'call_progress',
        id: 'c1',
        server: 'fs',
        tool: 'noargs',
        progress: { progress: 1, total: 2, message: 'half way' },
      },
    ]);
    expect(events.at(-1)?.type).toBe('call_done');
  });
});

describe('a batch', () => {
  const calls = (...names: string[]) =>
    names.map((name, index) => call(name, {}, { id: `c${index}` }));

  test('asks in order, runs the allowed ones together, answers in call order', async () => {
    const tools = ['a', 'b', 'c', 'd'].map((name) => definition(name));
    const asked: string[] = [];
    const gates = new Map<string, () => void>();
    const { executor, snapshot, source } = bench({
      tools,
      mode: 'ask',
      person: async ({ tool }) => {
        asked.push(tool);
        return tool === 'b' ? { kind: 'no' } : { kind: 'yes' };
      },
      answer: ({ tool }) =>
        new Promise((resolve) => {
          gates.set(tool, () => resolve(textResult(tool)));
          // Only when all three wait at once can any of them end, the last one first.
          if (gates.size === 3) for (const name of ['d', 'c', 'a']) gates.get(name)?.();
        }),
    });
    const outcomes = await executeBatch(
      executor,
      calls('fs_a', 'fs_b', 'fs_c', 'fs_d'),
      snapshot,
      never,
    );
    expect(outcomes.map(({ outcome }) => brief(outcome))).toEqual([
      ['result', 'a'],
      ['denied', 'fs/b was not called: the user declined it.'],
      ['result', 'c'],
      ['result', 'd'],
    ]);
    expect(asked).toEqual(['a', 'b', 'c', 'd']);
    expect(source.calls).toHaveLength(3);
  });

  test('at most 32 run at once', async () => {
    let running = 0;
    let most = 0;
    const { executor, snapshot } = bench({
      answer: async () => {
        running += 1;
        most = Math.max(most, running);
        await Bun.sleep(0);
        running -= 1;
        return textResult('x');
      },
    });
    const names = Array.from({ length: 100 }, () => 'fs_noargs');
    const outcomes = await executeBatch(executor, calls(...names), snapshot, never);
    expect(outcomes.filter(({ outcome }) => outcome.kind === 'result')).toHaveLength(100);
    expect(most).toBe(32);
  });

  test('an abort cancels what was not sent; every call has an outcome', async () => {
    const controller = new AbortController();
    const { executor, snapshot, source, events } = bench({
      mode: 'ask',
      person: async () => {
        controller.abort(new Error('ctrl-c'));
        return { kind: 'yes' };
      },
    });
    const outcomes = await executeBatch(
      executor,
      calls('fs_noargs', 'fs_noargs', 'nope'),
      snapshot,
      controller.signal,
    );
    expect(outcomes.map(({ outcome }) => outcome.kind)).toEqual([
      'cancelled',
      'cancelled',
      'invalid',
    ]);
    expect(source.calls).toEqual([]);
    expect(events.filter(({ type }) => type === 'call_done')).toHaveLength(3);
  });

  test('a fault of ours is reported only after the others have ended', async () => {
    const { executor, snapshot, events } = bench({
      tools: [definition('bad'), definition('good')],
      answer: async ({ tool }) => {
        if (tool === 'bad') throw new TypeError('oops');
        await Bun.sleep(0);
        return textResult('fine');
      },
    });
    const error = await executeBatch(executor, calls('fs_bad', 'fs_good'), snapshot, never).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(InternalError);
    expect(events.filter(({ type }) => type === 'call_done')).toHaveLength(1);
  });

  test('hooks speak before the question, and a result hook before anyone else sees the result', async () => {
    const heard: unknown[] = [];
    const hooks: Hooks = {
      beforeCall: async (about) => {
        heard.push(about);
        return [{ effect: 'ask', why: 'hook c.yaml:1 gate: look', reason: 'look' }];
      },
      afterCall: async (_, result) => ({
        result: { ...result, content: [{ type: 'text', text: 'clean' }] },
        changes: [{ hook: 'c.yaml:2 filter', before: 'b', after: 'a', reason: undefined }],
      }),
    };
    const questions: Question[] = [];
    const { run, events } = bench({
      hooks,
      person: async (question) => {
        questions.push(question);
        return { kind: 'session' };
      },
    });
    const outcome = await run(call('fs_read', { path: 'a' }, { parentToolCallId: 'script-1' }));
    expect(brief(outcome)).toEqual(['result', 'clean']);
    expect(heard).toEqual([
      {
        server: 'fs',
        tool: 'read',
        publicName: 'fs_read',
        arguments: { path: 'a' },
        annotations: {},
        trusted: false,
        session: null,
        surface: 'run',
        parentToolCallId: 'script-1',
      },
    ]);
    expect(questions.map(({ canLast, lines }) => [canLast, lines.at(-1)])).toEqual([
      [false, '  asked because of hook c.yaml:1 gate: look'],
    ]);
    const about = { id: 'c1', server: 'fs', tool: 'read' };
    expect(events.slice(0, 3)).toEqual([
      {
        type: 'call_permission',
        ...about,
        decision: { effect: 'ask', why: 'hook c.yaml:1 gate: look' },
        // A hook looks at each call: nothing lasts.
        answer: 'yes',
      },
      { type: 'call_sent', ...about, arguments: { path: 'a' } },
      {
        type: 'call_changed',
        ...about,
        hook: 'c.yaml:2 filter',
        before: 'b',
        after: 'a',
        reason: undefined,
      },
    ]);
  });

  test('a hook that denies is told to the model with its reason, and nothing is sent', async () => {
    const hooks: Hooks = {
      beforeCall: async () => [{ effect: 'deny', why: 'hook c.yaml:1 gate: no', reason: 'no' }],
      afterCall: async (_, result) => ({ result, changes: [] }),
    };
    const { run, source } = bench({ hooks });
    expect(await run(call('fs_read', { path: 'a' }))).toMatchObject({
      kind: 'denied',
      by: 'rule',
      text: 'fs/read was not called: a hook of the user denies it and says: no',
      remedy: 'another decision of your hook c.yaml:1 gate: no',
    });
    expect(source.calls).toEqual([]);
  });

  test('what a rule denies is not even shown to hooks', async () => {
    const hooks: Hooks = {
      beforeCall: () => Promise.reject(new Error('asked')),
      afterCall: () => Promise.reject(new Error('asked')),
    };
    const deny: CallRule = { effect: 'deny', tools: ['fs/*'], when: [], place: 'c.yaml:1' };
    const { run, events } = bench({ hooks, callRules: [deny] });
    expect((await run(call('fs_read', { path: 'a' }, { origin: 'user' }))).kind).toBe('denied');
    expect(events[0]).toMatchObject({ decision: { effect: 'deny', why: 'c.yaml:1 deny "fs/*"' } });
  });
});
