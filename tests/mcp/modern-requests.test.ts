/** Requests to a 2026-07-28 server: rounds of input, tasks, headers, refusals and the ends of exchanges. */
import { describe, expect, test } from 'bun:test';
import { UnknownOutcomeError } from '../../src/base/errors.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { RpcError } from '../../src/mcp/errors.ts';
import type { AnswerServer } from '../../src/mcp/ports.ts';
import { eventOf, openStream, type RpcServer, rpcResult } from '../transport/rpc-server.ts';
import { createManualClock } from './manual-clock.ts';
import { complete, metaOf, paramsOf, refuse, serveModern, VERSION } from './modern-server.ts';
import { callTool, failureOf, httpEndpoint, hurriedClock, never, open, until } from './rig.ts';

const accept: AnswerServer = async (_server, params) => ({
  action: 'accept',
  content: { said: params['message'] ?? null },
});
const asking = {
  serverRequests: new Map([['elicitation/create', accept]]),
  clientCapabilities: { roots: {}, elicitation: { form: {} } },
};
const auto = { protocol: 'auto' } as const;
const question = (message: string) => ({ method: 'elicitation/create', params: { message } });
const isCall = (message: JsonObject) => message['method'] === 'tools/call';
const calls = (server: RpcServer) => server.messages.filter(isCall);
const text = (said: string) => ({ content: [{ type: 'text', text: said }] });

/** A connected client of a server whose tools/call is answered by `own`. */
async function meet(
  own: Parameters<typeof serveModern>[0],
  ports: Parameters<typeof open>[1] = asking,
  config = {},
) {
  const server = serveModern(own);
  const connection = open(httpEndpoint(server.url), ports, { ...auto, ...config });
  await connection.connect(never);
  return {
    server,
    connection,
    async [Symbol.asyncDispose]() {
      await connection.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

describe('input_required', () => {
  test('is answered under the same keys, with the state as it came and a new id', async () => {
    const state = ' ü/+=\\u0000"\n ';
    await using met = await meet((message) => {
      if (!isCall(message)) return undefined;
      const { inputResponses } = paramsOf(message);
      return inputResponses === undefined
        ? complete(message, {
            resultType: 'input_required',
            inputRequests: { b: question('B?'), a: question('A?'), r: { method: 'roots/list' } },
            requestState: state,
          })
        : complete(message, text('done'));
    });
    const result = await callTool(met.connection, 'echo', { x: 1 });
    const [first, second] = calls(met.server);
    expect(result.content).toEqual(text('done').content);
    expect(paramsOf(second ?? {})).toEqual({
      name: 'echo',
      arguments: { x: 1 },
      inputResponses: {
        b: { action: 'accept', content: { said: 'B?' } },
        a: { action: 'accept', content: { said: 'A?' } },
        r: { roots: [{ uri: 'file:///tmp', name: 'tmp' }] },
      },
      requestState: state,
      _meta: { ...metaOf(first ?? {}), progressToken: second?.['id'] },
    });
    expect(first?.['id']).not.toBe(second?.['id']);
  });

  test('without questions is sent again at once, without what was not given', async () => {
    let rounds = 0;
    await using met = await meet((message) => {
      if (!isCall(message)) return undefined;
      rounds += 1;
      return rounds === 1
        ? complete(message, { resultType: 'input_required' })
        : complete(message, text('done'));
    });
    await callTool(met.connection, 'echo');
    const [, second] = calls(met.server);
    expect(Object.keys(paramsOf(second ?? {}))).toEqual(['name', 'arguments', '_meta']);
  });

  test('ends after ten rounds', async () => {
    await using met = await meet((message) =>
      isCall(message)
        ? complete(message, { resultType: 'input_required', requestState: 'again' })
        : undefined,
    );
    const error = await failureOf(callTool(met.connection, 'echo'));
    expect([error.message, calls(met.server).length]).toEqual([
      'server "s1" asks for more input after 10 rounds of tools/call',
      11,
    ]);
  });

  test('with more questions than a person can look at fails the call', async () => {
    const many = Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`k${n}`, question('?')]));
    await using met = await meet((message) =>
      isCall(message)
        ? complete(message, { resultType: 'input_required', inputRequests: many })
        : undefined,
    );
    expect((await failureOf(callTool(met.connection, 'echo'))).message).toBe(
      'server "s1" asks 17 questions at once',
    );
  });

  test('for what is not offered fails the call by name', async () => {
    await using met = await meet((message) =>
      isCall(message)
        ? complete(message, {
            resultType: 'input_required',
            inputRequests: { s: { method: 'sampling/createMessage', params: {} } },
          })
        : undefined,
    );
    expect((await failureOf(callTool(met.connection, 'echo'))).message).toBe(
      'server "s1" asks for sampling/createMessage, which is not offered here',
    );
  });

  test('holds the clock of silence while a person answers', async () => {
    const clock = createManualClock();
    const answering = Promise.withResolvers<void>();
    let isAsked = false;
    const slowly: AnswerServer = async () => {
      isAsked = true;
      await answering.promise;
      return { action: 'cancel' };
    };
    const timeout = { connectMs: 0, idleMs: 1000, maxMs: 0, tools: {} };
    await using met = await meet(
      (message) => {
        if (!isCall(message)) return undefined;
        return paramsOf(message)['inputResponses'] === undefined
          ? complete(message, {
              resultType: 'input_required',
              inputRequests: { a: question('?') },
            })
          : complete(message, text('done'));
      },
      { clock, serverRequests: new Map([['elicitation/create', slowly]]) },
      { timeout },
    );
    const calling = callTool(met.connection, 'echo');
    await until(() => isAsked);
    await clock.advance(60_000);
    answering.resolve();
    expect((await calling).content).toEqual(text('done').content);
  });
});

