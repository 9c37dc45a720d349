/** What a run did, gathered as it goes: the source of `RunResult` and of its exit code. */
import type { AppError } from '../base/errors.ts';
import { EXIT, type ExitCode } from '../base/exit.ts';
import type { TimedOutcome, ToolCall } from '../calls/types.ts';
import type { ModelToolCall, TokenUsage } from '../model/types.ts';
import { describeOutcome } from './turn.ts';
import type { DeniedCall, RunLimits, RunResult, ToolCallRecord } from './types.ts';

export interface RunRecord {
  readonly turns: number;
  readonly usage: TokenUsage;
  addTurn(usage: TokenUsage): void;
  addCalls(calls: readonly ToolCall[], outcomes: readonly TimedOutcome[]): void;
  /** Calls of a reply that was cut: none of them ran. */
  addUnrun(calls: readonly ModelToolCall[]): void;
  warn(message: string): void;
  /** The answer is text, but not all of it. */
  cutByLength(error: AppError): void;
  finish(answer: string): RunResult;
  fail(error: AppError): RunResult;
}

export function createRunRecord(limits: RunLimits): RunRecord {
  const toolCalls: ToolCallRecord[] = [];
  const denied: DeniedCall[] = [];
  const unknownOutcome: { server: string; tool: string }[] = [];
  const warnings: string[] = [];
  let turns = 0;
  let usage: TokenUsage = { inputTokens: 0, outputTokens: 0 };
  let cut: AppError | undefined;

  const result = (answer: string, exit: ExitCode, error: AppError | undefined): RunResult => ({
    answer,
    exit,
    error: error && { code: error.code, message: error.message, hint: error.hint },
    turns,
    usage,
    toolCalls,
    denied,
    unknownOutcome,
    warnings,
  });

  /** An unsure effect outweighs a denied call: someone has to look. */
  const calledExit = (): ExitCode => {
    if (unknownOutcome.length > 0) return EXIT.unknownOutcome;
    const refused = denied.some((call) => call.by !== 'person');
    return refused && limits.onDenied === 'fail' ? EXIT.permission : EXIT.ok;
  };

  /** What became of calls says more than that the run failed, or that a call was denied. */
  const failedExit = (error: AppError): ExitCode => {
    const isOfCalls = error.code === 'failed' || error.code === 'permission';
    if (!isOfCalls) return error.exit;
    const called = calledExit();
    if (called !== EXIT.ok) return called;
    const isForgiven = error.code === 'permission' && limits.onDenied === 'continue';
    return isForgiven ? EXIT.ok : error.exit;
  };

  return {
    get turns() {
      return turns;
    },
    get usage() {
      return usage;
    },
    addTurn(added) {
      turns += 1;
      usage = {
        inputTokens: usage.inputTokens + added.inputTokens,
        outputTokens: usage.outputTokens + added.outputTokens,
      };
    },
    addCalls(calls, outcomes) {
      calls.forEach((call, index) => {
        const timed = outcomes[index];
        if (timed === undefined) return;
        const { outcome } = timed;
        toolCalls.push(toRecord(call, timed));
        if (outcome.kind === 'denied') {
          const { server, name } = outcome.tool;
          denied.push({ server, tool: name, by: outcome.by, remedy: outcome.remedy });
        }
        const isUnsure =
          outcome.kind === 'unknown' || (outcome.kind === 'cancelled' && outcome.sent);
        if (isUnsure && outcome.tool !== undefined) {
          unknownOutcome.push({ server: outcome.tool.server, tool: outcome.tool.name });
        }
      });
    },
    addUnrun(calls) {
      for (const call of calls) {
        toolCalls.push({
          id: call.id,
          server: undefined,
          tool: call.name,
          arguments: {},
          outcome: 'invalid',
          durationMs: 0,
        });
      }
    },
    warn(message) {
      warnings.push(message);
    },
    cutByLength(error) {
      cut = error;
    },
    finish(answer) {
      return result(answer, cut?.exit ?? calledExit(), cut);
    },
    fail(error) {
      return result('', failedExit(error), error);
    },
  };
}

function toRecord(call: ToolCall, { outcome, durationMs }: TimedOutcome): ToolCallRecord {
  const { tool } = outcome;
  return {
    id: call.id,
    server: tool?.server,
    tool: tool?.name ?? call.name,
    arguments: call.arguments,
    outcome: describeOutcome(outcome).record,
    durationMs: Math.round(durationMs),
  };
}
