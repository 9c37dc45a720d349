/**
 * The smallest pieces of the schema: text, numbers, durations. A plain YAML scalar arrives as
 * `PlainScalar`, so that `0755`, `no` or `1e3` stay as written where text is asked for.
 */
import * as v from 'valibot';
import { isPlausibleVariable } from '../secret-names.ts';

/** An unquoted YAML scalar that YAML reads as a number or boolean, with its text as written. */
export class PlainScalar {
  readonly value: number | boolean | bigint;
  readonly source: string;
  constructor(value: number | boolean | bigint, source: string) {
    this.value = value;
    this.source = source;
  }
}

/** What `variableName` expects. Values that fail it are never shown: they may be the secret itself. */
export const VARIABLE_NAME = 'the NAME of an environment variable, not a value';

const DURATION = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/;
const DURATION_UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;
/** Longer than any run; timers of the platform end at 24 days. */
const MAX_DURATION_MS = 7 * 24 * 3_600_000;

/** Text exactly as written in the file. */
export function text() {
  return v.pipe(
    union('text'),
    v.check((value) => !value.includes('\0'), 'text without a NUL character'),
  );
}

export function nonEmptyText() {
  return v.pipe(text(), v.minLength(1, 'text that is not empty'));
}

/** Text that YAML itself reads as text: a bare number or boolean is a mistake here. */
export function properText(expected: string) {
  return v.pipe(v.string(expected), v.minLength(1, expected));
}

/** What a server or a login is called. */
export const PLAIN_NAME = /^[A-Za-z0-9_-]{1,64}$/;
export const PLAIN_NAME_TEXT = 'a name of 1 to 64 letters, digits, _ or -';

/** The name of an environment variable; a pasted credential is told apart by its shape. */
export function variableName() {
  return v.pipe(
    text(),
    inJsonSchema({ type: 'string', pattern: '^[A-Za-z_][A-Za-z0-9_]*$' }),
    v.check(isPlausibleVariable, VARIABLE_NAME),
  );
}

/** A header's name. Source: RFC 9110 5.1. */
export function headerName() {
  return v.pipe(
    text(),
    v.check((value) => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(value), 'a header name'),
  );
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
    inJsonSchema({ type: 'integer', minimum }),
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
    inJsonSchema({ minimum, maximum }),
  );
}

/** A duration such as `250ms`, `30s`, `5m`, `1h`, above zero unless `minimumMs` is 0, at most 7 days. Output: milliseconds. */
export function duration(minimumMs = 1) {
  return v.pipe(
    union('a duration'),
    inJsonSchema({ type: 'string', pattern: DURATION.source }),
    v.check((value) => DURATION.test(value), 'a duration'),
    v.transform(durationToMs),
    v.check(
      (value) => value >= minimumMs && value <= MAX_DURATION_MS,
      minimumMs > 0 ? 'a duration above zero and up to 168h' : 'a duration up to 168h',
    ),
  );
}

/** Milliseconds of a duration text; NaN when it is none. */
export function durationToMs(value: string): number {
  const match = DURATION.exec(value);
  const unit = match?.[2];
  if (unit !== 'ms' && unit !== 's' && unit !== 'm' && unit !== 'h') return Number.NaN;
  return Math.round(Number(match?.[1]) * DURATION_UNIT_MS[unit]);
}

/** Keywords that say in the JSON Schema, for editors, what the code of an atom says. */
function inJsonSchema<T>(keywords: Readonly<Record<string, string | number>>) {
  return v.metadata<T, Readonly<Record<string, string | number>>>(keywords);
}

function union(expected: string) {
  return v.pipe(
    v.union([v.string(), v.instance(PlainScalar)], expected),
    v.transform((input) => (typeof input === 'string' ? input : input.source)),
  );
}

function unwrapped() {
  return v.pipe(
    v.unknown(),
    v.transform((input) => (input instanceof PlainScalar ? input.value : input)),
  );
}
