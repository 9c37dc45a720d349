/** The soak in short: what the long one proves over minutes holds over seconds as well. */
import { expect, test } from 'bun:test';
import { resolve } from 'node:path';
import { newFolder } from '../helpers/places.ts';

const PROGRAM = resolve(import.meta.dir, '../../scripts/bench/soak.ts');

test('servers die and return amid 240 calls: none is lost or repeated, nothing is left', async () => {
  const run = Bun.spawn([process.execPath, PROGRAM, '--short'], {
    env: { PATH: String(Bun.env['PATH']), HOME: newFolder(), TMPDIR: newFolder() },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said = await new Response(run.stdout).text();
  expect([await run.exited, said.trim().split('\n').at(-1)]).toEqual([0, 'verdict: holds']);
  expect(said).toMatch(/, 240 calls, [1-9]\d* kills,/);
}, 60_000);
