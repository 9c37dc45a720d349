/** What calls inside of a model's scripts add to the result of its run: they count as its own calls. */

import { describeOutcome } from '../agent/turn.ts';
import type { RunLimits, RunResult, ToolCallRecord } from '../agent/types.ts';
import { EXIT, type ExitCode } from '../base/exit.ts';
import type { Executor } from '../calls/execute.ts';
import type { TimedOutcome, ToolCall } from '../calls/types.ts';

/** Calls in the result of one run; what is denied or unsure is counted beyond. */
const MAX_CALLS = 256;

export interface NestedLog {
  /** The road for scripts: the same, and noted. */
  readonly executor: Pick<Executor, 'admit'>;
  /** The result with what was noted since the last time. */
  addTo(result: RunResult, limits: Pick<RunLimits, 'onDenied'>): RunResult;
}

export function createNestedLog(executor: Executor): NestedLog {
  let noted: { readonly call: ToolCall; readonly timed: TimedOutcome }[] = [];
  const note = (call: ToolCall, timed: TimedOutcome): TimedOutcome => {
    const { kind } = timed.outcome;
    if (noted.length < MAX_CALLS || kind === 'denied' || kind === 'unknown') {
      noted.push({ call, timed });
    }
    return timed;
  };
  return {
    executor: {
      async admit(call, snapshot, signal) {
        const admitted = await executor.admit(call, snapshot, signal);
        if (admitted.kind === 'over') {
          note(call, admitted.outcome);
          return admitted;
        }
        return { kind: 'ready', send: async () => note(call, await admitted.send()) };
      },
    },
    addTo(result, limits) {
      const calls = noted;
      noted = [];
      if (calls.length === 0) return result;
      const merged = {
        ...result,
        toolCalls: [...result.toolCalls, ...calls.slice(0, MAX_CALLS).map(toRecord)],
        denied: [...result.denied, ...calls.flatMap(deniedCall)],
        unknownOutcome: [...result.unknownOutcome, ...calls.flatMap(unknownCall)],
      };
      return { ...merged, exit: exitOf(merged, limits) };
    },
  };
}

type Noted = { readonly call: ToolCall; readonly timed: TimedOutcome };

function toRecord({ call, timed }: Noted): ToolCallRecord {
  const { outcome, durationMs } = timed;
  return {
    id: call.id,
    server: outcome.tool?.server,
    tool: outcome.tool?.name ?? call.name,
    arguments: call.arguments,
    outcome: describeOutcome(outcome).record,
    durationMs: Math.round(durationMs),
  };
}

function deniedCall({ timed: { outcome } }: Noted): RunResult['denied'] {
  if (outcome.kind !== 'denied') return [];
  const { server, name } = outcome.tool;
  return [{ server, tool: name, by: outcome.by, remedy: outcome.remedy }];
}

function unknownCall({ timed: { outcome } }: Noted): RunResult['unknownOutcome'] {
  if (outcome.kind !== 'unknown') return [];
  return [{ server: outcome.tool.server, tool: outcome.tool.name }];
}

/** As without scripts: an unsure effect outweighs a denied call, and both an answer. */
function exitOf(result: RunResult, { onDenied }: Pick<RunLimits, 'onDenied'>): ExitCode {
  const isAnswered = result.exit === EXIT.ok || result.exit === EXIT.permission;
  if (!isAnswered) return result.exit;
  if (result.unknownOutcome.length > 0) return EXIT.unknownOutcome;
  const refused = result.denied.some(({ by }) => by !== 'person');
  return refused && onDenied === 'fail' ? EXIT.permission : EXIT.ok;
}
