/** Writes events as event stream text: the inverse of the parser. Source: WHATWG HTML 9.2.5. */
import { InternalError } from '../base/errors.ts';
import type { SseEvent } from './types.ts';

/**
 * One event as text, its blank line included, LF only. CR, CRLF and LF in `data` all become line breaks
 * between data fields (the format cannot carry a CR). An empty `event` is left out: it means the default.
 * Throws InternalError for an event name or id with CR or LF, or an id with NUL: they would be read as
 * other fields, or not at all.
 */
export function encodeSseEvent({ event, data, id }: SseEvent): string {
  const fields: string[] = [];
  if (event) fields.push(`event: ${checked('event', event, /[\r\n]/)}`);
  if (id !== undefined) fields.push(`id: ${checked('id', id, /[\r\n\0]/)}`);
  for (const line of data.split(/\r\n|\r|\n/)) fields.push(`data: ${line}`);
  return `${fields.join('\n')}\n\n`;
}

function checked(field: string, value: string, forbidden: RegExp): string {
  if (!forbidden.test(value)) return value;
  throw new InternalError(`an SSE ${field} cannot contain CR, LF or NUL: ${JSON.stringify(value)}`);
}
