/** A result that was cut: the model reads on in what was kept, the server is called once. */
import { expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Hex } from '../../src/base/hash.ts';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { tool } from '../fixtures/servers/script.ts';
import { ask, callStep, httpEntry, offered, openScene, resultTexts } from './scene.ts';

const ANY = { type: 'object', properties: {} };
const TEXT = `${'line of text. '.repeat(5_000)}the needle${'. more text'.repeat(5_000)}`;
const ID = sha256Hex(TEXT).slice(0, 16);

const serve = () =>
  startMcpServer({
    tools: [
      tool('big', 'big', ANY, { does: { result: { content: [{ type: 'text', text: TEXT }] } } }),
      tool('small', 'small', ANY),
    ],
  });

test('reads on by id, without a question and without another call of the server', async () => {
  await using server = await serve();
  await using scene = await openScene({
    yaml: `servers:\n${httpEntry('s', server.url, ', toolPermissions: {big: auto}')}`,
    // A list of tools does not take away the way to read on.
    toolPatterns: { only: ['s/*'], without: [] },
    steps: [
      callStep(['s_big', {}]),
      callStep(
        ['result_slice', { id: ID, offset: 70_004, limit: 6 }],
        ['result_grep', { id: ID, text: 'NEEDLE', context: 4 }],
      ),
      { text: 'found' },
    ],
  });
  const result = await ask(scene);
  expect([result.answer, result.exit, result.denied]).toEqual(['found', 0, []]);
  expect(offered(scene, 0)).toEqual(['s_big', 's_small']);
  expect(offered(scene, 1)).toEqual(['s_big', 's_small', 'result_slice', 'result_grep']);
  const [whole = '', slice, found] = resultTexts(scene);
  expect(whole).toContain(`result_slice or result_grep with id "${ID}" reads on`);
  expect([slice, found]).toEqual([
    '[characters 70,004 to 70,010 of 125,010; go on with offset 70010]\nneedle',
    '[matches: 1]\n[offset 70000]\nthe needle. mo',
  ]);
  expect(server.calls()).toHaveLength(1);
});

test('without files there is nothing to read on, and no tool for it', async () => {
  await using server = await serve();
  await using scene = await openScene({
    yaml: `servers:\n${httpEntry('s', server.url, ', permissions: auto')}`,
    artifacts: 'off',
    steps: [callStep(['s_big', {}]), { text: 'done' }],
  });
  await ask(scene);
  expect(offered(scene)).toEqual(['s_big', 's_small']);
  expect(resultTexts(scene)[0]).toContain('the whole result is not saved: artifacts are off …]');
});

test('artifacts.dir says where files are kept', async () => {
  await using server = await serve();
  await using scene = await openScene({
    yaml: `artifacts: {dir: kept}\nservers:\n${httpEntry('s', server.url, ', permissions: auto')}`,
    steps: [callStep(['s_big', {}]), { text: 'done' }],
  });
  await ask(scene);
  expect(readdirSync(join(scene.home, 'kept', 's'))).toEqual([`big-${ID}.txt`]);
});
