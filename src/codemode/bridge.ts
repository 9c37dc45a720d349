/**
 * Workers and what is said to them: two at most, first come first served, ended when they are stuck. Knows
 * nothing of tools; requests of a script go to `serve`.
 */

import { raceAbort, startLimit } from '../base/abort.ts';
import type { Clock, Timer } from '../base/clock.ts';
import { FailedError, LimitError } from '../base/errors.ts';
import { createPool } from '../base/pool.ts';
import { LIMITS } from './limits.ts';
import type { FromWorker, ScriptEnd, ScriptItem, StartMessage, ToWorker } from './types.ts';

export interface ScriptJob {
  readonly start: StartMessage;
  /** Aborts when the script has used up its time; its reason is told. */
  readonly deadline: AbortSignal;
  readonly onOutput: (items: readonly ScriptItem[], lines: readonly string[]) => void;
  /** A request and its answer as JSON texts of one line, see `ToWorker`. Must not reject. */
  readonly serve: (request: string) => Promise<string>;
}

export interface JobEnd {
  readonly end: ScriptEnd;
  readonly dropped: number;
}

export interface Bridge {
  /**
   * Runs one script. Rejects with LimitError when no worker was free in time, with the signal's reason after
   * an abort; everything else is in the end.
   */
  run(job: ScriptJob, onStart: () => void, signal: AbortSignal): Promise<JobEnd>;
  /** Ends all workers. */
  close(): void;
}

export function createBridge(clock: Clock, openWorker: () => Worker = openScriptWorker): Bridge {
  const pool = createPool(LIMITS.workers);
  const idle: Hand[] = [];
  let isClosed = false;

  const takeHand = (): Hand => {
    const kept = idle.pop();
    kept?.rest?.cancel();
    return kept ?? { worker: openWorker(), scripts: 0, rest: undefined };
  };
  const giveBack = (hand: Hand, isReusable: boolean) => {
    hand.scripts += 1;
    if (!isReusable || isClosed || hand.scripts >= LIMITS.scriptsPerWorker) {
      hand.worker.terminate();
      return;
    }
    hand.worker.unref();
    hand.rest = clock.after(LIMITS.idleMs, () => {
      idle.splice(idle.indexOf(hand), 1);
      hand.worker.terminate();
    });
    idle.push(hand);
  };

  return {
    async run(job, onStart, signal) {
      const release = await takePlace(pool, clock, signal);
      try {
        const hand = takeHand();
        hand.worker.ref();
        if (hand.scripts === 0) await awaitReady(hand.worker, clock, signal);
        onStart();
        const { result, isReusable } = await talk(hand.worker, job, clock, signal);
        giveBack(hand, isReusable);
        if (result.kind === 'aborted') throw signal.reason;
        return result;
      } finally {
        release();
      }
    },
    close() {
      isClosed = true;
      for (const { worker, rest } of idle.splice(0)) {
        rest?.cancel();
        worker.terminate();
      }
    },
  };
}

interface Hand {
  readonly worker: Worker;
  scripts: number;
  rest: Timer | undefined;
}

/** The worker's path differs: beside this file in the source, below the root in the binary. */
function openScriptWorker(): Worker {
  const isSource = import.meta.url.endsWith('.ts');
  const path = isSource ? './worker.ts' : './src/codemode/worker.js';
  return new Worker(new URL(path, import.meta.url).href);
}

/** Loads the engine. Rejects with FailedError, or the signal's reason; the worker is ended then. */
async function awaitReady(worker: Worker, clock: Clock, signal: AbortSignal): Promise<void> {
  const limit = startLimit(
    clock,
    LIMITS.loadMs,
    () => new FailedError('the script engine did not start'),
  );
  const ready = new Promise<void>((resolve, reject) => {
    worker.onmessage = () => resolve();
    worker.onerror = (event) => {
      event.preventDefault();
      reject(new FailedError(`the script engine did not start: ${event.message}`));
    };
  });
  try {
    await raceAbort(ready, AbortSignal.any([signal, limit.signal]));
  } catch (error) {
    worker.terminate();
    throw error;
  } finally {
    limit.dispose();
  }
}

