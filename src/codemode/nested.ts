/** Calls inside a script, on the one road: permission in order, a bounded number at once, a bounded record. */

import { raceAbort, startLimit } from '../base/abort.ts';
import { toAppError } from '../base/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { createPool } from '../base/pool.ts';
import type { CallOutcome } from '../calls/types.ts';
import { LIMITS } from './limits.ts';
import type { ScriptPorts } from './ports.ts';
import { createReach, pendingServer } from './reach.ts';
import { createNestedRecord, type NestedRecord } from './record.ts';
import type { RequestFailure } from './types.ts';

export type Answer =
  | { readonly isOk: true; readonly value: JsonValue }
  | { readonly isOk: false; readonly failure: RequestFailure };

export interface NestedRun {
  /** Never rejects. */
  call(server: string, name: string, args: JsonValue | undefined): Promise<Answer>;
  /** Cancels what is on its way and waits for its end. Returns names of calls that nobody waited for. */
  end(): Promise<readonly string[]>;
  readonly record: NestedRecord;
}

export function createNestedRun(
  ports: ScriptPorts,
  parentId: string,
  signal: AbortSignal,
): NestedRun {
  const pool = createPool(LIMITS.parallelCalls);
  const never = new AbortController().signal;
  // One plain signal: a composed one costs each call that listens to it.
  const ending = new AbortController();
  const onAbort = () => ending.abort(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  const record = createNestedRecord();
  const running = new Map<Promise<unknown>, string>();
  const reach = createReach();
  const inTurn = createTurns();
  let count = 0;

  const work = async (server: string, name: string, given: JsonObject): Promise<Answer> => {
    const id = `${parentId}/${count}`;
    const shown = server === '' ? name : `${server}/${name}`;
    const pending = pendingFor(ports, server === '' ? name : server);
    if (pending !== undefined) await ports.awaitServer(pending, ending.signal);
    const snapshot = ports.snapshot();
    const { path, tool, refusal } = reach(server, name, snapshot);
    if (refusal !== undefined) return fail(refusal, 'invalid', path);
    const down = tool === undefined ? whyDown(ports, server === '' ? name : server) : undefined;
    if (down !== undefined) return fail(down, 'failed', shown);
    const { origin } = ports;
    const call = { id, name: path, arguments: given, invalidArguments: undefined, origin };
    const admitted = await inTurn(() => ports.executor.admit(call, snapshot, ending.signal));
    let outcome: CallOutcome;
    if (admitted.kind === 'over') ({ outcome } = admitted.outcome);
    else {
      const release = await pool.take(never);
      const timed = await admitted.send().finally(release);
      outcome = timed.outcome;
    }
    record.add({ id, shown: tool === undefined ? shown : toolPath(tool), given, outcome });
    return answerOf(outcome, shown);
  };

  return {
    record,
    async call(server, name, args) {
      const shown = server === '' ? name : `${server}/${name}`;
      if (!isJsonObject(args)) {
        return fail(`the arguments of ${shown} must be one object`, 'invalid', shown);
      }
      if (count >= LIMITS.calls) {
        return fail(`a script makes at most ${LIMITS.calls} calls`, 'limit', shown);
      }
      count += 1;
      const answer = work(server, name, args).catch((error: unknown): Answer => {
        const { message } = toAppError(error);
        return fail(message, 'failed', shown);
      });
      running.set(answer, shown);
      try {
        return await answer;
      } finally {
        running.delete(answer);
      }
    },
    async end() {
      const unawaited = [...running.values()];
      ending.abort(new Error('the script has ended'));
      const settled = Promise.allSettled(running.keys());
      const limit = startLimit(ports.clock, LIMITS.endMs, () => new Error('too late'));
      // What does not heed the cancelling is left behind: nobody waits for its answer any more.
      await raceAbort(settled, limit.signal).catch(() => undefined);
      limit.dispose();
      signal.removeEventListener('abort', onAbort);
      return unawaited;
    },
  };
}

/** Work that is done one after the other: the next question waits for this one's answer. */
function createTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> | undefined;
  return (work) => {
    const done = last === undefined ? work() : last.then(work);
    const quiet: Promise<unknown> = done.then(
      () => leave(quiet),
      () => leave(quiet),
    );
    last = quiet;
    return done;
  };
  function leave(turn: Promise<unknown>): void {
    if (last === turn) last = undefined;
  }
}

/** The server that a name belongs to, while it may still bring tools: no other one is waited for. */
function pendingFor(ports: ScriptPorts, name: string): string | undefined {
  const pending = ports.pending();
  return pending.length === 0 ? undefined : pendingServer(name, pending);
}

/** A tool that is not there, because its server is not. */
function whyDown(ports: ScriptPorts, name: string): string | undefined {
  const down = ports.servers().filter(({ problem }) => problem !== undefined);
  const names = down.map((server) => server.name);
  const server = pendingServer(name, names);
  const problem = down.find((one) => one.name === server)?.problem;
  return problem === undefined ? undefined : `server ${server} is not there: ${problem}`;
}

function toolPath(tool: { readonly server: string; readonly name: string }): string {
  return `${tool.server}/${tool.name}`;
}

/**
 * What a script gets: structured content where the tool declares its shape, also of an error; else the whole
 * result. Everything that is no result, and an error without that shape, is thrown with the tool's text.
 */
function answerOf(outcome: CallOutcome, shown: string): Answer {
  if (outcome.kind !== 'result') {
    const path = outcome.tool === undefined ? shown : toolPath(outcome.tool);
    return fail(outcome.text, outcome.kind, path);
  }
  const { tool, result, rendered } = outcome;
  const { structuredContent } = result;
  const isShaped = tool.definition.outputSchema !== undefined && structuredContent !== undefined;
  if (isShaped) return { isOk: true, value: structuredContent };
  const value = plainResult(result);
  if (!result.isError) return { isOk: true, value };
  const failure = {
    message: rendered.text,
    name: 'ToolError',
    kind: 'error',
    tool: toolPath(tool),
  };
  return { isOk: false, failure: { ...failure, result: value } };
}

/** The result as received, without `_meta`; the fields that have to be there are. */
function plainResult({ raw, content, structuredContent, isError }: ResultOf): JsonObject {
  const { _meta: _, ...rest } = isJsonObject(raw) ? raw : {};
  const structured = structuredContent === undefined ? {} : { structuredContent };
  return { ...rest, content, ...structured, isError };
}

type ResultOf = Extract<CallOutcome, { kind: 'result' }>['result'];

function fail(message: string, kind: string, tool: string): Answer {
  return { isOk: false, failure: { message, name: 'ToolError', kind, tool } };
}
