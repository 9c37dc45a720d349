/**
 * The smallest pieces of the schema: text, numbers, durations, sizes. A plain YAML scalar arrives as
 * `PlainScalar`, so that `0755`, `no` or `1e3` stay as written where text is asked for.
 */
import * as v from 'valibot';

/** An unquoted YAML scalar that YAML reads as a number or boolean, with its text as written. */
export class PlainScalar {
  readonly value: number | boolean | bigint;
  readonly source: string;
  constructor(value: number | boolean | bigint, source: string) {
    this.value = value;
    this.source = source;
  }
}

const DURATION = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/;
const DURATION_UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;
const SIZE = /^(\d+)(B|KiB|MiB|GiB)$/;
const SIZE_UNIT_BYTES = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 } as const;

/** Text exactly as written in the file. */
export function text() {
  return v.pipe(
    v.union([v.string(), v.instance(PlainScalar)], 'text'),
    v.transform((input) => (typeof input === 'string' ? input : input.source)),
  );
}

export function nonEmptyText() {
  return v.pipe(text(), v.minLength(1, 'text that is not empty'));
}

export function bool() {
  return v.pipe(unwrapped(), v.boolean('true or false'));
}

export function wholeNumber(minimum: number) {
  return v.pipe(
    unwrapped(),
    v.number(`a whole number of at least ${minimum}`),
    v.check(
      (value) => Number.isSafeInteger(value) && value >= minimum,
      `a whole number of at least ${minimum}`,
    ),
  );
}

export function decimal(minimum: number, maximum: number) {
  return v.pipe(
    unwrapped(),
    v.number(`a number from ${minimum} to ${maximum}`),
    v.check(
      (value) => value >= minimum && value <= maximum,
      `a number from ${minimum} to ${maximum}`,
    ),
  );
}

/** A duration such as `250ms`, `30s`, `5m`, `1h`. Output: milliseconds. */
export function duration() {
  return v.pipe(
    text(),
    v.check((value) => DURATION.test(value), 'a duration'),
    v.transform(durationToMs),
  );
}

/** A size such as `64KiB`, `16MiB`. Output: bytes. */
export function size() {
  return v.pipe(
    text(),
    v.check((value) => SIZE.test(value), 'a size'),
    v.transform(sizeToBytes),
  );
}

/** Milliseconds of a duration text; NaN when it is none. */
export function durationToMs(value: string): number {
  const match = DURATION.exec(value);
  const unit = match?.[2];
  if (unit !== 'ms' && unit !== 's' && unit !== 'm' && unit !== 'h') return Number.NaN;
  return Math.round(Number(match?.[1]) * DURATION_UNIT_MS[unit]);
}

/** Bytes of a size text; NaN when it is none. */
export function sizeToBytes(value: string): number {
  const match = SIZE.exec(value);
  const unit = match?.[2];
  if (unit !== 'B' && unit !== 'KiB' && unit !== 'MiB' && unit !== 'GiB') return Number.NaN;
  return Number(match?.[1]) * SIZE_UNIT_BYTES[unit];
}

function unwrapped() {
  return v.pipe(
    v.unknown(),
    v.transform((input) => (input instanceof PlainScalar ? input.value : input)),
  );
}
