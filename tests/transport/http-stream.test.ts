/** Answers over event streams: cuts, resumes, late answers, what the server says in between. */
import { describe, expect, test } from 'bun:test';
import type { Clock } from '../../src/base/clock.ts';
import type { Fetch } from '../../src/base/http.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { createManualClock } from '../mcp/manual-clock.ts';
import {
  callTool,
  failureOf,
  httpEndpoint,
  hurriedClock,
  never,
  open,
  realFetch,
  until,
} from '../mcp/rig.ts';
import { eventOf, openStream, rpcResult, serveRpc } from './rpc-server.ts';

const result = (text: string) => ({ content: [{ type: 'text', text }] });
const textOf = (answer: { readonly content: readonly JsonObject[] }) => answer.content[0]?.['text'];

function isCall(message: JsonObject): boolean {
  return message['method'] === 'tools/call';
}

async function connected(url: string, clock = hurriedClock) {
  const connection = open(
    httpEndpoint(url),
    { clock },
    { timeout: { connectMs: 0, idleMs: 0, maxMs: 0, tools: {} } },
  );
  await connection.connect(never);
  return connection;
}

describe('an answer stream', () => {
  test('is read past comments, other event types, bad data and retries', async () => {
    await using server = serveRpc((message) =>
      isCall(message)
        ? openStream((write, end) => {
            write(': keepalive\n\n');
            write('event: ping\ndata: {}\n\n');
            write('event: heartbeat\ndata: not json\n\n');
            write('event: message\ndata: not json\n\nretry: 10\n\ndata\n\n');
            write(`event: other\n${eventOf(rpcResult(message, result('wrong')))}`);
            write(eventOf(rpcResult(message, result('right'))));
            end();
          })
        : undefined,
    );
    await using connection = await connected(server.url);
    expect(textOf(await callTool(connection, 'echo'))).toBe('right');
  });

  test('counts comments as life', async () => {
    const clock = createManualClock();
    let chunks = 0;
    const fetch: Fetch = async (url, init) => {
      const response = await realFetch(url, init);
      const counted = response.body?.pipeThrough(
        new TransformStream({
          transform(chunk, controller) {
            chunks += 1;
            controller.enqueue(chunk);
          },
        }),
      );
      return new Response(counted ?? null, response);
    };
    let write: (text: string) => void = () => undefined;
    await using server = serveRpc((message) =>
      isCall(message)
        ? openStream((put, end) => {
            write = (text) => {
              put(text);
              if (text.startsWith('data')) end();
            };
            put(': begun\n\n');
          })
        : undefined,
    );
    await using connection = open(
      httpEndpoint(server.url),
      { clock, fetch },
      { timeout: { connectMs: 0, idleMs: 1000, maxMs: 0, tools: {} } },
    );
    await connection.connect(never);
    const calling = callTool(connection, 'echo');
    await until(() => server.methods().includes('tools/call'));
    for (let beat = 0; beat < 5; beat += 1) {
      // Each comment starts the idle time again; without it the second step would end the call.
      const before = chunks;
      write(': alive\n\n');
      await until(() => chunks > before);
      await clock.advance(700);
    }
    write(eventOf({ jsonrpc: '2.0', id: 3, result: result('late') }));
    expect(textOf(await calling)).toBe('late');
    void clock.advance(10_000);
  });

  test('may end without its last blank line', async () => {
    await using server = serveRpc((message) =>
      isCall(message)
        ? openStream((write, end) => {
            write(`data: ${JSON.stringify(rpcResult(message, result('whole')))}`);
            end();
          })
        : undefined,
    );
    await using connection = await connected(server.url);
    expect(textOf(await callTool(connection, 'echo'))).toBe('whole');
  });

  test('that breaks off in its last event has not answered', async () => {
    await using server = serveRpc((message) =>
      isCall(message)
        ? openStream((write, end) => {
            write(`data: ${JSON.stringify(rpcResult(message, result('half'))).slice(0, -5)}`);
            end();
          })
        : undefined,
    );
    await using connection = await connected(server.url);
    const error = await failureOf(callTool(connection, 'echo'));
    expect(error.message).toBe(
      'server "s1" closed the stream without answering tools/call; whether s1/echo ran is not known',
    );
  });

  test('that stays open after the answer does not hold the call', async () => {
    await using server = serveRpc((message) =>
      isCall(message)
        ? openStream((write) => write(eventOf(rpcResult(message, result('done')))))
        : undefined,
    );
    await using connection = await connected(server.url);
    expect(textOf(await callTool(connection, 'echo'))).toBe('done');
  });

  test('takes batches, and answers whose id became text', async () => {
    await using server = serveRpc((message) =>
      isCall(message)
        ? Response.json([
            { jsonrpc: '2.0', method: 'notifications/message', params: {} },
            { jsonrpc: '2.0', id: String(message['id']), result: result('batched') },
          ])
        : undefined,
    );
    await using connection = await connected(server.url);
    expect(textOf(await callTool(connection, 'echo'))).toBe('batched');
  });
});

