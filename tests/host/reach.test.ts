import { expect, test } from 'bun:test';
import { systemClock } from '../../src/base/clock.ts';
import { reachServer } from '../../src/host/reach.ts';
import { closedPort } from '../helpers/tcp.ts';
import { httpEndpoint } from '../mcp/rig.ts';

const never = new AbortController().signal;

async function stepsTo(
  url: string,
  addresses: readonly string[],
  more: Parameters<typeof httpEndpoint>[1] = {},
) {
  const ports = { env: {}, clock: systemClock, resolve: async () => addresses };
  const { steps } = await reachServer(httpEndpoint(url, more), ports, never);
  return steps.map(({ name, isOk, text }) => [name, isOk, text]);
}

test('a name that leads to a private address is resolved, refused, and not knocked at', async () => {
  expect(await stepsTo('https://mcp.test/', ['93.184.215.14', '10.0.0.7'])).toEqual([
    ['resolve', true, 'mcp.test is 93.184.215.14, 10.0.0.7'],
    ['check', false, 'mcp.test leads to 10.0.0.7, which is not a public address; nothing was sent'],
  ]);
});

test('with allowPrivate it is, at one address after the other', async () => {
  await using server = Object.assign(
    Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => undefined } }),
    { [Symbol.asyncDispose]: async () => server.stop(true) },
  );
  const url = `http://nas.test:${server.port}/`;
  expect(await stepsTo(url, ['127.0.0.2', '127.0.0.1'], { allowPrivate: true })).toEqual([
    ['resolve', true, 'nas.test is 127.0.0.2, 127.0.0.1'],
    ['connect', true, `nas.test port ${server.port}`],
  ]);
});

test('behind a proxy the name is not resolved here', async () => {
  const port = await closedPort();
  const proxy = `http://127.0.0.1:${port}`;
  expect(await stepsTo('https://mcp.test/', [], { proxy })).toEqual([
    ['connect', false, 'connection refused'],
  ]);
});
