/** Calls inside a script, on the one road: permission in order, a bounded number at once, a bounded record. */

import { raceAbort, startLimit } from '../base/abort.ts';
import { toAppError } from '../base/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { createPool } from '../base/pool.ts';
import type { CallOutcome } from '../calls/types.ts';
import { SCRIPT_TOOL } from '../tools/registry.ts';
import { LIMITS } from './limits.ts';
import type { ScriptPorts } from './ports.ts';
import { findReachable, pathOf, pendingServer } from './reach.ts';
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
  let count = 0;
  let lastQuestion: Promise<unknown> = Promise.resolve();

  const work = async (server: string, name: string, given: JsonObject): Promise<Answer> => {
    const id = `${parentId}/${count}`;
    const shown = server === '' ? name : `${server}/${name}`;
    await awaitNamespace(ports, server === '' ? name : server, ending.signal);
    const snapshot = ports.snapshot();
    const path = pathOf(server, name, snapshot);
    const tool = findReachable(path, snapshot);
    if (path === SCRIPT_TOOL || isForModels(path, snapshot)) {
      return fail(`${path} cannot be called from a script`, 'invalid', path);
    }
    const call = { id, name: path, arguments: given, invalidArguments: undefined };
    const down = tool === undefined ? whyDown(ports, server === '' ? name : server) : undefined;
    if (down !== undefined) return fail(down, 'failed', shown);
    // The next question waits for this one's answer.
    const admission = lastQuestion.then(() =>
      ports.executor.admit({ ...call, origin: ports.origin }, snapshot, ending.signal),
    );
    lastQuestion = admission.catch(() => undefined);
    const admitted = await admission;
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

/** A tool of ours that steers the model, such as the search. */
function isForModels(path: string, snapshot: ReturnType<ScriptPorts['snapshot']>): boolean {
  const found = snapshot.resolve(path);
  return found.kind === 'found' && found.tool.exposure === 'model-only';
}

/** Waits for the server that a name belongs to, and for no other. */
async function awaitNamespace(
  ports: ScriptPorts,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  const pending = ports.pending();
  const server = pending.length === 0 ? undefined : pendingServer(name, pending);
  if (server !== undefined) await ports.awaitServer(server, signal);
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
