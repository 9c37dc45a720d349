import { describe, expect, test } from 'bun:test';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import type { JsonObject } from '../../src/base/json.ts';
import { countCharacters } from '../../src/base/text.ts';
import { saveFileAtomically } from '../../src/results/artifacts.ts';
import { createKeptResults } from '../../src/results/kept.ts';
import { renderResult } from '../../src/results/pipeline.ts';
import { grepText, MAX_SLICE, sliceText } from '../../src/results/reading.ts';
import { createReadingSource, READING_TOOLS } from '../../src/results/reading-tools.ts';
import { newFolder } from '../helpers/places.ts';
import { TEST_SEED } from '../helpers/seed.ts';

fc.configureGlobal({ seed: TEST_SEED });

const LONG = `${'a'.repeat(60_000)}Needle${'b'.repeat(60_000)}`;
const cut = (text: string, stateDir: string, kept = createKeptResults()) =>
  renderResult(
    {
      content: [{ type: 'text', text }],
      structuredContent: undefined,
      isError: false,
      raw: null,
    },
    { artifacts: 'on', stateDir, saveFile: saveFileAtomically, server: 's', tool: 't', kept },
  );
const call = async (
  source: ReturnType<typeof createReadingSource>,
  tool: string,
  args: JsonObject,
) => {
  const { signal } = new AbortController();
  const result = await source.call({
    tool,
    arguments: args,
    signal,
    onProgress: () => undefined,
  });
  return [result.content.map(({ text }) => text).join(''), result.isError];
};

describe('a cut result', () => {
  test('is read on by the id that stands in its marker, without its server', async () => {
    const kept = createKeptResults();
    let firsts = 0;
    kept.onFirst(() => {
      firsts += 1;
    });
    const { text } = await cut(LONG, newFolder(), kept);
    const [, id = ''] =
      /result_slice or result_grep with id "([0-9a-f]{16})" reads on …\]/.exec(text) ?? [];
    const source = createReadingSource(kept);
    expect([
      await call(source, 'result_slice', { id, offset: 59_998, limit: 10 }),
      await call(source, 'result_grep', { id, text: 'nEEDLE', context: 2 }),
      await call(source, 'result_grep', { id, text: 'absent' }),
      firsts,
    ]).toEqual([
      ['[characters 59,998 to 60,008 of 120,006; go on with offset 60008]\naaNeedlebb', false],
      ['[matches: 1]\n[offset 59998]\naaNeedlebb', false],
      ['[no match]', false],
      1,
    ]);
  });

  test('is not read when its id is unknown, its file is gone, or was changed', async () => {
    const kept = createKeptResults();
    await cut(LONG, newFolder(), kept);
    const [one = { id: '', path: '' }] = kept.list();
    const source = createReadingSource(kept);
    const none = [`There is no kept result with this id. Kept: ${one.id}.`, true];
    expect(await call(source, 'result_slice', { id: '../../etc/passwd' })).toEqual(none);
    writeFileSync(one.path, readFileSync(one.path, 'utf8').replace('Needle', 'Changed'));
    expect(await call(source, 'result_slice', { id: one.id })).toEqual(none);
    rmSync(one.path);
    expect(await call(source, 'result_slice', { id: one.id })).toEqual(none);
  });

  test('of an earlier run is there from the start', () => {
    let firsts = 0;
    createKeptResults([{ id: 'a', path: '/x' }]).onFirst(() => {
      firsts += 1;
    });
    expect(firsts).toBe(1);
  });
});

test('slices of any size, joined, are the text', () => {
  const slices = fc.property(
    fc.string({ unit: 'grapheme', maxLength: 300 }),
    fc.integer({ min: 1, max: 40 }),
    (text, limit) => {
      let joined = '';
      for (let offset = 0; offset < countCharacters(text); offset += limit) {
        const slice = sliceText(text, offset, limit);
        joined += slice.slice(slice.indexOf('\n') + 1);
      }
      expect(joined).toBe(text);
    },
  );
  fc.assert(slices);
});

test('no piece is longer than the bound, however much is asked for', () => {
  const text = 'ab'.repeat(200_000);
  expect(countCharacters(sliceText(text, 0, 1_000_000))).toBeLessThan(MAX_SLICE + 200);
  const found = grepText(text, 'ab', 2_000);
  expect(countCharacters(found)).toBeLessThan(MAX_SLICE + 4_000);
  expect(found.slice(0, found.indexOf('\n'))).toMatch(
    /^\[matches: 200,000, the first [\d,]+ are shown\]$/,
  );
});

test('every shown place stands at the offset that is named', () => {
  const text = `${'😀'.repeat(500)}needle${'x'.repeat(900)}needle needle`;
  const found = grepText(text, 'needle', 3);
  expect(found).toBe(
    ['[matches: 3]', '[offset 498]', '😀😀needlexxx', '[offset 1403]', 'xxxneedle needle'].join(
      '\n',
    ),
  );
  expect(sliceText(text, 1403, 9).split('\n')[1]).toBe('xxxneedle');
});

test('what the model reads of the tools', () => {
  expect(
    READING_TOOLS.map(({ name, description }) => `${name}: ${description}`),
  ).toMatchInlineSnapshot(`
    [
      "result_slice: Reads a piece of a tool result that was cut because it was too long. Reads what was kept of that result; the server is not called again.",
      "result_grep: Finds every place of a text in a tool result that was cut because it was too long. The text is taken literally, in upper or lower case. The server is not called again.",
    ]
  `);
});
