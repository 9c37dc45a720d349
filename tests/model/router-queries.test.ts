/** The router on real tools and requests, as `scripts/bench/router.ts` measures it. */
import { expect, test } from 'bun:test';
import { resolve } from 'node:path';

test('nothing is called wrongly, and as many calls as ever are right', async () => {
  const script = resolve(import.meta.dir, '../../scripts/bench/router.ts');
  const bench = Bun.spawn([process.execPath, script, '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const report: readonly Record<string, unknown>[] = JSON.parse(
    await new Response(bench.stdout).text(),
  );
  const all = report.find(({ style }) => style === 'all');
  // Tools without hints are never called; where all lie and claim to be read-only, none that changes anything is.
  expect(all).toMatchObject({ n: 93, called: 0, claimed: { wrong: 0, destructive: 0 } });
  // A ratchet: raise it with the router, never lower it.
  expect([Number(all?.['toolFirst']) >= 46, Number(all?.['callRight']) >= 17]).toEqual([
    true,
    true,
  ]);
});
