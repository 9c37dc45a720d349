import { afterAll, describe, expect, test } from 'bun:test';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Glob } from 'bun';
import fc from 'fast-check';
import type { JsonValue } from '../../src/base/json.ts';
import { registerSecret } from '../../src/base/redact.ts';
import { type SaveFile, saveFileAtomically } from '../../src/results/artifacts.ts';
import { type RenderOptions, renderResult } from '../../src/results/pipeline.ts';
import type { ContentBlock } from '../../src/tools/types.ts';
import { TEST_SEED } from '../helpers/seed.ts';

fc.configureGlobal({ seed: TEST_SEED });

const stateDir = mkdtempSync(join(tmpdir(), 'usher-results-'));
afterAll(() => rmSync(stateDir, { recursive: true, force: true }));

const refuse =
  (code: string): SaveFile =>
  () => {
    throw Object.assign(new Error(`${code}: refused`), { code });
  };

const render = (
  content: readonly ContentBlock[],
  more: Partial<RenderOptions> = {},
  structuredContent?: JsonValue,
) =>
  renderResult(
    { content, structuredContent, isError: false, raw: null },
    {
      artifacts: 'on',
      stateDir,
      saveFile: saveFileAtomically,
      server: 'srv',
      tool: 'a/tool',
      ...more,
    },
  );
const textOf = async (...parameters: Parameters<typeof render>) =>
  (await render(...parameters)).text;
const block = (text: string): ContentBlock => ({ type: 'text', text });
const PNG = Buffer.from('not really a picture').toString('base64');

describe('text and structured content', () => {
  test('RES-02: structured content is shown, and an empty result says so', async () => {
    expect([
      await textOf([], {}, { answer: 42 }),
      await textOf([], {}, [1, 'a']),
      await textOf([], {}, 'plain'),
      await textOf([], {}, false),
      await textOf([]),
      await textOf([block('')]),
      await textOf([block(' \n')]),
      await textOf([], {}, null),
    ]).toEqual([
      '{\n  "answer": 42\n}',
      '[\n  1,\n  "a"\n]',
      '"plain"',
      'false',
      '(empty result)',
      '(empty result)',
      '(empty result)',
      '(empty result)',
    ]);
  });

  test('an error without a word says that it is one', async () => {
    const result = { content: [], structuredContent: undefined, isError: true, raw: null };
    const saving = { stateDir, saveFile: saveFileAtomically, server: 'srv', tool: 'a' };
    expect(await renderResult(result, { artifacts: 'on', ...saving })).toEqual({
      text: '(the tool failed and said nothing)',
      isError: true,
      artifacts: [],
      omittedCharacters: 0,
    });
  });

  test('R32: text goes first, structured content only where no text block is the same JSON', async () => {
    const value = { b: 1, a: [1, { c: 'x' }] };
    expect([
      await textOf([block('{"a": [1, {"c":"x"}], "b": 1}')], {}, value),
      await textOf([block('{"a": [1, {"c":"y"}], "b": 1}')], {}, value),
      await textOf([block('note'), block('{not json')], {}, { z: 1, y: 2 }),
    ]).toEqual([
      '{"a": [1, {"c":"x"}], "b": 1}',
      '{"a": [1, {"c":"y"}], "b": 1}\n{\n  "b": 1,\n  "a": [\n    1,\n    {\n      "c": "x"\n    }\n  ]\n}',
      'note\n{not json\n{\n  "z": 1,\n  "y": 2\n}',
    ]);
  });

  test('RES-09: odd text blocks are shown as best as can be', async () => {
    // What a server may send in spite of the type.
    const odd = [
      'x',
      { type: 'text', text: 5 },
      { type: 'text' },
      {},
      { type: 'text', text: { a: 1 } },
    ];
    expect(await textOf(odd as unknown as readonly ContentBlock[])).toBe(
      'x\n5\n{\n  "type": "text"\n}\n[content of type "unknown" is not shown]\n{\n  "a": 1\n}',
    );
  });

  test('a value nested without end is named, not walked', async () => {
    const deep: JsonValue = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    expect(await textOf([block('x'), { type: 'text', text: deep }], {}, deep)).toBe(
      'x\n[JSON of more than 512 levels is not shown]\n[structured content of more than 512 levels is not shown]',
    );
  });

  test('isError is kept', async () => {
    const result = {
      content: [block('no')],
      structuredContent: undefined,
      isError: true,
      raw: null,
    };
    expect(
      await renderResult(result, {
        artifacts: 'off',
        stateDir: undefined,
        saveFile: refuse('X'),
        server: 's',
        tool: 't',
      }),
    ).toEqual({ text: 'no', isError: true, artifacts: [], omittedCharacters: 0 });
  });

  test('a registered secret is masked', async () => {
    registerSecret('tok-0123456789');
    expect(await textOf([block('Authorization: Bearer tok-0123456789')])).toBe(
      'Authorization: Bearer ***',
    );
  });
});

