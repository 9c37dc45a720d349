/**
 * The text of a JSON answer. A near server's is taken in one read: Bun hands such a body over without a copy
 * of it (Bun 1.4.5), but tells of no byte before the last one.
 */
import { hostKind } from '../base/address.ts';
import type { Clock, Timer } from '../base/clock.ts';
import { MAX_BODY_BYTES, readText } from '../base/http.ts';

export interface TextReading {
  readonly clock: Clock;
  /** See `isNear`. */
  readonly isNear: boolean;
  /** Hears of life: of every piece, or in its place each second for as long as a slow way takes. */
  readonly onActivity: () => void;
}

/** 64 bytes a millisecond: what a loopback port may be the end of, a tunnel, is given to bring a body. */
const SLOWEST = 64;
const SIGN_MS = 1000;

/** The body as text. Rejects as `readText` does: LimitError beyond 16 MiB, or the network's error. */
export async function readAnswerText(response: Response, reading: TextReading): Promise<string> {
  const { clock, isNear, onActivity } = reading;
  const bytes = declaredBytes(response);
  if (!isNear || bytes === undefined || bytes > MAX_BODY_BYTES) {
    return readText(response, undefined, onActivity);
  }
  let leftMs = bytes / SLOWEST;
  let timer: Timer | undefined;
  const wait = () => {
    if (leftMs < SIGN_MS) return;
    timer = clock.after(SIGN_MS, () => {
      leftMs -= SIGN_MS;
      onActivity();
      wait();
    });
  };
  wait();
  try {
    return await response.text();
  } finally {
    timer?.cancel();
  }
}

/** True for a server on this machine, which has all of a body by the time it tells its length. */
export function isNear(url: string): boolean {
  return URL.canParse(url) && hostKind(new URL(url).hostname) === 'loopback';
}

/** Of a body that comes as it is. */
function declaredBytes({ headers }: Response): number | undefined {
  const length = headers.get('content-length');
  if (length === null || !/^\d+$/.test(length) || headers.has('content-encoding')) return undefined;
  return Number(length);
}