describe('a task', () => {
  /** Answers tasks/get with `states` one after the other. */
  function taskServer(states: readonly JsonObject[]) {
    let polls = 0;
    return (message: JsonObject) => {
      const { taskId } = paramsOf(message);
      switch (message['method']) {
        case 'tools/call':
          return complete(message, {
            resultType: 'task',
            taskId: 'ü1',
            status: 'working',
            pollIntervalMs: 5000,
            statusMessage: 'queued',
          });
        case 'tasks/get': {
          const state = states[Math.min(polls, states.length - 1)];
          polls += 1;
          return complete(message, { taskId: taskId ?? null, pollIntervalMs: 1, ...state });
        }
        case 'tasks/update':
        case 'tasks/cancel':
          return complete(message, {});
        default:
          return undefined;
      }
    };
  }
  const fast = { ...asking, clock: hurriedClock };
  const tasks = (server: RpcServer) =>
    server.methods().filter((method) => method.startsWith('tasks/'));

  test('is followed to its result, its messages are progress', async () => {
    await using met = await meet(
      taskServer([
        { status: 'working', statusMessage: 'half' },
        { status: 'working', statusMessage: 'half' },
        { status: 'completed', result: text('made') },
      ]),
      fast,
    );
    const seen: unknown[] = [];
    const result = await callTool(
      met.connection,
      'echo',
      {},
      { onProgress: ({ message }) => seen.push(message) },
    );
    expect([result.content, seen, tasks(met.server)]).toEqual([
      text('made').content,
      ['queued', 'half', undefined],
      ['tasks/get', 'tasks/get', 'tasks/get'],
    ]);
    expect(met.server.requests.at(-1)?.headers.get('mcp-name')).toBe('=?base64?w7wx?=');
  });

  test('gets its input once per question', async () => {
    const inputRequests = { q: question('Go?') };
    await using met = await meet(
      taskServer([
        { status: 'input_required', inputRequests },
        { status: 'input_required', inputRequests },
        { status: 'completed', result: text('made') },
      ]),
      fast,
    );
    await callTool(met.connection, 'echo');
    const updates = met.server.messages.filter(({ method }) => method === 'tasks/update');
    expect(updates.map((message) => paramsOf(message)['inputResponses'])).toEqual([
      { q: { action: 'accept', content: { said: 'Go?' } } },
    ]);
  });

  test('that failed is the error of the server, executed or not', async () => {
    await using met = await meet(
      taskServer([{ status: 'failed', error: { code: -32_050, message: 'no disk' } }]),
      fast,
    );
    const error = await failureOf(callTool(met.connection, 'echo'));
    expect([error instanceof RpcError, error.message]).toEqual([
      true,
      'server "s1" answered tools/call with an error: no disk (-32050)',
    ]);
  });

  test.each([
    [{ status: 'cancelled' }, 'the task was cancelled on the server'],
    [{ status: 'cancelled', statusMessage: 'by admin' }, 'cancelled on the server: by admin'],
  ])('that the server cancelled has an unknown outcome: %j', async (state, said) => {
    await using met = await meet(taskServer([state]), fast);
    const error = await failureOf(callTool(met.connection, 'echo'));
    expect([error instanceof UnknownOutcomeError, error.message.includes(said)]).toEqual([
      true,
      true,
    ]);
  });

  test('is cancelled on the server when we give it up', async () => {
    const control = new AbortController();
    await using met = await meet(taskServer([{ status: 'working' }]), fast);
    const failing = failureOf(callTool(met.connection, 'echo', {}, { signal: control.signal }));
    await until(() => tasks(met.server).length > 0);
    control.abort(new Error('Ctrl-C'));
    expect((await failing).message).toBe('Ctrl-C');
    await until(() => tasks(met.server).includes('tasks/cancel'));
  });
});

