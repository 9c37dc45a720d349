/** The standing request for changes: what is asked, how it comes back, and when it is given up. */
import { describe, expect, test } from 'bun:test';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/json.ts';
import { RpcError } from '../../src/mcp/errors.ts';
import { changesOf, Subscription } from '../../src/mcp/subscription.ts';
import { rpcResult, serveRpc } from '../transport/rpc-server.ts';
import { createManualClock } from './manual-clock.ts';
import { httpEndpoint, never, open, until } from './rig.ts';

const filter = { toolsListChanged: true };

function rig() {
  const clock = createManualClock();
  const asked: { params: JsonObject; signal: AbortSignal; settle: Settle }[] = [];
  let gaps = 0;
  const subscription = new Subscription({
    name: 's1',
    clock,
    random: () => 1,
    log: () => undefined,
    listen: (params, signal) => {
      const { promise, resolve, reject } = Promise.withResolvers<JsonValue>();
      asked.push({ params, signal, settle: { resolve, reject } });
      return promise;
    },
    onGap: () => {
      gaps += 1;
    },
  });
  return { clock, asked, subscription, gaps: () => gaps, last: () => asked.at(-1)?.settle };
}

interface Settle {
  readonly resolve: (value: JsonValue) => void;
  readonly reject: (reason: unknown) => void;
}

const broken = () => new Error('the network is gone');
const refused = () =>
  new RpcError('s1', 'subscriptions/listen', { code: -32_601, message: 'no', data: undefined });

describe('a subscription', () => {
  test('is asked for once, however often it is wanted', () => {
    const { asked, subscription } = rig();
    subscription.want(filter);
    subscription.want({ ...filter });
    expect(asked.map(({ params }) => params)).toEqual([{ notifications: filter }]);
  });

  test('is replaced when something else is wanted, and ended by nothing', () => {
    const { asked, subscription } = rig();
    subscription.want(filter);
    subscription.want({ ...filter, promptsListChanged: true });
    subscription.want({});
    expect(asked.map(({ signal }) => signal.aborted)).toEqual([true, true]);
  });

  test('that broke is opened again after a growing pause, and what was missed is told', async () => {
    const { asked, clock, gaps, last, subscription } = rig();
    subscription.want(filter);
    for (const pauseMs of [1000, 2000, 4000]) {
      last()?.reject(broken());
      await clock.advance(pauseMs - 1);
      const before = asked.length;
      await clock.advance(1);
      expect(asked.length).toBe(before + 1);
    }
    expect(gaps()).toBe(3);
  });

  test('that was granted starts the pauses anew, also after a graceful end', async () => {
    const { asked, clock, last, subscription } = rig();
    subscription.want(filter);
    last()?.reject(broken());
    await clock.advance(1000);
    subscription.acknowledged({ notifications: filter });
    last()?.resolve({});
    await clock.advance(1000);
    expect(asked).toHaveLength(3);
  });

  test('that the server refuses is not asked for again', async () => {
    const { asked, clock, last, subscription } = rig();
    subscription.want(filter);
    last()?.reject(refused());
    await clock.advance(60_000);
    expect([asked.length, clock.waiting]).toEqual([1, 0]);
  });

  test('that never holds is given up', async () => {
    const { asked, clock, last, subscription } = rig();
    subscription.want(filter);
    for (let round = 0; round < 20; round += 1) {
      last()?.reject(broken());
      await clock.advance(30_000);
    }
    expect([asked.length, clock.waiting]).toEqual([11, 0]);
  });

  test('leaves nothing behind when it is stopped in a pause', async () => {
    const { asked, clock, last, subscription } = rig();
    subscription.want(filter);
    last()?.reject(broken());
    await clock.advance(1);
    subscription.stop();
    await clock.advance(60_000);
    expect([asked.length, clock.waiting]).toEqual([1, 0]);
  });
});

test.each([
  [{}, {}],
  [{ tools: {} }, {}],
  [{ tools: { listChanged: 'yes' }, prompts: null }, {}],
  [{ resources: { subscribe: true } }, { resourceSubscriptions: ['a:b'] }],
  [
    {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { listChanged: true },
    },
    { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true },
  ],
])('only what a server can tell of is asked for: %j', (capabilities, changes) => {
  expect(changesOf(capabilities, ['a:b'])).toEqual(changes);
});

test('without resources to watch none are asked for', () => {
  expect(changesOf({ resources: { subscribe: true } }, [])).toEqual({});
});

test('a legacy server is asked once per resource and session', async () => {
  await using server = serveRpc((message) =>
    message['method'] === 'initialize'
      ? Response.json(
          rpcResult(message, {
            protocolVersion: '2025-11-25',
            capabilities: { resources: { subscribe: true } },
          }),
        )
      : undefined,
  );
  const watchedResources = () => ['file:///a', 'file:///b'];
  await using connection = open(httpEndpoint(server.url), { watchedResources });
  await connection.connect(never);
  await connection.refresh(never);
  await connection.refresh(never);
  const subscribed = () => server.messages.filter(({ method }) => method === 'resources/subscribe');
  await until(() => subscribed().length >= 2);
  await connection.refresh(never);
  const uris = subscribed().map(({ params }) => (isJsonObject(params) ? params['uri'] : undefined));
  expect(uris.sort()).toEqual(['file:///a', 'file:///b']);
});
