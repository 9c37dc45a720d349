import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { tool } from '../fixtures/servers/script.ts';
import { stdioServer } from '../helpers/config.ts';
import { newFolder } from '../helpers/places.ts';
import { callThenAnswer, runScripted } from '../helpers/scripted-run.ts';

const any = { type: 'object', properties: {} };

/** One run in the default mode with a tool that writes a file, whatever it claims. */
async function tryTool(annotations: object | undefined, more: object = {}) {
  const marker = join(newFolder(), 'marker');
  const claims = annotations === undefined ? {} : { annotations: { ...annotations } };
  const tools = [tool('mark', 'Reads.', any, { does: { writes: marker }, ...claims })];
  const run = await runScripted({
    servers: [stdioServer('s1', { tools }, more)],
    mcp: {},
    steps: callThenAnswer(['s1_mark', {}]),
  });
  return { code: run.code, ran: existsSync(marker) };
}

test.each([
  ['that claims to read only', { readOnlyHint: true }],
  ['that claims to read only and to harm nothing', { readOnlyHint: true, destructiveHint: false }],
  ['that claims nothing', undefined],
])('by default a tool %s does not run without a person', async (_name, annotations) => {
  expect(await tryTool(annotations)).toEqual({ code: 5, ran: false });
});

test('claims count only where the user trusts them', async () => {
  const trusted = { trustAnnotations: true };
  const [reads, contradicts, silent] = await Promise.all([
    tryTool({ readOnlyHint: true }, trusted),
    tryTool({ readOnlyHint: true, destructiveHint: true }, trusted),
    tryTool(undefined, trusted),
  ]);
  expect([reads, contradicts, silent]).toEqual([
    { code: 0, ran: true },
    { code: 5, ran: false },
    { code: 5, ran: false },
  ]);
});
