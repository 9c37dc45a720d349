import { describe, expect, test } from 'bun:test';
import type { JsonValue } from '../../../src/base/json.ts';
import { RpcError } from '../../../src/mcp/errors.ts';
import type { ElicitationAnswer } from '../../../src/mcp/handlers/elicitation.ts';
import { askingForUrls } from '../../../src/mcp/handlers/url-required.ts';
import { StatusBoard } from '../../../src/mcp/states.ts';
import type { Connection } from '../../../src/mcp/types.ts';
import type { ToolResult } from '../../../src/tools/types.ts';
import { never, stdioEndpoint, testConfig } from '../rig.ts';

const done: ToolResult = { content: [], structuredContent: 'done', isError: false, raw: {} };
const entry = (url: string, elicitationId = 'e1') => ({
  mode: 'url',
  message: 'Sign in',
  url,
  elicitationId,
});
const required = (...elicitations: readonly JsonValue[]) =>
  new RpcError('forge', 'tools/call', {
    code: -32042,
    message: 'sign in first',
    data: { elicitations },
  });

const config = testConfig(stdioEndpoint('sh', []), { name: 'forge' });
const board = new StatusBoard(config);
const idle: Connection = {
  name: 'forge',
  kind: 'stdio',
  identity: 'forge',
  config,
  status: () => board.current,
  connect: async () => board.update({ state: 'ready' }),
  tryAgain: async () => board.update({ state: 'ready' }),
  onChange: (listener) => board.listen(listener),
  refresh: async () => board.notice(['refreshed']),
  call: () => Promise.reject(new Error('not called here')),
  request: () => Promise.reject(new Error('not called here')),
  close: async () => board.update({ state: 'closed' }),
};

/** A server that fails with these errors in turn, then answers. */
function rig(
  errors: readonly unknown[],
  answers: readonly ElicitationAnswer['action'][] = [],
  how: 'call' | 'request' = 'call',
) {
  const left = [...errors];
  const log: string[] = [];
  const send = async () => {
    log.push('call');
    if (left.length > 0) throw left.shift();
    return done;
  };
  const source = askingForUrls(
    { ...idle, call: send, request: async () => (await send()).raw },
    {
      async answer(request) {
        log.push(`ask ${request.mode === 'url' ? request.url.href : 'form'}`);
        const asked = log.filter((line) => line.startsWith('ask')).length;
        const action = answers[asked - 1] ?? 'accept';
        return action === 'accept' ? { action, content: {} } : { action };
      },
      async settled({ id }) {
        log.push(`settled ${id}`);
        return id !== 'gives-up';
      },
    },
  );
  const { signal } = new AbortController();
  const call = { tool: 't', arguments: {}, signal, onProgress: () => undefined };
  const work =
    how === 'call' ? source.call(call) : source.request('resources/read', {}, { signal });
  return { log, outcome: work.catch((error: unknown) => error) };
}

describe('a call answered with -32042', () => {
  test('asks for each address, waits for each, then is made again', async () => {
    const { log, outcome } = rig([
      required(entry('https://a.example/1'), entry('https://a.example/2', 'e2')),
    ]);
    expect(await outcome).toBe(done);
    expect(log).toEqual([
      'call',
      'ask https://a.example/1',
      'settled e1',
      'ask https://a.example/2',
      'settled e2',
      'call',
    ]);
  });

  test('is made at most three times more', async () => {
    const error = required(entry('https://a.example/'));
    const { log, outcome } = rig([error, error, error, error, error]);
    expect(await outcome).toBe(error);
    expect(log.filter((line) => line === 'call')).toHaveLength(4);
  });

  test.each(['decline', 'cancel'] as const)('fails as it did after %s', async (action) => {
    const error = required(entry('https://a.example/1'), entry('https://a.example/2'));
    const { log, outcome } = rig([error], [action]);
    expect(await outcome).toBe(error);
    expect(log).toEqual(['call', 'ask https://a.example/1']);
  });

  test('fails as it did when the person does not wait any longer', async () => {
    const error = required(entry('https://a.example/', 'gives-up'));
    const { log, outcome } = rig([error]);
    expect(await outcome).toBe(error);
    expect(log).toEqual(['call', 'ask https://a.example/', 'settled gives-up']);
  });

  test.each([
    ['an address that must not be opened', [entry('https://a.example/'), entry('file:///etc')]],
    ['no address', []],
    ['nonsense', ['x', null]],
  ])('with %s asks nothing', async (_name, elicitations) => {
    const error = required(...elicitations);
    const { log, outcome } = rig([error]);
    expect(await outcome).toBe(error);
    expect(log).toEqual(['call']);
  });
});

test('another error is left alone', async () => {
  const error = new RpcError('forge', 'tools/call', {
    code: -32000,
    message: 'no',
    data: { elicitations: [entry('https://a.example/')] },
  });
  const { log, outcome } = rig([error]);
  expect(await outcome).toBe(error);
  expect(log).toEqual(['call']);
});

test('a read is sent again as a call is', async () => {
  const { log, outcome } = rig([required(entry('https://a.example/1'))], [], 'request');
  expect(await outcome).toEqual({});
  expect(log).toEqual(['call', 'ask https://a.example/1', 'settled e1', 'call']);
});

test('all else is the connection as it is', async () => {
  const { answer, settled } = {
    answer: () => Promise.reject(new Error('nobody is asked')),
    settled: () => Promise.resolve(true),
  };
  const wrapped = askingForUrls(idle, { answer, settled });
  const changes: string[] = [];
  const stop = wrapped.onChange(() => changes.push(wrapped.status().state));
  await wrapped.connect(never);
  await wrapped.refresh(never);
  await wrapped.close();
  stop();
  const { name, kind, identity } = wrapped;
  expect([name, kind, identity, wrapped.config, changes]).toEqual([
    'forge',
    'stdio',
    'forge',
    config,
    ['ready', 'ready', 'closed'],
  ]);
});