describe('other content', () => {
  test('RES-03: order is kept, nothing is lost silently', async () => {
    const { text, artifacts } = await render([
      block('first'),
      { type: 'resource_link', uri: 'file:///a', name: 'A', mimeType: 'text/plain', size: 12_600 },
      { type: 'resource', resource: { uri: 'file:///b', mimeType: 'text/plain', text: 'inlined' } },
      { type: 'resource', resource: { uri: 'file:///c', mimeType: 'application/pdf', blob: PNG } },
      { type: 'audio', mimeType: 'audio/wav', data: PNG },
      { type: 'future', x: 1 },
      { type: 'resource' },
      block('last'),
    ]);
    const [pdf, wav] = artifacts;
    expect(text).toBe(
      [
        'first',
        '[resource link A: file:///a (text/plain, 12.3 KiB)]',
        '[resource file:///b, text/plain]',
        'inlined',
        `[resource file:///c: application/pdf 20 B saved as ${pdf?.path}]`,
        `[audio/wav 20 B saved as ${wav?.path}]`,
        '[content of type "future" is not shown with x]',
        '[resource without content]',
        'last',
      ].join('\n'),
    );
    expect([pdf?.mimeType, wav?.mimeType, wav?.bytes]).toEqual([
      'application/pdf',
      'audio/wav',
      20,
    ]);
  });

  test('MM-09 RES-01: images become a line and a private file, never base64', async () => {
    const { text, artifacts } = await render([
      { type: 'image', mimeType: 'image/PNG', data: `${PNG.slice(0, 8)}\n${PNG.slice(8)}` },
    ]);
    const [saved] = artifacts;
    expect(text).toBe(`[image/png 20 B saved as ${saved?.path}]`);
    expect(saved?.path).toStartWith(join(stateDir, 'artifacts', 'srv', 'a_tool-'));
    expect(saved?.path).toEndWith('.png');
    expect(readFileSync(saved?.path ?? '', 'utf8')).toBe('not really a picture');
    expect(statSync(saved?.path ?? '').mode & 0o777).toBe(0o600);
  });

  test('a registered secret is masked in files as well, text or not', async () => {
    registerSecret('tok-0123456789');
    const data = Buffer.from('\u00ff tok-0123456789').toString('base64');
    const { artifacts } = await render([
      { type: 'image', mimeType: 'image/png', data },
      block(`tok-0123456789 ${'x'.repeat(60_000)}`),
    ]);
    expect(readFileSync(artifacts[0]?.path ?? '', 'utf8')).toBe('\u00ff ***');
    const kept = new Glob('**/*').scanSync({ cwd: stateDir });
    for (const file of kept) {
      expect(readFileSync(join(stateDir, file), 'utf8')).not.toContain('tok-0123456789');
    }
  });

  test('RES-01: missing type, empty and broken data are said to be so', async () => {
    const { text, artifacts } = await render([
      { type: 'image', data: PNG },
      { type: 'image', mimeType: 'image/svg+xml', data: '' },
      { type: 'image', mimeType: 'image/png', data: '***' },
      { type: 'image', mimeType: 'image/png', data: 5 },
      { type: 'image', mimeType: 'image/png' },
      { type: 'audio', mimeType: 'audio/\u202ewav]\nx', data: 'A' },
    ]);
    expect(text.split('\n')).toEqual([
      `[image of unknown type 20 B saved as ${artifacts[0]?.path}]`,
      '[image/svg+xml 0 B: no data]',
      '[image/png not saved: its data is not valid base64]',
      '[image/png not saved: its data is not valid base64]',
      '[image/png 0 B: no data]',
      '[audio/wav] x not saved: its data is not valid base64]',
    ]);
    expect(artifacts.map(({ mimeType }) => mimeType)).toEqual(['application/octet-stream']);
  });

  test('a file that cannot be written costs the file, not the result', async () => {
    const image: ContentBlock = { type: 'image', mimeType: 'image/png', data: PNG };
    expect([
      await render([image], { artifacts: 'off' }),
      await render([image], { stateDir: undefined }),
      await render([image], { saveFile: refuse('ENOSPC') }),
      await render([image], { saveFile: refuse('EROFS') }),
    ]).toEqual(
      [
        'artifacts are off',
        'there is no state directory',
        'the disk is full',
        'the state directory is read-only',
      ].map((reason) => ({
        text: `[image/png 20 B not saved: ${reason}]`,
        isError: false,
        artifacts: [],
        omittedCharacters: 0,
      })),
    );
  });

  test.skipIf(process.getuid?.() === 0)(
    'a state directory without write permission is named as the reason',
    async () => {
      const locked = mkdtempSync(join(tmpdir(), 'usher-locked-'));
      chmodSync(locked, 0o500);
      const image: ContentBlock = { type: 'image', mimeType: 'image/png', data: PNG };
      expect(await textOf([image], { stateDir: locked })).toBe(
        '[image/png 20 B not saved: the state directory is not writable]',
      );
    },
  );
});

