/** The local calendar: days as `YYYY-MM-DD`, moments as RFC 3339. Pure but for the process's time zone. */

export const DAY_LENGTH = 'YYYY-MM-DD'.length;
export const DAY_MS = 86_400_000;

/** A day as the milliseconds of its midnight in UTC. */
export function today(now: Date): number {
  return Date.UTC(now.getFullYear(), now.getMonth(), now.getDate());
}

/** By the calendar: a month after 31 January is the last day of February. */
export function shift(day: number, by: number, unit: string): number {
  if (/^day/i.test(unit)) return day + by * DAY_MS;
  if (/^week/i.test(unit)) return day + 7 * by * DAY_MS;
  const date = new Date(day);
  const months = date.getUTCMonth() + (/^year/i.test(unit) ? 12 * by : by);
  const last = new Date(Date.UTC(date.getUTCFullYear(), months + 1, 0)).getUTCDate();
  return Date.UTC(date.getUTCFullYear(), months, Math.min(date.getUTCDate(), last));
}

/** Of a day's milliseconds; empty for one beyond what a date can be. */
export function iso(day: number): string {
  const date = new Date(day);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, DAY_LENGTH);
}

/** First and last day; `index` counts from 0 and may lie outside the year. */
export function month(
  year: number,
  index: number,
): { readonly from: string; readonly until: string } {
  const from = iso(Date.UTC(year, index, 1));
  return { from, until: iso(Date.UTC(year, index + 1, 0)) };
}

/** A day's first or last second, as RFC 3339 has it. */
export function edgeOfDay(day: string, edge: 'first' | 'last'): string {
  return edge === 'first'
    ? momentOf(day, 0)
    : momentOf(day, 24 * 60 - 1).replace(/:00(?=Z|[+-])/, ':59');
}

/** `minutes` after the day's midnight. */
export function momentOf(day: string, minutes: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return moment(new Date(year, month - 1, date, 0, minutes).getTime());
}

/** RFC 3339 to the second, with the local offset. */
export function moment(ms: number): string {
  const date = new Date(ms);
  const offset = -date.getTimezoneOffset();
  const local = new Date(ms + offset * 60_000).toISOString().slice(0, 19);
  if (offset === 0) return `${local}Z`;
  const size = Math.abs(offset);
  const part = (value: number) => String(value).padStart(2, '0');
  return `${local}${offset < 0 ? '-' : '+'}${part(Math.floor(size / 60))}:${part(size % 60)}`;
}