describe('a stream that is cut', () => {
  /** POST gives an id and ends; the GETs after it are answered in turn, the last one for ever. */
  function cutServer(first: string, gets: readonly ((id: number) => Response)[]) {
    let callId = 0;
    let count = 0;
    return serveRpc(
      (message) => {
        if (!isCall(message)) return undefined;
        callId = Number(message['id']);
        return openStream((write, end) => {
          write(first);
          end();
        });
      },
      (request) => {
        if (!request.headers.has('last-event-id')) return new Response('no', { status: 405 });
        const reply = gets[Math.min(count, gets.length - 1)];
        count += 1;
        return reply?.(callId) ?? new Response('no', { status: 405 });
      },
    );
  }
  const empty = () => openStream((_write, end) => end());
  const answerWith = (text: string) => (id: number) =>
    openStream((write, end) => {
      write(eventOf({ jsonrpc: '2.0', id, result: result(text) }, 'e9'));
      end();
    });

  test('is resumed after its last event id until the answer comes', async () => {
    const primed = () =>
      openStream((write, end) => {
        write('id: e2\ndata:\n\n');
        end();
      });
    await using server = cutServer('id: e1\nretry: 20\ndata:\n\n', [
      primed,
      empty,
      answerWith('resumed'),
    ]);
    await using connection = await connected(server.url);
    expect(textOf(await callTool(connection, 'echo'))).toBe('resumed');
    expect(
      server.requests.map((request) => request.headers.get('last-event-id')).filter(Boolean),
    ).toEqual(['e1', 'e2', 'e2']);
  });

  test('is given up after five resumes that brought nothing', async () => {
    await using server = cutServer('id: e1\nretry: 0\ndata:\n\n', [empty]);
    await using connection = await connected(server.url);
    const error = await failureOf(callTool(connection, 'echo'));
    expect(error.message).toBe(
      'server "s1" closed the stream without answering tools/call; whether s1/echo ran is not known',
    );
    expect(server.requests.filter((request) => request.headers.has('last-event-id'))).toHaveLength(
      5,
    );
  });

  test('fails at once when the server has no stream to resume', async () => {
    await using server = cutServer('id: e1\nretry: 0\ndata:\n\n', [
      () => new Response('no', { status: 405 }),
    ]);
    await using connection = await connected(server.url);
    await failureOf(callTool(connection, 'echo'));
    expect(server.requests.filter((request) => request.headers.has('last-event-id'))).toHaveLength(
      1,
    );
  });

  test.each([
    [0, 100],
    [1_000_000_000, 30_000],
    [4000, 4000],
  ])('waits between 100 ms and 30 s when asked for %d', async (asked, expected) => {
    const waits: number[] = [];
    const clock = {
      ...hurriedClock,
      after: (delayMs: number, action: () => void) => {
        waits.push(delayMs);
        return hurriedClock.after(Math.min(delayMs, 100), action);
      },
    };
    await using server = cutServer(`id: e1\nretry: ${asked}\ndata:\n\n`, [answerWith('x')]);
    await using connection = await connected(server.url, clock);
    waits.length = 0;
    await callTool(connection, 'echo');
    expect(waits).toContain(expected);
  });
});

