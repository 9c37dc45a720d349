import { describe, expect, test } from 'bun:test';
import { isAbsolute } from 'node:path';
import { failure, load } from './try-load.ts';

const DAY_MS = 24 * 3_600_000;
const retentionOf = async (keep: string) =>
  (await load(`artifacts: {keep: ${keep}}`)).artifacts?.retention;

describe('artifacts', () => {
  test('are kept for an age or in a number', async () => {
    expect([
      (await load('mcp: {}')).artifacts,
      await retentionOf('30d'),
      await retentionOf('12h'),
      await retentionOf('500'),
      await retentionOf('"500"'),
    ]).toEqual([
      undefined,
      { maxAgeMs: 30 * DAY_MS, maxFiles: undefined },
      { maxAgeMs: DAY_MS / 2, maxFiles: undefined },
      { maxAgeMs: undefined, maxFiles: 500 },
      { maxAgeMs: undefined, maxFiles: 500 },
    ]);
  });

  test('a relative folder is one beside the file', async () => {
    const dir = (await load('artifacts: {dir: kept}')).artifacts?.dir ?? '';
    expect([isAbsolute(dir), dir.endsWith('/kept')]).toEqual([true, true]);
    expect((await load('artifacts: {dir: /var/kept}')).artifacts).toEqual({ dir: '/var/kept' });
  });

  test.each(['0', '0d', '30', '-1', 'soon', '1.5', '30s', '{}'])('keep: %s', async (keep) => {
    if (keep === '30') return expect((await retentionOf(keep))?.maxFiles).toBe(30);
    expect(await failure(`artifacts: {keep: ${keep}}`)).toContain(
      'config.yaml:1:19 artifacts.keep: expected ',
    );
  });
});
