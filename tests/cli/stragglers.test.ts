/** Who is told of after the banner, and how often. */
import { expect, test } from 'bun:test';
import { watchStragglers } from '../../src/cli/stragglers.ts';
import { StatusBoard } from '../../src/mcp/states.ts';
import type { ServerState, ServerStatus } from '../../src/mcp/types.ts';
import { stdioEndpoint, testConfig } from '../mcp/rig.ts';

const idle = new StatusBoard(testConfig(stdioEndpoint('sh', []), { name: 's' })).current;

/** What is told of a server that the banner shows in `first` and that goes through the other states. */
function told(first: ServerState, ...then: readonly ServerState[]): readonly ServerState[] {
  const heard: ServerState[] = [];
  const shown: ServerStatus = { ...idle, state: first };
  const watch = watchStragglers([shown], [shown], ({ state }) => heard.push(state));
  for (const state of then) watch.onEvent({ type: 'server', status: { ...idle, state } });
  return heard;
}

test.each<readonly [readonly [ServerState, ...ServerState[]], readonly ServerState[]]>([
  [['connecting', 'discovering', 'ready', 'failed', 'ready'], ['ready']],
  [['connecting', 'failed', 'failed'], ['failed']],
  [
    ['connecting', 'failed', 'ready', 'ready'],
    ['failed', 'ready'],
  ],
  [['failed', 'failed', 'ready', 'ready'], ['ready']],
  [['failed', 'failed', 'closed'], []],
  [['ready', 'failed', 'ready'], []],
])('%j: %j', (states, expected) => {
  const [first, ...then] = states;
  expect(told(first, ...then)).toEqual(expected);
});
