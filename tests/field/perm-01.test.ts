import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { tool } from '../fixtures/servers/script.ts';
import { stdioServer } from '../helpers/config.ts';
import { newFolder } from '../helpers/places.ts';
import { callThenAnswer, runScripted, toolTexts } from '../helpers/scripted-run.ts';
import { runUsher, type StdinKind } from '../helpers/usher.ts';

const any = { type: 'object', properties: {} };
const STDINS: Readonly<Record<string, StdinKind>> = {
  '/dev/null': 'nothing',
  'a closed descriptor': 'closed',
  'a pipe that stays silent': 'silent',
  'a pipe with y in it': { bytes: 'y\n' },
};

function markingServer(marker: string): object {
  return stdioServer('s1', {
    tools: [tool('mark', 'Marks.', any, { does: { writes: marker } })],
  });
}

test.each(Object.entries(STDINS))(
  'with nobody to ask and stdin %s, a call is denied at once',
  async (_name, stdin) => {
    const marker = join(newFolder(), 'marker');
    const run = await runScripted({
      servers: [markingServer(marker)],
      mcp: { permissions: 'ask' },
      steps: [...callThenAnswer(['s1_mark', {}]).slice(0, 1), { text: 'could not do it' }],
      stdin,
    });
    expect([run.code, run.stdout.trim()]).toEqual([5, 'could not do it']);
    expect(existsSync(marker)).toBe(false);
    expect(toolTexts(run.requests)[0]).toMatch(/denied|not called/i);
    expect(run.stderr).toMatch(/--yes[ =]\S*mark/);
    expect(run.ms).toBeLessThan(5000);
  },
);

test('the flag that was named allows it; --on-denied continue ends with 0', async () => {
  const allowed = join(newFolder(), 'marker');
  const refused = join(newFolder(), 'marker');
  const steps = callThenAnswer(['s1_mark', {}]);
  const mcp = { permissions: 'ask' };
  const [yes, goOn] = await Promise.all([
    runScripted({ servers: [markingServer(allowed)], mcp, steps, flags: ['--yes', 's1/mark'] }),
    runScripted({
      servers: [markingServer(refused)],
      mcp,
      steps,
      flags: ['--on-denied', 'continue'],
    }),
  ]);
  expect([yes.code, existsSync(allowed)]).toEqual([0, true]);
  expect([goOn.code, existsSync(refused)]).toEqual([0, false]);
});

test('a literal call is consent where it is typed, not where it is piped in', async () => {
  const [typed, piped] = await Promise.all(
    [true, false].map(async (isTyped) => {
      const marker = join(newFolder(), 'marker');
      const config = { mcp: { permissions: 'ask' }, servers: [markingServer(marker)] };
      const run = isTyped
        ? await runUsher(['-p', 's1/mark a=1'], { config })
        : await runUsher([], { config, stdin: { bytes: 's1/mark a=1\n' } });
      return [run.code, existsSync(marker)];
    }),
  );
  expect([typed, piped]).toEqual([
    [0, true],
    [5, false],
  ]);
});
