/** The two clocks of a call: silence, reset by every sign of life, and the whole of it. */
import { startLimit } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { LimitError } from '../base/errors.ts';
import type { CallLimits, ServerConfig } from '../config/types.ts';
import { durationText } from './errors.ts';

export interface CallClocks {
  /** When the call started, by the clock. */
  readonly startedMs: number;
  /** Aborts with a LimitError (details: limit, limitMs) that names the clock, or with the caller's reason. */
  readonly signal: AbortSignal;
  /** A sign of life. */
  touch(): void;
  /** Holds the clock of silence, as while a person is asked. Pauses nest. */
  pause(): void;
  resume(): void;
  dispose(): void;
}

/** `what` is the tool's original name, or the method of any other request. The caller disposes. */
export function startCallClocks(
  clock: Clock,
  config: ServerConfig,
  what: string,
  caller: AbortSignal,
): CallClocks {
  const { idleMs, maxMs } = callLimits(config, what);
  const where = `${config.name}/${what}`;
  const idle = startLimit(clock, idleMs, () =>
    timedOut(`${where}: no sign of life for ${durationText(idleMs)}`, 'timeout.idle', idleMs),
  );
  const max = startLimit(clock, maxMs, () =>
    timedOut(`${where}: still running after ${durationText(maxMs)}`, 'timeout.max', maxMs),
  );
  // Not AbortSignal.any: what it makes stays with a caller that lives on (Bun 1.4.5).
  const control = new AbortController();
  const onCaller = () => control.abort(caller.reason);
  if (caller.aborted) onCaller();
  caller.addEventListener('abort', onCaller, { once: true });
  for (const { signal } of [idle, max]) {
    signal.addEventListener('abort', () => control.abort(signal.reason), { once: true });
  }
  return {
    startedMs: clock.now(),
    signal: control.signal,
    touch: () => idle.reset(),
    pause: () => idle.pause(),
    resume: () => idle.resume(),
    dispose() {
      caller.removeEventListener('abort', onCaller);
      idle.dispose();
      max.dispose();
    },
  };
}

function callLimits(config: ServerConfig, tool: string): CallLimits {
  const { idleMs, maxMs, tools } = config.timeout;
  const own = Object.hasOwn(tools, tool) ? tools[tool] : undefined;
  return { idleMs: own?.idleMs ?? idleMs, maxMs: own?.maxMs ?? maxMs };
}

function timedOut(text: string, limit: string, limitMs: number): LimitError {
  return new LimitError(`${text} (${limit})`, { details: { limit, limitMs } });
}
