/** `artifacts:`: where files made of results are kept, and for how long. */
import * as v from 'valibot';
import { nonEmptyText, text } from './atoms.ts';

const KEEP = /^(\d{1,6})(d|h)?$/;
const HOUR_MS = 3_600_000;
const EXPECTED = 'an age such as 30d or 12h, or a number of files';

export const artifactsSchema = v.strictObject({
  dir: v.optional(
    v.pipe(
      nonEmptyText(),
      v.description('folder, relative to this file; default: state directory'),
    ),
  ),
  keep: v.optional(
    v.pipe(
      text(),
      v.check((value) => KEEP.test(value) && Number.parseInt(value, 10) > 0, EXPECTED),
      v.transform(toRetention),
      v.description('age, or number of files; default 30d; never more than 1 GiB in all'),
    ),
  ),
});

export type ArtifactsEntry = v.InferOutput<typeof artifactsSchema>;

function toRetention(value: string): {
  readonly maxAgeMs: number | undefined;
  readonly maxFiles: number | undefined;
} {
  const [, count, unit] = KEEP.exec(value) ?? [];
  const number = Number(count);
  if (unit === undefined) return { maxAgeMs: undefined, maxFiles: number };
  return { maxAgeMs: number * (unit === 'd' ? 24 * HOUR_MS : HOUR_MS), maxFiles: undefined };
}