describe('the GET stream', () => {
  test('brings an answer that its POST did not', async () => {
    let put: ((text: string) => void) | undefined;
    await using server = serveRpc(
      (message) => {
        if (!isCall(message)) return undefined;
        const late = eventOf(rpcResult(message, result('late')));
        setTimeout(() => put?.(late), 30);
        return openStream((_write, end) => end());
      },
      () =>
        openStream((write) => {
          write(': open\n\n');
          put = write;
        }),
    );
    await using connection = await connected(server.url, {
      ...hurriedClock,
      after: (delayMs, action) => hurriedClock.after(delayMs * 10, action),
    });
    expect(textOf(await callTool(connection, 'echo'))).toBe('late');
  });

  test('that closes at once is opened six times, then left alone', async () => {
    await using server = serveRpc(
      () => undefined,
      () =>
        openStream((write, end) => {
          write('retry: 0\n\n');
          end();
        }),
    );
    let waiting = 0;
    const clock: Clock = {
      ...hurriedClock,
      after(delayMs, action) {
        waiting += 1;
        let isWaiting = true;
        const done = () => {
          if (isWaiting) waiting -= 1;
          isWaiting = false;
        };
        const timer = hurriedClock.after(delayMs, () => {
          done();
          action();
        });
        return {
          cancel: () => {
            done();
            timer.cancel();
          },
        };
      },
    };
    await using connection = await connected(server.url, clock);
    await callTool(connection, 'echo');
    await until(() => server.requests.filter((one) => one.method === 'GET').length === 6);
    await until(() => waiting === 0);
    expect(server.requests.filter((one) => one.method === 'GET')).toHaveLength(6);
    expect(textOf(await callTool(connection, 'echo'))).toBe('done');
  });
});

describe('requests of the server', () => {
  const asked = [
    [
      { jsonrpc: '2.0', id: 'p-1', method: 'ping' },
      { jsonrpc: '2.0', id: 'p-1', result: {} },
    ],
    [
      { jsonrpc: '2.0', id: 7, method: 'roots/list' },
      {
        jsonrpc: '2.0',
        id: 7,
        result: { roots: [{ uri: 'file:///tmp', name: 'tmp' }] },
      },
    ],
    [
      { jsonrpc: '2.0', id: 8, method: 'sampling/createMessage', params: {} },
      {
        jsonrpc: '2.0',
        id: 8,
        error: { code: -32_601, message: 'Method not found: sampling/createMessage' },
      },
    ],
  ] as const;
  test.each(asked)('are answered in the middle of a call: %j', async (request, expected) => {
    let finish: () => void = () => undefined;
    await using server = serveRpc((message) => {
      if (message['method'] === undefined) finish();
      return isCall(message)
        ? openStream((write, end) => {
            write(eventOf(request));
            finish = () => {
              write(eventOf(rpcResult(message, result('after'))));
              end();
            };
          })
        : undefined;
    });
    await using connection = await connected(server.url);
    expect(textOf(await callTool(connection, 'echo'))).toBe('after');
    expect(server.messages.filter((message) => message['method'] === undefined)).toEqual([
      expected,
    ]);
  });

  test('are answered on the GET stream, before any call', async () => {
    await using server = serveRpc(
      () => undefined,
      () => openStream((write) => write(eventOf({ jsonrpc: '2.0', id: 'g-1', method: 'ping' }))),
    );
    await using _connection = await connected(server.url);
    await until(() => server.messages.some((message) => message['id'] === 'g-1'));
    expect(server.messages.at(-1)).toEqual({ jsonrpc: '2.0', id: 'g-1', result: {} });
  });
});

test('a connection that is closed leaves no timer, whatever stream is open', async () => {
  const clock = createManualClock();
  await using server = serveRpc(
    (message) =>
      isCall(message)
        ? openStream((write) => write(eventOf(rpcResult(message, result('done')), 'e1')))
        : undefined,
    () => openStream((write) => write(': open\n\n')),
  );
  const connection = open(httpEndpoint(server.url), { clock });
  await connection.connect(never);
  expect(textOf(await callTool(connection, 'echo'))).toBe('done');
  await connection.close();
  await until(() => clock.waiting === 0);
});