describe('headers', () => {
  const tools = [
    {
      name: 'q',
      inputSchema: { properties: { r: { type: 'string', 'x-mcp-header': 'Region' } } },
    },
    { name: 'bad', inputSchema: { properties: { n: { type: 'number', 'x-mcp-header': 'N' } } } },
  ];
  const listing = (message: JsonObject) =>
    message['method'] === 'tools/list' ? complete(message, { tools }) : undefined;

  test('repeat name and marked arguments; a tool that marks them wrongly is left out', async () => {
    await using met = await meet(listing);
    await callTool(met.connection, 'q', { r: 'süd' });
    const { headers } = met.server.requests.at(-1) ?? new Request('http://x');
    expect([
      headers.get('mcp-method'),
      headers.get('mcp-name'),
      headers.get('mcp-param-region'),
      met.connection.status().dropped,
    ]).toEqual([
      'tools/call',
      'q',
      '=?base64?c8O8ZA==?=',
      [
        {
          name: 'bad',
          problem: 'x-mcp-header of n stands on type "number", not string, integer or boolean',
        },
      ],
    ]);
  });

  test('that the server finds missing are made from a new list, once', async () => {
    let lists = 0;
    await using met = await meet((message, request) => {
      if (message['method'] === 'tools/list') {
        lists += 1;
        return complete(message, { tools: lists === 1 ? [{ name: 'q', inputSchema: {} }] : tools });
      }
      if (!isCall(message)) return undefined;
      return request.headers.has('mcp-param-region')
        ? complete(message, text('done'))
        : refuse(message, -32_020);
    });
    expect((await callTool(met.connection, 'q', { r: 'x' })).content).toEqual(text('done').content);
    expect(met.server.methods()).toEqual([
      'server/discover',
      'tools/list',
      'tools/call',
      'tools/list',
      'tools/call',
    ]);
  });

  test('that stay wrong are the error of the call', async () => {
    await using met = await meet((message) =>
      isCall(message) ? refuse(message, -32_020) : undefined,
    );
    const error = await failureOf(callTool(met.connection, 'echo'));
    expect([error instanceof RpcError, calls(met.server).length]).toEqual([true, 2]);
  });
});

describe('a refusal', () => {
  test('of the version with the same one in its list is sent once more', async () => {
    let refusals = 1;
    await using met = await meet((message) => {
      if (!isCall(message) || refusals === 0) return undefined;
      refusals -= 1;
      return refuse(message, -32_022, { supported: [VERSION] });
    });
    await callTool(met.connection, 'echo');
    expect(calls(met.server)).toHaveLength(2);
  });

  test('for a missing capability names it and is not sent again', async () => {
    await using met = await meet((message) =>
      isCall(message)
        ? refuse(message, -32_021, { requiredCapabilities: { sampling: {} } })
        : undefined,
    );
    const error = await failureOf(callTool(met.connection, 'echo'));
    expect([
      error.message,
      error instanceof RpcError && error.hint,
      calls(met.server).length,
    ]).toEqual([
      'server "s1" answered tools/call with an error: refused -32021 (HTTP 400) {"requiredCapabilities":{"sampling":{}}} (-32021)',
      'set sampling: ask in its entry',
      1,
    ]);
  });

  test('of an unknown method with 404 ends nothing', async () => {
    await using met = await meet(() => undefined);
    const error = await failureOf(met.connection.request('prompts/list', {}, { signal: never }));
    expect([error instanceof RpcError, met.connection.status().state]).toEqual([true, 'ready']);
    expect(met.server.methods().at(-1)).toBe('prompts/list');
  });
});

