/** The JSON-RPC core over a transport that is only a list. */
import { describe, expect, test } from 'bun:test';
import { ConnectError } from '../../src/base/errors.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { Peer, type RequestHandler } from '../../src/mcp/peer.ts';
import type { Transport } from '../../src/transport/types.ts';
import { failureOf, never } from './rig.ts';

function rig(requests: Readonly<Record<string, RequestHandler>> = {}) {
  const sent: JsonObject[] = [];
  const told: string[] = [];
  const notices: unknown[] = [];
  const transport: Transport = {
    kind: 'stdio',
    sessionId: undefined,
    lastHeardMs: undefined,
    open: () => undefined,
    send: async (message) => void sent.push(message),
    acceptVersion: () => undefined,
    listen: () => undefined,
    forgetSession: () => undefined,
    diagnostics: () => '',
    close: async () => undefined,
  };
  const peer = new Peer({
    name: 's1',
    transport,
    log: (_level, message) => told.push(message),
    requests: new Map(Object.entries(requests)),
    onNotification: (method, params) => notices.push([method, params]),
  });
  return { peer, sent, told, notices };
}

describe('peer', () => {
  test('numbers its requests and takes each answer once', async () => {
    const { peer, sent, told } = rig();
    const first = peer.request('a', { x: 1 }, { signal: never });
    const second = peer.request('b', {}, { signal: never });
    peer.receive({ jsonrpc: '2.0', id: 2, result: 'two', error: null });
    peer.receive({ jsonrpc: '2.0', id: '1', result: null });
    peer.receive({ jsonrpc: '2.0', id: 2, result: 'again' });
    peer.receive({ jsonrpc: '2.0', id: 99, result: 'unknown' });
    peer.receive({ jsonrpc: '2.0', id: null, error: { code: -32_601, message: 'no' } });
    peer.receive({ jsonrpc: '2.0', result: {} });
    expect([await first, await second]).toEqual([{}, 'two']);
    expect(sent).toEqual([
      { jsonrpc: '2.0', id: 1, method: 'a', params: { x: 1, _meta: { progressToken: 1 } } },
      { jsonrpc: '2.0', id: 2, method: 'b', params: { _meta: { progressToken: 2 } } },
    ]);
    expect(told).toEqual([
      's1: ignored an answer to no request of ours, id 2',
      's1: ignored an answer to no request of ours, id 99',
      's1: ignored an answer to no request of ours, id null',
      's1: ignored an answer to no request of ours, id undefined',
    ]);
  });

  test.each([
    [{ code: -32_000, message: 'broken' }, 'broken (-32000)'],
    [{ code: -32_602, message: 'bad', data: { field: 'x' } }, 'bad {"field":"x"} (-32602)'],
    [{ code: -32_603 }, 'no reason given (-32603)'],
    [{ message: 'no code' }, 'no code'],
    ['just text', 'just text'],
    [17, '17'],
  ])('says what the server said: %j', async (error, text) => {
    const { peer } = rig();
    const failing = failureOf(peer.request('a', {}, { signal: never }));
    peer.receive({ jsonrpc: '2.0', id: 1, result: null, error });
    expect((await failing).message).toBe(`server "s1" answered a with an error: ${text}`);
  });

  test('gives progress to its request alone, lenient about what is missing', async () => {
    const { peer } = rig();
    const seen: unknown[] = [];
    let signs = 0;
    const answer = peer.request(
      'a',
      {},
      {
        signal: never,
        onProgress: (progress) => seen.push(progress),
        onActivity: () => {
          signs += 1;
        },
      },
    );
    const progress = (params: JsonObject) =>
      peer.receive({ jsonrpc: '2.0', method: 'notifications/progress', params });
    progress({ progressToken: 1, progress: 1, total: 4, message: 'm' });
    progress({ progressToken: '1', progress: 2 });
    progress({ progressToken: 1 });
    progress({ progressToken: 2, progress: 9 });
    progress({ progress: 9 });
    peer.receive({ jsonrpc: '2.0', id: 1, result: {} });
    progress({ progressToken: 1, progress: 9 });
    await answer;
    expect([seen, signs]).toEqual([
      [
        { progress: 1, total: 4, message: 'm' },
        { progress: 2, total: undefined, message: undefined },
      ],
      3,
    ]);
  });

  test('answers requests with the id as it came, and survives a failing handler', async () => {
    const { peer, sent } = rig({
      ping: () => ({}),
      bad: () => {
        throw new Error('mishap');
      },
    });
    peer.receive({ jsonrpc: '2.0', id: 'p-1', method: 'ping' });
    peer.receive({ jsonrpc: '2.0', id: 0, method: 'ping', params: null });
    peer.receive({ jsonrpc: '2.0', id: 7, method: 'bad' });
    peer.receive({ jsonrpc: '2.0', id: 8, method: 'nope' });
    await Bun.sleep(0);
    expect([...sent].sort((a, b) => (String(a['id']) < String(b['id']) ? -1 : 1))).toEqual([
      { jsonrpc: '2.0', id: 0, result: {} },
      { jsonrpc: '2.0', id: 7, error: { code: -32_603, message: 'mishap' } },
      { jsonrpc: '2.0', id: 8, error: { code: -32_601, message: 'Method not found: nope' } },
      { jsonrpc: '2.0', id: 'p-1', result: {} },
    ]);
  });

  test('tells of other notifications, with id null as well', () => {
    const { peer, notices } = rig();
    peer.receive({ jsonrpc: '2.0', method: 'notifications/x', params: { a: 1 } });
    peer.receive({ jsonrpc: '2.0', id: null, method: 'notifications/y' });
    expect(notices).toEqual([
      ['notifications/x', { a: 1 }],
      ['notifications/y', {}],
    ]);
  });

  test('cancels with the reason, but never the handshake', async () => {
    const { peer, sent } = rig();
    const control = new AbortController();
    const failing = [
      failureOf(peer.request('initialize', {}, { signal: control.signal })),
      failureOf(peer.request('tools/call', {}, { signal: control.signal })),
    ];
    const reason = new Error('enough');
    control.abort(reason);
    expect(await Promise.all(failing)).toEqual([reason, reason]);
    expect(sent.slice(2)).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId: 2, reason: 'enough' },
      },
    ]);
    expect(await failureOf(peer.request('late', {}, { signal: control.signal }))).toBe(reason);
    expect(sent).toHaveLength(3);
  });

  test('fails everything that waits when the way is gone', async () => {
    const { peer } = rig();
    const failing = [1, 2].map(() => failureOf(peer.request('a', {}, { signal: never })));
    const gone = new ConnectError('gone');
    peer.failAll(gone);
    expect(await Promise.all(failing)).toEqual([gone, gone]);
  });
});
