/**
 * What every provider must do, whatever its wire format. A newcomer joins with one line in
 * provider.test.ts: its scripted server is the other side of a real socket.
 */
import { afterEach, describe, expect, test } from 'bun:test';
import { systemClock } from '../../src/base/clock.ts';
import { AppError } from '../../src/base/errors.ts';
import type { ModelConfig } from '../../src/config/types.ts';
import { createModel } from '../../src/model/registry.ts';
import type { ModelMessage, ModelReply, ModelRequest, ModelTool } from '../../src/model/types.ts';
import { type ModelServer, startModelServer } from '../fixtures/models/server.ts';
import type { ModelFormat, Rule, Script, ScriptStep } from '../fixtures/models/types.ts';
import { DEFAULT_RULES } from '../fixtures/models/types.ts';

export interface ProviderUnderTest {
  readonly provider: Exclude<ModelConfig['provider'], 'offline'>;
  readonly format: ModelFormat;
}

const KEY = 'sk-contract-0123456789';
const TOOLS: readonly ModelTool[] = [
  {
    name: 'files_read',
    description: 'Reads a file.',
    inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
  {
    name: 'clock_now',
    description: 'Tells the time.',
    inputSchema: { type: 'object', properties: {} },
  },
];
const ASK: ModelRequest = {
  system: 'Be brief.',
  messages: [{ role: 'user', text: 'hello' }],
  tools: TOOLS,
};

const LIMIT_MS = 3003;
/** The adapter's own pauses after a finish, which keep their time here; waits between tries do not. */
const GRACES_MS = new Set([100, 1000]);

/** What a listener heard, in order. */
type Heard = readonly (readonly [kind: 'text' | 'reset' | 'retry', text: string])[];

/** Runs the suite against one provider. */
export function describeProvider({ provider, format }: ProviderUnderTest): void {
  const servers: ModelServer[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
  });

  async function start(script: Script | readonly ScriptStep[]): Promise<ModelServer> {
    const server = await startModelServer({ format, script });
    servers.push(server);
    return server;
  }

  /** Asks once; waits between tries are skipped unless a test measures them. */
  async function ask(
    server: ModelServer,
    request: ModelRequest = ASK,
    extra: { idleMs?: number; signal?: AbortSignal; baseUrl?: string } = {},
  ): Promise<{ reply: ModelReply | undefined; error: unknown; heard: Heard; waits: number[] }> {
    const waits: number[] = [];
    const idleMs = extra.idleMs ?? LIMIT_MS;
    const clock = {
      ...systemClock,
      after(delayMs: number, action: () => void) {
        const isWait = delayMs !== LIMIT_MS && delayMs !== idleMs && !GRACES_MS.has(delayMs);
        if (isWait) waits.push(delayMs);
        return systemClock.after(isWait ? 0 : delayMs, action);
      },
    };
    const model = await createModel({
      model: {
        provider,
        name: 'fake',
        baseUrl: extra.baseUrl ?? server.baseUrl,
        apiKeyEnv: 'MODEL_KEY',
        timeout: { firstByteMs: LIMIT_MS, idleMs },
      },
      env: { MODEL_KEY: ` ${KEY}\n` },
      clock,
      random: () => 0.5,
      snapshot: () => {
        throw new Error('only the router looks at tools');
      },
    });
    const heard: (readonly ['text' | 'reset' | 'retry', string])[] = [];
    const listener = {
      onText: (delta: string) => heard.push(['text', delta]),
      onReset: (reason: string) => heard.push(['reset', reason]),
      onRetry: (notice: string) => heard.push(['retry', notice]),
    };
    const signal = extra.signal ?? new AbortController().signal;
    try {
      return {
        reply: await model.reply(request, listener, signal),
        error: undefined,
        heard,
        waits,
      };
    } catch (error) {
      return { reply: undefined, error, heard, waits };
    }
  }

  function follow(reply: ModelReply | undefined): ModelRequest {
    if (reply === undefined) throw new Error('no reply to follow');
    const answer: ModelMessage = {
      role: 'assistant',
      text: reply.text,
      toolCalls: reply.toolCalls,
      // As after a round through a journal.
      state: reply.state === undefined ? undefined : JSON.parse(JSON.stringify(reply.state)),
    };
    const results = reply.toolCalls.map((call) => ({
      callId: call.id,
      name: call.name,
      text: `result of ${call.name}`,
      status: 'ok' as const,
    }));
    return { ...ASK, messages: [...ASK.messages, answer, { role: 'tool', results }] };
  }

  describe(provider, () => {
    test('gives a text with its usage, and says deltas as they come', async () => {
      const server = await start({ steps: [{ text: ['Hel', 'lo'] }], key: KEY });
      const { reply, heard } = await ask(server);
      expect(reply).toEqual({
        text: 'Hello',
        toolCalls: [],
        finish: 'stop',
        origin: 'model',
        usage: { inputTokens: 10, outputTokens: 5 },
        state: undefined,
      });
      expect(heard).toEqual([
        ['text', 'Hel'],
        ['text', 'lo'],
      ]);
      const seen = server.requests[0]?.seen;
      expect(seen?.system).toBe('Be brief.');
      expect(seen?.turns).toEqual([{ role: 'user', text: 'hello' }]);
      expect(seen?.tools.map((tool) => tool.name)).toEqual(['files_read', 'clock_now']);
    });

    test('collects parallel calls and replays them with their results', async () => {
      const server = await start([
        {
          text: 'Looking.',
          toolCalls: [
            { name: 'files_read', arguments: '{"path":"/a"}' },
            { name: 'clock_now', arguments: '{}' },
          ],
        },
        { text: 'seen: {{result}}' },
      ]);
      const first = await ask(server);
      expect(first.reply?.finish).toBe('tool_calls');
      expect(
        first.reply?.toolCalls.map(({ name, argumentsText }) => [name, argumentsText]),
      ).toEqual([
        ['files_read', '{"path":"/a"}'],
        ['clock_now', '{}'],
      ]);
      const second = await ask(server, follow(first.reply));
      expect(second.error).toBeUndefined();
      expect(second.reply?.text).toBe('seen: result of files_read\nresult of clock_now');
    });

    test('takes empty, blank, null and missing arguments as {}', async () => {
      const server = await start([
        {
          toolCalls: [
            { name: 'clock_now', arguments: '' },
            { name: 'clock_now', arguments: ' ' },
            { name: 'clock_now', arguments: 'null' },
            { name: 'clock_now' },
            { name: 'clock_now', arguments: '{}' },
          ],
        },
        { text: 'ok' },
      ]);
      const first = await ask(server);
      expect(first.reply?.toolCalls.map((call) => call.argumentsText)).toEqual(Array(5).fill('{}'));
      expect((await ask(server, follow(first.reply))).reply?.text).toBe('ok');
    });

    test('hands reasoning back with tool calls and never as text', async () => {
      const rules: readonly Rule[] = [
        ...DEFAULT_RULES,
        'reasoning-required',
        'reasoning-forbidden',
      ];
      const server = await start({
        rules,
        steps: [
          { reasoning: ['let me ', 'think'], toolCalls: [{ name: 'clock_now', arguments: '{}' }] },
          { reasoning: ['now I know'], text: 'noon' },
          { text: 'again' },
        ],
      });
      const first = await ask(server);
      expect(first.reply?.text).toBe('');
      expect(first.heard).toEqual([]);
      const request = follow(first.reply);
      const second = await ask(server, request);
      expect(second.reply?.text).toBe('noon');
      const third = await ask(server, {
        ...request,
        messages: [
          ...request.messages,
          { role: 'assistant', text: 'noon', toolCalls: [], state: second.reply?.state },
          { role: 'user', text: 'and now?' },
        ],
      });
      expect(third.error).toBeUndefined();
      expect(server.requests.map((request) => request.breach)).toEqual(Array(3).fill(undefined));
    });

    test('says when a limit or a filter ended the reply', async () => {
      const server = await start([
        { text: 'half', finish: 'length' },
        { text: 'no', finish: 'content_filter' },
      ]);
      expect((await ask(server)).reply?.finish).toBe('length');
      expect((await ask(server)).reply?.finish).toBe('content_filter');
    });

    const cuts: readonly (readonly [string, ScriptStep])[] = [
      ['cleanly', { text: ['par', 'tial'], cut: 'fin' }],
      ['by a reset', { text: ['par', 'tial'], cut: 'rst' }],
      [
        'inside tool arguments',
        { toolCalls: [{ name: 'files_read', arguments: '{"path":"/a"}' }], cut: 'fin', frames: 2 },
      ],
      [
        'after a whole tool call',
        { toolCalls: [{ name: 'files_read', arguments: '{"path":"/a"}' }], cut: 'fin' },
      ],
      ['before anything', { text: 'x', cut: 'fin', frames: 0 }],
      ['after its first frame', { text: 'x', cut: 'fin', frames: 1 }],
    ];
    for (const [how, step] of cuts) {
      test(`asks again when the stream is cut ${how}, and fails after four tries`, async () => {
        const server = await start({ steps: [step], after: 'repeat' });
        const { reply, error, heard } = await ask(server);
        expect(reply).toBeUndefined();
        expect(error).toMatchObject({ code: 'provider', exit: 8 });
        expect(server.requests).toHaveLength(4);
        expect(heard.filter(([kind]) => kind === 'retry')).toHaveLength(3);
        expectResets(heard);
      });
    }

    test('gives only the whole reply after a cut one', async () => {
      const server = await start([{ text: ['one', 'two'], cut: 'fin' }, { text: 'whole' }]);
      const { reply, heard } = await ask(server);
      expect(reply?.text).toBe('whole');
      expect(heard.map(([kind]) => kind)).toEqual(['text', 'text', 'reset', 'retry', 'text']);
    });

    test('names the idle clock when a reply stalls, after one more try', async () => {
      const server = await start({ steps: [{ text: ['a', 'b'], stall: true }], after: 'repeat' });
      const { error } = await ask(server, ASK, { idleMs: 60 });
      expect(error).toMatchObject({ code: 'provider', details: { limit: 'model.timeout.idle' } });
      expect(server.requests).toHaveLength(2);
    });

    test('is whole without a terminal event once the finish was given', async () => {
      if (format === 'responses') return;
      const server = await start([{ text: 'fine', end: 'missing' }]);
      expect((await ask(server)).reply?.text).toBe('fine');
    });

    test('ends at the terminal event although the socket stays open', async () => {
      const server = await start([{ text: 'fine', end: 'keep-open' }]);
      // Nothing waits for a limit: the only one left is far away.
      expect((await ask(server, ASK, { idleMs: 3_600_000 })).reply?.text).toBe('fine');
    });

    for (const lineEnd of ['\n', '\r\n', '\r'] as const) {
      test(`reads ${JSON.stringify(lineEnd)} line ends, a split byte order mark and slices of 7 bytes`, async () => {
        const server = await start([
          { text: ['héllo ', '😀'], lineEnd, bom: 'split', sliceBytes: 7 },
        ]);
        expect((await ask(server)).reply?.text).toBe('héllo 😀');
      });
    }

    test('reads an answer of 300 KB', async () => {
      const server = await start([{ text: 'x'.repeat(1000), repeat: 300 }]);
      expect((await ask(server)).reply?.text).toBe('x'.repeat(300_000));
    });

    for (const status of [408, 429, 500, 502, 503, 504, 529]) {
      test(`asks again after ${status}`, async () => {
        const server = await start([{ status, message: 'busy' }, { text: 'ok' }]);
        const { reply, heard } = await ask(server);
        expect(reply?.text).toBe('ok');
        expect(heard[0]?.[1]).toContain(`${status}`);
      });
    }

    for (const status of [400, 401, 403, 404, 422]) {
      test(`does not ask again after ${status}, and quotes the provider`, async () => {
        const server = await start({
          steps: [{ status, message: 'because of this' }],
          after: 'repeat',
        });
        const { error } = await ask(server);
        expect(server.requests).toHaveLength(1);
        expect(error).toMatchObject({ code: 'provider', details: { status } });
        expect(messageOf(error)).toStartWith(`model fake at ${server.baseUrl}: ${status} `);
        expect(messageOf(error)).toEndWith(': because of this');
      });
    }

    test('never shows the key, and names its variable', async () => {
      const server = await start([{ status: 401, message: `Incorrect key ${KEY}` }]);
      const { error } = await ask(server);
      expect(error).toMatchObject({ hint: 'set MODEL_KEY to a valid key' });
      expect(messageOf(error)).toEndWith('Incorrect key ***');
    });

    test('waits as long as Retry-After says, in seconds or as a date', async () => {
      const server = await start([
        { status: 429, headers: { 'retry-after': '2' } },
        { status: 503, retryAfterDateSeconds: 30 },
        { text: 'ok' },
      ]);
      const { reply, waits } = await ask(server);
      expect(reply?.text).toBe('ok');
      expect(waits[0]).toBeGreaterThanOrEqual(2000);
      expect(waits[1]).toBeGreaterThanOrEqual(28_000);
      expect(waits[1]).toBeLessThan(32_000);
    });

    test('gives up at once when asked to wait more than a minute', async () => {
      const server = await start([
        { status: 429, headers: { 'retry-after': '86400' }, message: 'come back tomorrow' },
      ]);
      const { error, waits } = await ask(server);
      expect(waits).toEqual([]);
      expect(messageOf(error)).toContain('come back tomorrow (it asks to wait 86400 s');
    });

    test('does not ask again when a monthly limit is used up', async () => {
      const server = await start([{ status: 429, message: 'monthly limit reached' }]);
      expect(messageOf((await ask(server)).error)).toEndWith('monthly limit reached');
      expect(server.requests).toHaveLength(1);
    });

    test('asks again after an overload inside a stream', async () => {
      const type = format === 'google' ? 'UNAVAILABLE' : 'overloaded_error';
      const server = await start([
        { text: 'begun', errorEvent: { type, message: 'overloaded' } },
        { text: 'ok' },
      ]);
      const { reply, heard } = await ask(server);
      expect(reply?.text).toBe('ok');
      expect(heard.map(([kind]) => kind)).toEqual(['text', 'reset', 'retry', 'text']);
    });

    test('does not ask again after a refusal inside a stream', async () => {
      const type = format === 'google' ? 'INVALID_ARGUMENT' : 'invalid_request_error';
      const code = format === 'google' ? 400 : 'invalid_request_error';
      const server = await start([{ errorEvent: { type, code, message: 'bad request' } }]);
      const { error } = await ask(server);
      expect(messageOf(error)).toContain('bad request');
      expect(server.requests).toHaveLength(1);
    });

    test('quotes a page that comes in place of a stream', async () => {
      const body =
        '<html><style>p{}</style><script>var a;</script><body><h1>Sign in</h1>Your name</body></html>';
      const server = await start([{ body, contentType: 'text/html' }]);
      const { error } = await ask(server);
      expect(error).toMatchObject({ code: 'provider', details: { status: 200 } });
      expect(messageOf(error)).toEndWith('200 with text/html instead of an event stream: Sign in');
      expect(server.requests).toHaveLength(1);
    });

    test('follows no redirect to another origin', async () => {
      const other = await start([{ text: 'never' }]);
      const server = await start([
        { status: 307, headers: { location: `${other.baseUrl}/elsewhere` } },
      ]);
      const { error } = await ask(server);
      expect(messageOf(error)).toContain('307 redirects to');
      expect(other.requests).toHaveLength(0);
    });

    test('says that nothing listens, after its tries', async () => {
      const server = await start([]);
      await server.close();
      const { error, waits } = await ask(server);
      expect(waits).toHaveLength(3);
      expect(error).toMatchObject({ code: 'provider', exit: 8 });
      expect(messageOf(error)).toContain('connection refused');
    });

    test('ends with the reason of the signal, also while it waits for the first byte', async () => {
      const server = await start([{ silent: true }]);
      const controller = new AbortController();
      const reason = new Error('stopped');
      const asked = ask(server, ASK, { signal: controller.signal });
      while (server.requests.length === 0) await Bun.sleep(1);
      controller.abort(reason);
      expect((await asked).error).toBe(reason);
    });

    test('sends odd history in a form the provider takes', async () => {
      const server = await start([{ text: 'ok' }]);
      const { error } = await ask(server, {
        ...ASK,
        messages: [
          { role: 'user', text: 'a\ud83d \0' },
          {
            role: 'assistant',
            text: '',
            toolCalls: [{ id: 'call:1', name: 'no such tool!', argumentsText: '{"broken' }],
            state: undefined,
          },
          {
            role: 'tool',
            results: [{ callId: 'call:1', name: 'no such tool!', text: '', status: 'error' }],
          },
        ],
      });
      expect(error).toBeUndefined();
      expect(server.requests[0]?.seen.turns).toMatchObject([
        { role: 'user', text: 'a\ufffd \ufffd' },
        { role: 'assistant', calls: [{ name: 'no_such_tool_', arguments: '{}' }] },
        { role: 'tool', results: [{ text: expect.stringContaining('(empty)') }] },
      ]);
    });

    test('works through every strict rule with awkward schemas', async () => {
      const server = await start({
        steps: [{ text: 'ok' }],
        rules: format === 'google' ? [...DEFAULT_RULES, 'keywords'] : DEFAULT_RULES,
      });
      const { error } = await ask(server, { ...ASK, tools: AWKWARD });
      expect(error).toBeUndefined();
    });
  });
}

