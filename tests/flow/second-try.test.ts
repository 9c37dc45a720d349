/** A server that failed at the start and is there later. */
import { expect, test } from 'bun:test';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { closedPort } from '../helpers/tcp.ts';
import { ask, httpEntry, hurriedClock, openScene, states } from './scene.ts';

test('a server that failed at the start is tried once more from the second turn on, and its tools join', async () => {
  const port = closedPort();
  await using quick = await startMcpServer();
  const ready = Promise.withResolvers<void>();
  const seen = new Set<string>();
  await using scene = await openScene({
    clock: hurriedClock,
    yaml: [
      'servers:',
      httpEntry('late', `http://127.0.0.1:${port}/mcp`),
      httpEntry('quick', quick.url, ', tools: [read]'),
    ].join('\n'),
    steps: [
      { text: '{{tools}}' },
      { text: 'a turn that waits for nothing' },
      { text: '{{tools}}' },
    ],
    onEvent: (event) => {
      if (event.type !== 'server' || event.status.name !== 'late') return;
      seen.add(event.status.state);
      if (event.status.state === 'ready') ready.resolve();
    },
  });
  expect(states(scene.report)).toEqual({ late: 'failed', quick: 'ready' });
  await using late = await startMcpServer({}, port);
  seen.clear();
  expect((await ask(scene)).answer).toBe('quick_read');
  expect(late.methods()).toEqual([]);
  await ask(scene);
  await ready.promise;
  expect((await ask(scene)).answer.split(' ')).toContain('late_echo');
  expect([...seen]).toEqual(['failed', 'ready']);
});
