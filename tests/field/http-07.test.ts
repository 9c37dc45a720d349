import { expect, test } from 'bun:test';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { runScripted, toolTexts } from '../helpers/scripted-run.ts';
import { runUsher } from '../helpers/usher.ts';

type Encoding = 'json' | 'sse';
const BOTH: readonly Encoding[] = ['json', 'sse'];

test('every mixture of encodings gives the same run', async () => {
  const mixtures = BOTH.flatMap((first) =>
    BOTH.flatMap((list) => BOTH.map((call) => [first, list, call] as const)),
  );
  const seen = await Promise.all(mixtures.map(runMixture));
  const [first] = seen;
  expect(seen).toEqual(seen.map(() => first ?? expect.unreachable()));
  expect(seen[0]?.code).toBe(0);
  expect(seen[0]?.results[0]).toContain('the backend is gone');
  expect(seen[0]?.results[1]).toContain('the disk is full');
  expect(seen[0]?.results[2]).toBe('{"text":"hi"}');
});

async function runMixture([initialize, list, call]: readonly [Encoding, Encoding, Encoding]) {
  await using server = await startMcpServer({
    replyAs: { initialize, 'tools/list': list, 'tools/call': call },
  });
  const run = await runScripted({
    servers: [{ name: 's1', url: server.url }],
    steps: [
      {
        toolCalls: [
          { name: 's1_breaks', arguments: '{}' },
          { name: 's1_fails', arguments: '{}' },
          { name: 's1_echo', arguments: '{"text":"hi"}' },
        ],
      },
      { text: '{{result}}' },
    ],
  });
  return { code: run.code, stdout: run.stdout, results: toolTexts(run.requests) };
}

test.each([
  ['breaks', 1],
  ['fails', 1],
  ['read', 0],
])('a direct call of %s looks the same in both encodings', async (name, code) => {
  const runs = await Promise.all(
    BOTH.map(async (replyAs) => {
      await using server = await startMcpServer({ replyAs });
      const run = await runUsher(['call', 's1', name], {
        config: { servers: [{ name: 's1', url: server.url }] },
      });
      return { code: run.code, stdout: run.stdout, stderr: run.stderr.replace(/\d+ ms/g, 'N ms') };
    }),
  );
  expect(runs[0]).toEqual(runs[1] ?? runs[0]);
  expect(runs[0]?.code).toBe(code);
});
