/**
 * What ends a run from outside. The first signal cancels and lets everything close; a second one, or
 * a close that takes too long, kills the children and ends the process at once.
 */
import type { Clock, Timer } from '../base/clock.ts';
import { type EndSignal, InterruptedError, signalExit } from '../base/errors.ts';
import type { ExitCode } from '../base/exit.ts';

export interface Interrupts {
  /** Aborts with an InterruptedError at the first signal. */
  readonly signal: AbortSignal;
  /**
   * While set, a SIGINT is handed to `handler` and ends nothing: Ctrl-C is the answer to a question. A
   * second one within 2 s means the run, whatever question stands there by then.
   */
  takeSigint(handler: () => void): () => void;
  /** Called once before the process is ended at once. */
  onKill(action: () => void): void;
  /** Runs the kill actions now, each once. */
  kill(): void;
  dispose(): void;
}

/** Where signals come from: `process`, or a stand-in. */
export interface SignalSource {
  on(name: EndSignal, listener: () => void): unknown;
  off(name: EndSignal, listener: () => void): unknown;
}

export interface InterruptPorts {
  readonly source: SignalSource;
  readonly clock: Clock;
  /** Ends the process at once. */
  readonly exit: (code: ExitCode) => void;
}

/** An orderly end takes at most 4 s; beyond this it hangs. */
const CLOSE_LIMIT_MS = 5000;
const SECOND_SIGINT_MS = 2000;

/** Watches SIGINT, SIGQUIT, SIGTERM and SIGHUP until disposed. */
export function watchSignals(ports: InterruptPorts): Interrupts {
  const controller = new AbortController();
  const kills: (() => void)[] = [];
  let sigintHandler: (() => void) | undefined;
  let guard: Timer | undefined;
  let handedAt = Number.NEGATIVE_INFINITY;

  const kill = () => {
    for (const action of kills.splice(0)) action();
  };
  const end = (code: ExitCode) => {
    kill();
    ports.exit(code);
  };
  const receive = (name: EndSignal) => {
    const now = ports.clock.now();
    if (name === 'SIGINT' && sigintHandler !== undefined && now - handedAt >= SECOND_SIGINT_MS) {
      handedAt = now;
      sigintHandler();
      return;
    }
    const code = signalExit(name);
    if (controller.signal.aborted) {
      end(code);
      return;
    }
    guard = ports.clock.after(CLOSE_LIMIT_MS, () => end(code));
    controller.abort(new InterruptedError(name));
  };
  const listeners = (['SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP'] as const).map((name) => {
    const listener = () => receive(name);
    ports.source.on(name, listener);
    return { name, listener };
  });

  return {
    signal: controller.signal,
    takeSigint(handler) {
      sigintHandler = handler;
      return () => {
        if (sigintHandler === handler) sigintHandler = undefined;
      };
    },
    onKill: (action) => kills.push(action),
    kill,
    dispose() {
      guard?.cancel();
      for (const { name, listener } of listeners) ports.source.off(name, listener);
    },
  };
}
