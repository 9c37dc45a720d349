/** Outputs on their way out of the worker: soon, so that they outlive it, and in groups when there are many. */
import { LIMITS } from './limits.ts';
import type { ScriptItem } from './types.ts';

/** So many go out one by one. */
const SINGLE = 500;
const GROUP = 200;
const GROUP_CHARACTERS = 65_536;
const TICK_MS = 50;

export interface Outlet {
  readonly emit: (kind: string, text: string) => void;
  /** From time to time: sends what has waited. */
  readonly tick: () => void;
  /** Counts outputs that never came here. */
  readonly lose: (count: number) => void;
  flush(): void;
  reset(): void;
  /** How many were over a bound. */
  dropped(): number;
}

/** `now` in milliseconds. Beyond the bound of characters outputs are counted, not kept. */
export function createOutlet(
  send: (items: readonly ScriptItem[], lines: readonly string[]) => void,
  now: () => number,
): Outlet {
  let items: ScriptItem[] = [];
  let lines: string[] = [];
  let waiting = 0;
  let count = 0;
  /** Of the console and of all else: neither takes the other's room. */
  let characters = { console: 0, output: 0 };
  let dropped = 0;
  let sentAt = 0;

  const flush = () => {
    if (items.length + lines.length === 0) return;
    send(items, lines);
    items = [];
    lines = [];
    waiting = 0;
    sentAt = now();
  };
  return {
    emit(kind, text) {
      const channel = kind === 'console' ? 'console' : 'output';
      const room = LIMITS.outputCharacters - characters[channel];
      if (room <= 0 || (text.length > room && kind.includes('/'))) {
        dropped += 1;
        return;
      }
      const kept = text.length > room ? text.slice(0, room) : text;
      if (kept !== text) dropped += 1;
      count += 1;
      characters[channel] += kept.length;
      waiting += kept.length;
      if (kind === 'console') lines.push(kept);
      else if (kind === 'text') items.push({ kind, text: kept });
      else items.push({ kind: 'image', mimeType: kind, data: kept });
      const isFull = items.length + lines.length >= GROUP || waiting >= GROUP_CHARACTERS;
      if (count <= SINGLE || isFull) flush();
    },
    tick() {
      if (now() - sentAt > TICK_MS) flush();
    },
    lose(count) {
      dropped += count;
    },
    flush,
    reset() {
      items = [];
      lines = [];
      waiting = 0;
      count = 0;
      characters = { console: 0, output: 0 };
      dropped = 0;
    },
    dropped: () => dropped,
  };
}
