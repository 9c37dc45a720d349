import { expect, test } from 'bun:test';
import { peerCommand } from '../helpers/peer.ts';
import { callThenAnswer, offeredTools, runScripted } from '../helpers/scripted-run.ts';
import { runUsher } from '../helpers/usher.ts';

const entry = () => ({ name: 'context7', ...peerCommand('context7') });

test('its tools get the public names that their hyphens ask for', async () => {
  const run = await runUsher(['tools', 'context7', '--json'], { config: { servers: [entry()] } });
  expect(run.code).toBe(0);
  const { tools } = JSON.parse(run.stdout);
  const names = tools.map((tool: { name: string; publicName: string }) => [
    tool.name,
    tool.publicName,
  ]);
  expect(names.sort()).toEqual([
    ['query-docs', 'context7_query_docs'],
    ['resolve-library-id', 'context7_resolve_library_id'],
  ]);
});

test('the allowlist speaks in original names', async () => {
  const run = await runScripted({
    servers: [{ ...entry(), tools: ['query-docs'] }],
    steps: [{ text: 'ok' }],
  });
  const own = offeredTools(run.requests).filter((name) => name.startsWith('context7_'));
  expect([run.code, own]).toEqual([0, ['context7_query_docs']]);
});

test('a call is denied where nobody may allow it', async () => {
  const run = await runScripted({
    servers: [entry()],
    mcp: { permissions: 'ask' },
    steps: callThenAnswer(['context7_resolve_library_id', { libraryName: 'x', query: 'x' }]),
  });
  expect(run.code).toBe(5);
  expect(run.stderr).toContain('context7/resolve-library-id');
});
