/**
 * Dates and spans of days as they stand in a prompt, written out or told from today: `5 March 2024`, `tomorrow
 * at 10 am`, `last Friday`, `in 3 days`, `next week`. Days are those of the local calendar. Pure but for the
 * process's time zone; weeks begin on Monday (ISO 8601).
 */
import {
  DAY_LENGTH,
  DAY_MS,
  iso,
  moment,
  momentOf,
  month,
  shift,
  today,
} from './offline-calendar.ts';

export interface FoundDate {
  readonly at: number;
  readonly length: number;
  /** `YYYY-MM-DD`, or with its time of day as RFC 3339 has it. The first day of a span. */
  readonly from: string;
  /** Last day or moment of a span; undefined for one day. */
  readonly until: string | undefined;
  /** `today`: people also say it in passing. */
  readonly isSoft: boolean;
  /** False: told from today. */
  readonly isWritten: boolean;
}

type Meant = Pick<FoundDate, 'from' | 'until'> & { readonly isSoft?: boolean };
type Rule = readonly [RegExp, (match: RegExpMatchArray, now: Date) => Meant | undefined];

/** Each place once, in the order of the prompt. `now`: what `today` is told from. */
export function findDates(text: string, now: Date): readonly FoundDate[] {
  const found: FoundDate[] = [];
  for (const [pattern, read] of RULES) {
    for (const match of text.matchAll(pattern)) {
      const at = match.index;
      const end = at + match[0].length;
      if (found.some((one) => at < one.at + one.length && one.at < end)) continue;
      const meant = read(match, now);
      // Nobody means a year beyond 9999.
      if (meant === undefined || !/^\d{4}-/.test(meant.from)) continue;
      const isDay = meant.until === undefined && meant.from.length === DAY_LENGTH;
      const time = isDay ? timeBehind(text.slice(end, end + MAX_TIME)) : undefined;
      found.push({
        at,
        length: match[0].length + (time?.length ?? 0),
        from: time === undefined ? meant.from : momentOf(meant.from, time.minutes),
        until: meant.until,
        isSoft: meant.isSoft === true && time === undefined,
        isWritten: pattern === DATES,
      });
    }
  }
  return found.sort((a, b) => a.at - b.at);
}

const MAX_TIME = 24;

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const MONTH = `(?:${MONTHS.join('|')})[a-z]*`;
const WEEKDAYS = 'sun mon tue wed thu fri sat'.split(' ');
const WEEKDAY = '(?:sun|mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?)(?:day)?';
const NUMBERS = 'two three four five six seven eight nine ten eleven twelve'.split(' ');
const COUNT = `\\d{1,4}|an?|one|${NUMBERS.join('|')}`;
const DAYS = '(?:day|week|month|year)s?';
const HOURS = '(?:minute|hour)s?';

/** `two` to `twelve`; undefined for another word. */
export function numberWord(word: string): number | undefined {
  const index = NUMBERS.indexOf(word.toLowerCase());
  return index === -1 ? undefined : index + 2;
}

const DATES = new RegExp(
  [
    '\\b(?<y1>\\d{4})[-/](?<m1>\\d{2})[-/](?<d1>\\d{2})(?<t>T[\\d:.]+(?:Z|[+-]\\d{2}:?\\d{2})?)?\\b',
    `\\b(?<d2>\\d{1,2})(?:st|nd|rd|th)?\\.? (?:of )?(?<m2>${MONTH})\\.?,? (?<y2>\\d{4})\\b`,
    `\\b(?<m3>${MONTH})\\.? (?<d3>\\d{1,2})(?:st|nd|rd|th)?,? (?<y3>\\d{4})\\b`,
  ].join('|'),
  'gi',
);