async function takePlace(
  pool: ReturnType<typeof createPool>,
  clock: Clock,
  signal: AbortSignal,
): Promise<() => void> {
  const limit = startLimit(clock, LIMITS.queueMs, () => {
    const seconds = LIMITS.queueMs / 1000;
    return new LimitError(`no script worker was free within ${seconds} s`, {
      details: { limit: 'script queue' },
    });
  });
  try {
    return await pool.take(AbortSignal.any([signal, limit.signal]));
  } finally {
    limit.dispose();
  }
}

type Talked = {
  readonly result: ({ readonly kind: 'ended' } & JobEnd) | { readonly kind: 'aborted' };
  readonly isReusable: boolean;
};

/** One script, from its start message to its end. Never rejects. */
function talk(worker: Worker, job: ScriptJob, clock: Clock, signal: AbortSignal): Promise<Talked> {
  return new Promise((resolve) => {
    let sent = 0;
    let answers: string[] = [];
    let isOver = false;

    const settle = (talked: Talked) => {
      if (isOver) return;
      isOver = true;
      watchdog.stop();
      signal.removeEventListener('abort', onAbort);
      job.deadline.removeEventListener('abort', onDeadline);
      worker.onmessage = null;
      worker.onerror = null;
      resolve(talked);
    };
    const fail = (kind: 'limit' | 'error', message: string) => {
      const end: ScriptEnd = { kind: 'failed', error: { kind, message } };
      settle({ result: { kind: 'ended', end, dropped: 0 }, isReusable: false });
    };
    const onAbort = () => settle({ result: { kind: 'aborted' }, isReusable: false });
    const onDeadline = () => {
      const { reason } = job.deadline;
      fail('limit', reason instanceof Error ? reason.message : 'the script took too long');
    };
    const { cpuMs } = job.start;
    const watchdog = createWatchdog(clock, cpuMs + LIMITS.graceMs, () =>
      fail('limit', `the script computed for more than ${cpuMs} ms`),
    );
    const post = (message: ToWorker) => {
      if (isOver) return;
      worker.postMessage(message);
      watchdog.watch();
    };
    /** What is answered at the same time goes in one message. */
    const postAnswers = () => {
      const texts = answers;
      answers = [];
      sent += texts.length;
      post(texts.join('\n'));
    };
    const serve = async (request: string) => {
      const answer = await job.serve(request);
      if (answers.push(answer) === 1) queueMicrotask(postAnswers);
    };

    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      if (typeof data === 'string') {
        const [handled, ...requests] = data.split('\n');
        watchdog.rest(Number(handled) === sent);
        for (const request of requests) {
          serve(request).catch(() => fail('error', 'a request of the script was lost'));
        }
      } else if (data.type === 'out') job.onOutput(data.items, data.lines);
      else if (data.type === 'end') {
        const { end, dropped, isClean, bytes } = data;
        const isReusable = isClean && bytes <= LIMITS.keptBytes && !isLimit(end);
        settle({ result: { kind: 'ended', end, dropped }, isReusable });
      }
    };
    worker.onerror = (event) => {
      event.preventDefault();
      fail('error', new FailedError(`the script engine failed: ${event.message}`).message);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    job.deadline.addEventListener('abort', onDeadline, { once: true });
    if (signal.aborted) onAbort();
    else post(job.start);
  });
}

interface Watchdog {
  /** The VM computes from now on, unless it did already. */
  watch(): void;
  /** It gave a sign of life; `isIdle`: it has nothing to do any more. */
  rest(isIdle: boolean): void;
  stop(): void;
}

/**
 * Barks once the VM has computed for `limitMs` without a sign of life: one that cannot be interrupted is ended
 * with its worker. Has one timer at a time, because starting one for each message costs as much as the message.
 */
function createWatchdog(clock: Clock, limitMs: number, bark: () => void): Watchdog {
  let busySince: number | undefined;
  let timer: Timer | undefined;
  const look = () => {
    timer = undefined;
    if (busySince === undefined) return;
    const leftMs = busySince + limitMs - clock.now();
    if (leftMs <= 0) bark();
    else timer = clock.after(leftMs, look);
  };
  return {
    watch() {
      busySince ??= clock.now();
      timer ??= clock.after(limitMs, look);
    },
    rest(isIdle) {
      busySince = isIdle ? undefined : clock.now();
    },
    stop() {
      busySince = undefined;
      timer?.cancel();
    },
  };
}

function isLimit(end: ScriptEnd): boolean {
  return end.kind === 'failed' && end.error.kind === 'limit';
}
