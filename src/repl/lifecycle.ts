/** What Ctrl-C, signals and faults mean at each moment of a session: plain state, no terminal, no host. */
import { InterruptedError, toAppError } from '../base/errors.ts';
import { EXIT, type ExitCode } from '../base/exit.ts';

export interface Lifecycle {
  /** Aborts when the session must end. */
  readonly ending: AbortSignal;
  /** Resolves when the session must end, without waiting for what runs; rejects after a fault. */
  readonly ended: Promise<ExitCode>;
  /** Resolves when nothing at all is waited for. */
  readonly killing: Promise<void>;
  isKilled(): boolean;
  exitCode(): ExitCode;
  /** The signal of one prompt or command. */
  startWork(): AbortSignal;
  endWork(): void;
  /** From here on a Ctrl-C kills. */
  leave(): void;
  /** A Ctrl-C while no line is read: the first one cancels the work, the next one kills. */
  interrupt(): 'cancel' | 'kill' | 'nothing';
  end(code: ExitCode, reason: unknown): void;
  /** A fault that nobody caught. Only the first counts; after the end there is nobody to tell. */
  crash(thrown: unknown): void;
  killed(): void;
}

export function createLifecycle(): Lifecycle {
  const ending = new AbortController();
  const ended = Promise.withResolvers<ExitCode>();
  const killing = Promise.withResolvers<void>();
  let work: AbortController | undefined;
  let isLeaving = false;
  let isKilled = false;
  let exit: ExitCode = EXIT.ok;

  return {
    ending: ending.signal,
    ended: ended.promise,
    killing: killing.promise,
    isKilled: () => isKilled,
    exitCode: () => exit,
    startWork(): AbortSignal {
      work = new AbortController();
      return AbortSignal.any([work.signal, ending.signal]);
    },
    endWork() {
      work = undefined;
    },
    leave() {
      isLeaving = true;
    },
    interrupt(): 'cancel' | 'kill' | 'nothing' {
      if (isLeaving) return 'kill';
      if (work === undefined) return 'nothing';
      if (work.signal.aborted) return 'kill';
      work.abort(new InterruptedError());
      return 'cancel';
    },
    end(code: ExitCode, reason: unknown) {
      if (ending.signal.aborted) return;
      exit = code;
      ending.abort(reason);
      ended.resolve(code);
    },
    crash(thrown: unknown) {
      ended.reject(toAppError(thrown));
      ending.abort(thrown);
    },
    killed() {
      isKilled = true;
      ended.resolve(EXIT.interrupted);
      killing.resolve();
    },
  };
}
