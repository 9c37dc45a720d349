/** A clock that stands still until a test moves it. */
import type { Clock } from '../../src/base/clock.ts';

export interface ManualClock extends Clock {
  /** Moves time; what is due runs in order, with what it starts in between. */
  advance(ms: number): Promise<void>;
  /** Timers that have not fired. */
  readonly waiting: number;
}

export function createManualClock(): ManualClock {
  let now = 0;
  let timers: { readonly at: number; readonly action: () => void }[] = [];
  return {
    now: () => now,
    date: () => new Date(Date.UTC(2026, 0, 1) + now),
    after(delayMs, action) {
      const timer = { at: now + Math.max(0, delayMs), action };
      timers.push(timer);
      return {
        cancel: () => {
          timers = timers.filter((one) => one !== timer);
        },
      };
    },
    async advance(ms) {
      const until = now + ms;
      for (;;) {
        await settle();
        const due = timers.filter((one) => one.at <= until).sort((a, b) => a.at - b.at)[0];
        if (due === undefined) break;
        timers = timers.filter((one) => one !== due);
        now = due.at;
        due.action();
      }
      now = until;
    },
    get waiting() {
      return timers.length;
    },
  };
}

/** Lets promises that are ready run. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}