describe('the bound', () => {
  test('RES-05: head and tail at code points, the marker says what is missing and where the whole is', async () => {
    const whole = '😀'.repeat(60_000);
    const { text, omittedCharacters } = await render([block(whole)]);
    const characters = [...text];
    expect(characters.length).toBe(50_000);
    expect(text.isWellFormed()).toBe(true);
    const [, count, path = ''] =
      /\n\[… ([\d,]+) characters left out; the whole result is saved as (\S+) …\]\n/.exec(text) ??
      [];
    expect(Number(count?.replaceAll(',', ''))).toBe(omittedCharacters);
    expect(characters.filter((character) => character === '😀').length + omittedCharacters).toBe(
      60_000,
    );
    expect(readFileSync(path, 'utf8')).toBe(whole);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('exactly the bound stays whole, one more is cut', async () => {
    expect((await render([block('é'.repeat(50_000))])).omittedCharacters).toBe(0);
    expect((await render([block('é'.repeat(50_001))])).omittedCharacters).toBeGreaterThan(0);
  });

  test('says so when the whole cannot be saved', async () => {
    expect(
      await textOf([block('x'.repeat(500))], { maxCharacters: 200, saveFile: refuse('ENOSPC') }),
    ).toMatch(
      /^x+\n\[… 3\d\d characters left out; the whole result is not saved: the disk is full …\]\nx+$/,
    );
  });

  test('never above the bound, never empty, always valid, whatever comes', async () => {
    const any = fc.array(fc.jsonValue(), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(
        any,
        fc.jsonValue(),
        fc.integer({ min: 1, max: 400 }),
        async (content, structured, maxCharacters) => {
          // fast-check's JSON values are JSON values; a server may send any of them as blocks.
          const blocks = content as unknown as readonly ContentBlock[];
          const { text } = await render(
            blocks,
            { artifacts: 'off', maxCharacters },
            structured as JsonValue,
          );
          expect([...text].length).toBeLessThanOrEqual(maxCharacters);
          expect(text).not.toBe('');
          expect(text.isWellFormed()).toBe(true);
        },
      ),
    );
  });
});