const AWKWARD: readonly ModelTool[] = [
  {},
  { type: 'object' },
  { type: 'object', additionalProperties: {} },
  {
    properties: { properties: { type: 'string' }, required: { type: 'boolean' } },
    required: ['required'],
  },
  {
    type: 'object',
    properties: { a: {}, b: {} },
    anyOf: [{ required: ['a'] }, { required: ['b'] }],
  },
  {
    oneOf: [
      { type: 'object', properties: { a: { type: 'string' } } },
      { type: 'object', properties: { b: { type: 'int' } } },
    ],
  },
  {
    type: 'object',
    properties: { a: { $ref: '#/$defs/n', description: 'd' } },
    $defs: { n: { type: 'object', properties: { next: { $ref: '#/$defs/n' } } } },
  },
  {
    type: 'object',
    properties: {
      a: { type: ['string', 'null'], format: 'uri' },
      b: { const: 5 },
      c: { enum: [1, 2] },
    },
  },
  {
    type: 'object',
    properties: {
      a: { type: 'array' },
      b: { type: 'array', items: [{ type: 'string' }, { type: 'number' }] },
    },
  },
  {
    type: 'object',
    properties: {
      a: { type: 'string', pattern: '(?<=a)b' },
      b: { type: 'object', propertyNames: { pattern: 'x' } },
    },
  },
  {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { a: { $ref: 'https://example.com/s.json' }, b: true, c: false },
    required: ['c', 'zz'],
  },
].map((inputSchema, index) => ({
  name: `tool_${index}`,
  description: 'x'.repeat(2000),
  inputSchema,
}));

/** Text of a try is taken back before the next one; a reset may also have swallowed it on the way. */
function expectResets(heard: Heard): void {
  const kinds = heard.map(([kind]) => kind).join(' ');
  const tries = kinds.split('retry');
  expect(tries).toHaveLength(4);
  for (const before of tries.slice(0, 3)) expect(before.trim()).toMatch(/^(?:(?:text )+reset)?$/);
}

function messageOf(error: unknown): string {
  if (!(error instanceof AppError)) throw new Error(`not an AppError: ${String(error)}`);
  return error.message;
}
