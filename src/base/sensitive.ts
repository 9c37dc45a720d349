/** Arguments as a person may see them: values whose name says that they are secret are masked. */
import type { JsonObject } from './json.ts';

/** Names of arguments whose value is nobody's business. */
const SENSITIVE =
  /pass(word|wd|phrase)?$|secret|token$|api[-_]?key|authorization|credential|cookie/i;

/** The arguments as JSON on one line, secret-named texts as `***` at every depth. Not escaped for a terminal. */
export function maskedJson(args: JsonObject): string {
  return JSON.stringify(args, (key, value: unknown) =>
    SENSITIVE.test(key) && typeof value === 'string' ? '***' : value,
  );
}
