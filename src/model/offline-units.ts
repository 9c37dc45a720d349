/** Numbers with units as they stand in a prompt. Pure; nothing is made up. */
import { isExactNumber } from '../base/json.ts';

interface Unit {
  readonly dimension: 'time' | 'bytes' | 'length' | 'mass' | 'share' | 'money';
  /** How many of the smallest unit of its dimension; money is never converted. */
  readonly factor: number;
  /** How property names and descriptions write it. */
  readonly written: RegExp;
}

const UNITS: readonly (readonly [names: string, unit: Unit])[] = [
  ['ms millisecond milliseconds', time(1, /\bms\b|millis/i)],
  ['s sec secs second seconds', time(1000, /\bsec(?:ond)?s?\b|\bs\b/i)],
  ['min mins minute minutes', time(60_000, /\bmin(?:ute)?s?\b/i)],
  ['h hour hours', time(3_600_000, /\bhours?\b/i)],
  ['d day days', time(86_400_000, /\bdays?\b/i)],
  ['week weeks', time(604_800_000, /\bweeks?\b/i)],
  ['b byte bytes', bytes(1, /\bbytes?\b/i)],
  ['kb kib', bytes(1024, /\bki?b\b|kilobyte/i)],
  ['mb mib megabyte megabytes', bytes(1024 ** 2, /\bmi?b\b|megabyte/i)],
  ['gb gib gigabyte gigabytes', bytes(1024 ** 3, /\bgi?b\b|gigabyte/i)],
  ['mm millimeters', length(1, /\bmm\b|millimet/i)],
  ['cm', length(10, /\bcm\b|centimet/i)],
  ['m meter meters metre metres', length(1000, /\bm\b|(?<![a-z])met(?:er|re)s?/i)],
  ['km kilometer kilometers kilometre kilometres', length(1_000_000, /\bkm\b|kilomet/i)],
  ['mg milligram milligrams', mass(0.001, /\bmg\b|milligram/i)],
  ['g gram grams', mass(1, /\bg\b|(?<![a-z])grams?\b/i)],
  ['kg kilo kilos kilogram kilograms', mass(1000, /\bkg\b|kilogram|\bkilos?\b/i)],
  ['oz ounce ounces', mass(28.349523125, /\boz\b|\bounces?\b/i)],
  ['lb lbs', mass(453.59237, /\blbs?\b/i)],
  ['% percent', { dimension: 'share', factor: 1, written: /percent|%/i }],
  ['$ usd dollar dollars', { dimension: 'money', factor: 1, written: /usd|dollar|\$/i }],
  ['€ eur euro euros', { dimension: 'money', factor: 1, written: /eur|€/i }],
  ['£ gbp pound pounds', { dimension: 'money', factor: 1, written: /gbp|£|\bpounds?\b/i }],
];
const BY_NAME = new Map(
  UNITS.flatMap(([names, unit]) => names.split(' ').map((name) => [name, unit])),
);

function time(factor: number, written: RegExp): Unit {
  return { dimension: 'time', factor, written };
}

function bytes(factor: number, written: RegExp): Unit {
  return { dimension: 'bytes', factor, written };
}

function mass(factor: number, written: RegExp): Unit {
  return { dimension: 'mass', factor, written };
}

function length(factor: number, written: RegExp): Unit {
  return { dimension: 'length', factor, written };
}

const NUMBER = /^([$€£]?)(-?\d{1,3}(?:,\d{3})+(?:\.\d+)?|-?\d+(?:\.\d+)?)([a-z%]*)$/i;

/** The number and the unit written to it, such as `5MB`, `1,000`, `$9.50`, `10%`; undefined for another word. */
export function readNumber(
  word: string,
): { readonly value: number; readonly unit: string } | undefined {
  const [, sign = '', digits = '', suffix = ''] = NUMBER.exec(word) ?? [];
  if (digits === '') return undefined;
  const unit = (sign === '' ? suffix : sign).toLowerCase();
  if (unit !== '' && !BY_NAME.has(unit)) return undefined;
  const plain = digits.replaceAll(',', '');
  const value = Number(plain);
  // A long id is a name, not a number: rounded it would be another one.
  return isExactNumber(plain, value) ? { value, unit } : undefined;
}

/**
 * The number in the unit that `about` (a property's name and description) asks for; as it is without a unit,
 * or where the property names none; undefined where the property wants another kind of thing.
 */
export function toUnit(value: number, unit: string, about: string): number | undefined {
  const given = BY_NAME.get(unit);
  if (given === undefined) return value;
  if (given.written.test(about)) return value;
  const wanted = UNITS.find(
    ([, one]) => one.dimension === given.dimension && one.written.test(about),
  );
  if (wanted === undefined) return given.dimension === 'money' ? value : undefined;
  if (given.dimension === 'money') return undefined;
  return (value * given.factor) / wanted[1].factor;
}
