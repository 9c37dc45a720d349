/** What a list tells of a session: read from the start of its file only. */
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { isJsonObject, type JsonObject, tryParseJson } from '../base/json.ts';

const HEAD_BYTES = 16 * 1024;
const MAX_TITLE = 200;

export interface SessionHead {
  readonly id: string;
  readonly cwd: string;
  readonly title: string;
}

/** `undefined`: no session, or not readable. */
export function readHead(path: string): SessionHead | undefined {
  const text = readStart(path);
  if (text === undefined) return undefined;
  const [first = '', ...rest] = text.split('\n');
  const head = objectOf(first);
  const { kind, id, cwd } = head;
  if (kind !== 'session' || typeof id !== 'string' || typeof cwd !== 'string') return undefined;
  return { id, cwd, title: titleOf(rest) };
}

/** The first prompt; its line may be cut in the middle. */
function titleOf(lines: readonly string[]): string {
  const line = lines.find((one) => one.includes('"role":"user"')) ?? '';
  const message = objectOf(line)['message'];
  const whole = isJsonObject(message) ? message['text'] : undefined;
  if (typeof whole === 'string') return whole.slice(0, MAX_TITLE);
  const cut = /"text":"((?:[^"\\]|\\.)*)/.exec(line)?.[1] ?? '';
  const text = tryParseJson(`"${cut}"`);
  return typeof text === 'string' ? text.slice(0, MAX_TITLE) : '';
}

function objectOf(line: string): JsonObject {
  const value = tryParseJson(line);
  return isJsonObject(value) ? value : {};
}

function readStart(path: string): string | undefined {
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const bytes = new Uint8Array(HEAD_BYTES);
      return new TextDecoder().decode(bytes.subarray(0, readSync(fd, bytes)));
    } finally {
      closeSync(fd);
    }
  } catch {
    // Whatever cannot be read is no session to a list.
    return undefined;
  }
}