/** The first that fits a place wins. */
const RULES: readonly Rule[] = [
  [DATES, (match) => one(writtenDay(match))],
  [/\bday after tomorrow\b/gi, (_, now) => one(iso(today(now) + 2 * DAY_MS))],
  [/\bday before yesterday\b/gi, (_, now) => one(iso(today(now) - 2 * DAY_MS))],
  [/\btomorrow\b/gi, (_, now) => one(iso(today(now) + DAY_MS))],
  [/\byesterday\b/gi, (_, now) => one(iso(today(now) - DAY_MS))],
  [/\btoday\b/gi, (_, now) => ({ from: iso(today(now)), until: undefined, isSoft: true })],
  [
    new RegExp(`\\b(last|past|next|this|coming) (${WEEKDAY})\\b`, 'gi'),
    ([, which = '', day = ''], now) => one(weekday(day, /last|past/i.test(which), which, now)),
  ],
  [
    new RegExp(`\\b(since|after|from|on|by|before|until|till) (${WEEKDAY})\\b(?!['’]s)`, 'gi'),
    ([, word = '', day = ''], now) => one(weekday(day, /since|after|from/i.test(word), word, now)),
  ],
  [
    new RegExp(`\\b(?:in (${COUNT}) (${DAYS})|(${COUNT}) (${DAYS}) from now)\\b`, 'gi'),
    ([, a, b, c, d], now) => one(iso(shift(today(now), count(a ?? c), b ?? d ?? ''))),
  ],
  [
    new RegExp(`\\b(${COUNT}) (${DAYS}) ago\\b`, 'gi'),
    ([, number, unit = ''], now) => one(iso(shift(today(now), -count(number), unit))),
  ],
  [
    new RegExp(`\\bin (${COUNT}) (${HOURS})\\b`, 'gi'),
    ([, number, unit = ''], now) => one(moment(now.getTime() + hours(number, unit))),
  ],
  [
    new RegExp(`\\b(${COUNT}) (${HOURS}) ago\\b`, 'gi'),
    ([, number, unit = ''], now) => one(moment(now.getTime() - hours(number, unit))),
  ],
  [
    new RegExp(`\\b(?:last|past|previous) (${COUNT}) (${DAYS})\\b`, 'gi'),
    ([, number, unit = ''], now) => ({
      from: iso(shift(today(now), -count(number), unit)),
      until: iso(today(now)),
    }),
  ],
  [
    new RegExp(`\\b(?:last|past|previous) (${COUNT}) (${HOURS})\\b`, 'gi'),
    ([, number, unit = ''], now) => ({
      from: moment(now.getTime() - hours(number, unit)),
      until: moment(now.getTime()),
    }),
  ],
  [
    /\b(last|this|next) (week|month|year)\b/gi,
    ([, which = '', unit = ''], now) => period(which.toLowerCase(), unit.toLowerCase(), now),
  ],
  [
    new RegExp(`\\b(?:in|of|since|from|during) (${MONTH}) (\\d{4})\\b`, 'gi'),
    ([, name = '', year]) => month(Number(year), monthOf(name)),
  ],
];

function one(from: string | undefined): Meant | undefined {
  return from === undefined ? undefined : { from, until: undefined };
}

/** Undefined for a day there is not. */
function writtenDay(match: RegExpMatchArray): string | undefined {
  const { y1, y2, y3, m1, m2, m3, d1, d2, d3, t } = match.groups ?? {};
  const name = m2 ?? m3;
  const month = name === undefined ? Number(m1) : monthOf(name) + 1;
  const day = Number(d1 ?? d2 ?? d3);
  const date = new Date(Date.UTC(Number(y1 ?? y2 ?? y3), month - 1, day));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  return `${iso(date.getTime())}${t ?? ''}`;
}

/** The nearest before today, or else the nearest from today on; `next` does not mean today. */
function weekday(name: string, isPast: boolean, which: string, now: Date): string {
  const wanted = WEEKDAYS.indexOf(name.toLowerCase().slice(0, 3));
  const ahead = (wanted - new Date(today(now)).getUTCDay() + 7) % 7;
  const days = isPast ? ahead - 7 : ahead === 0 && /next/i.test(which) ? 7 : ahead;
  return iso(today(now) + days * DAY_MS);
}

function period(which: string, unit: string, now: Date): Meant {
  const step = which === 'last' ? -1 : which === 'next' ? 1 : 0;
  const start = new Date(today(now));
  const year = start.getUTCFullYear();
  switch (unit) {
    case 'week': {
      const monday = start.getTime() - ((start.getUTCDay() + 6) % 7) * DAY_MS + 7 * step * DAY_MS;
      return { from: iso(monday), until: iso(monday + 6 * DAY_MS) };
    }
    case 'month':
      return month(year, start.getUTCMonth() + step);
    default:
      return { from: `${year + step}-01-01`, until: `${year + step}-12-31` };
  }
}

function monthOf(name: string): number {
  return MONTHS.indexOf(name.toLowerCase().slice(0, 3));
}

function hours(number: string | undefined, unit: string): number {
  return count(number) * (/^hour/i.test(unit) ? 3_600_000 : 60_000);
}

function count(number = ''): number {
  return /^\d/.test(number) ? Number(number) : (numberWord(number) ?? 1);
}

const TIME =
  /^,?\s+(?:at\s+)?(?:(\d{1,2})(?::(\d{2}))?\s*([ap])\.?m\b|(\d{1,2}):(\d{2})\b|(noon)\b)/i;

/** `at 10 am`, `14:30`, `at noon` right behind a day. */
function timeBehind(
  text: string,
): { readonly length: number; readonly minutes: number } | undefined {
  const match = TIME.exec(text);
  if (match === null) return undefined;
  const [whole, h12, m12 = '0', half, h24, m24 = '0', noon] = match;
  const isTwelve = h12 !== undefined;
  const afternoon = isTwelve && half?.toLowerCase() === 'p' ? 12 : 0;
  const hour = noon === undefined ? (isTwelve ? (Number(h12) % 12) + afternoon : Number(h24)) : 12;
  const minute = noon === undefined ? Number(isTwelve ? m12 : m24) : 0;
  if (hour > 23 || minute > 59 || Number(h12 ?? 1) > 12) return undefined;
  return { length: whole.length, minutes: hour * 60 + minute };
}