describe('a result', () => {
  test.each([
    [{ content: [], structuredContent: [1, 2] }],
    [{ content: [], structuredContent: 'text' }],
    [{ content: [], structuredContent: 0 }],
  ])('without resultType is final, whatever its structured content: %j', async (result) => {
    await using met = await meet((message) =>
      isCall(message) ? Response.json(rpcResult(message, result)) : undefined,
    );
    const { structuredContent } = await callTool(met.connection, 'echo');
    expect([structuredContent, calls(met.server).length]).toEqual([result.structuredContent, 1]);
  });

  test('of a list is kept as long as the server says and until it says otherwise', async () => {
    const clock = createManualClock();
    let tell: (message: JsonObject) => void = () => undefined;
    await using server = serveModern(
      (message) => {
        if (message['method'] === 'subscriptions/listen') {
          return openStream((write) => {
            tell = (notification) => write(eventOf(notification));
            write(': open\n\n');
          });
        }
        return message['method'] === 'prompts/list'
          ? complete(message, { prompts: [], ttlMs: 1000 })
          : undefined;
      },
      { prompts: { listChanged: true } },
    );
    const heard: string[] = [];
    await using connection = open(
      httpEndpoint(server.url),
      { clock, onNotification: (_server, method) => heard.push(method) },
      { ...auto, timeout: { connectMs: 0, idleMs: 0, maxMs: 0, tools: {} } },
    );
    await connection.connect(never);
    const list = (params: JsonObject = {}) =>
      connection.request('prompts/list', params, { signal: never });
    const asked = () => server.methods().filter((method) => method === 'prompts/list').length;
    await list();
    await list();
    expect(asked()).toBe(1);
    await list({ cursor: 'x' });
    expect(asked()).toBe(2);
    await clock.advance(1000);
    await list();
    expect(asked()).toBe(3);
    await connection.refresh(never);
    await until(() => server.methods().includes('subscriptions/listen'));
    tell({ jsonrpc: '2.0', method: 'notifications/prompts/list_changed' });
    await until(() => heard.length === 1);
    await list();
    expect([asked(), heard]).toEqual([4, ['notifications/prompts/list_changed']]);
  });
});

describe('the end of an exchange', () => {
  test('closes the stream of an abandoned call and says nothing else', async () => {
    let isClosed = false;
    const control = new AbortController();
    await using met = await meet((message, request) => {
      if (!isCall(message)) return undefined;
      request.signal.addEventListener('abort', () => {
        isClosed = true;
      });
      return openStream((write) => write(': alive\n\n'));
    });
    const failing = failureOf(callTool(met.connection, 'echo', {}, { signal: control.signal }));
    await until(() => calls(met.server).length === 1);
    control.abort(new Error('Ctrl-C'));
    expect((await failing).message).toBe('Ctrl-C');
    await until(() => isClosed);
    expect(met.server.methods()).toEqual(['server/discover', 'tools/list', 'tools/call']);
  });

  test('without an answer is an unknown outcome at once: no GET, no second call', async () => {
    await using met = await meet((message) =>
      isCall(message)
        ? openStream((write, end) => {
            write(eventOf({ jsonrpc: '2.0', method: 'notifications/message', params: {} }, 'e1'));
            end();
          })
        : undefined,
    );
    const error = await failureOf(callTool(met.connection, 'echo'));
    expect(error).toBeInstanceOf(UnknownOutcomeError);
    expect([met.server.methods(), met.server.requests.map(({ method }) => method)]).toEqual([
      ['server/discover', 'tools/list', 'tools/call'],
      ['POST', 'POST', 'POST'],
    ]);
  });

  test('of a connection sends nothing', async () => {
    await using met = await meet(() => undefined);
    await met.connection.close();
    expect(met.server.requests.map(({ method }) => method)).toEqual(['POST', 'POST']);
  });
});
