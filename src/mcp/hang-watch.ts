/** What calls that ran out of time say about their server: how many in a row, and whether it hangs. */
import type { Clock, Timer } from '../base/clock.ts';
import type { Transport } from '../transport/types.ts';

const MAX_TIMEOUTS_IN_A_ROW = 3;
/** A process that timed out and stays silent this long is taken to hang. */
const HANG_MS = 2000;

export class HangWatch {
  readonly #clock: Clock;
  #inARow = 0;
  /** When a time-out was last counted. */
  #countedMs = Number.NEGATIVE_INFINITY;
  #timer: Timer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Counts one more, of a call that started at `startedMs`: calls that waited side by side are one
   * time-out. True when the server is to be given up.
   */
  count(startedMs: number): boolean {
    if (startedMs >= this.#countedMs) this.#inARow += 1;
    this.#countedMs = this.#clock.now();
    return this.#inARow >= MAX_TIMEOUTS_IN_A_ROW;
  }

  /** A call was answered, or a person starts anew. */
  reset(): void {
    this.#inARow = 0;
  }

  /** Calls `onHang` unless the server is heard within 2 s. */
  watch(transport: Transport, onHang: () => void): void {
    const heardMs = transport.lastHeardMs;
    this.cancel();
    this.#timer = this.#clock.after(HANG_MS, () => {
      if (transport.lastHeardMs === heardMs) onHang();
    });
  }

  /** The server that was watched is gone. */
  cancel(): void {
    this.#timer?.cancel();
  }
}
