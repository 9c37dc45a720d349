/**
 * One run: prompt in, final text out, turn by turn. Tools run only through `executeCalls`; the model
 * is whatever `ModelProvider` it is given. History stays acceptable to every provider: each call has
 * one result, also after an interrupt. Source: design 5.
 */
import {
  AppError,
  FailedError,
  InterruptedError,
  LimitError,
  ProviderError,
  toAppError,
} from '../base/errors.ts';
import { stableStringify } from '../base/json.ts';
import type { TimedOutcome, ToolCall } from '../calls/types.ts';
import type { ModelMessage, ModelProvider, ModelReply, ModelTool } from '../model/types.ts';
import type { RegistrySnapshot } from '../tools/types.ts';
import { fitContext } from './context.ts';
import { createRunRecord, type RunRecord } from './record.ts';
import { createRepeatGuard, repeatLimitError, repeatNotice } from './repeats.ts';
import { checkCutReplies, NO_TURN_LEFT, spentLimit } from './stop.ts';
import {
  describeOutcome,
  type OutcomeText,
  toAssistantMessage,
  toToolCall,
  whyNoneRuns,
} from './turn.ts';
import type { EventSink, RunLimits, RunResult } from './types.ts';

export interface AgentDeps {
  readonly model: ModelProvider;
  /** Called once before each model request: the tools of that turn. */
  readonly snapshot: (signal: AbortSignal) => Promise<RegistrySnapshot>;
  /** The provider-safe declarations of a snapshot's tools. */
  readonly declare: (snapshot: RegistrySnapshot) => readonly ModelTool[];
  /** Runs the calls of one turn; outcomes in call order. Never rejects. */
  readonly executeCalls: (
    calls: readonly ToolCall[],
    snapshot: RegistrySnapshot,
    signal: AbortSignal,
  ) => Promise<readonly TimedOutcome[]>;
  readonly system: () => string;
  readonly contextTokens: number | undefined;
  readonly limits: RunLimits;
  readonly emit: EventSink;
  /** Told whenever the history has grown: before the calls of a turn are made, after them, and at the end. Must not throw. */
  readonly onHistory?: ((history: readonly ModelMessage[]) => void) | undefined;
}

export interface RunOutcome {
  readonly result: RunResult;
  /** The conversation to go on with; without this prompt when it failed before anything was done. */
  readonly history: readonly ModelMessage[];
}

/** Runs one prompt to its end. Never rejects: what went wrong is in the result. */
export async function runAgent(
  deps: AgentDeps,
  history: readonly ModelMessage[],
  prompt: string,
  signal: AbortSignal,
): Promise<RunOutcome> {
  const record = createRunRecord(deps.limits);
  const messages: ModelMessage[] = [...history, { role: 'user', text: prompt }];
  try {
    const answer = await takeTurns(deps, messages, record, signal);
    deps.onHistory?.(messages);
    return { result: record.finish(answer), history: messages };
  } catch (thrown) {
    const error = signal.aborted ? abortError(signal) : toAppError(thrown);
    const nothingDone = messages.length === history.length + 1;
    if (!nothingDone) deps.onHistory?.(messages);
    return { result: record.fail(error), history: nothingDone ? history : messages };
  }
}

async function takeTurns(
  deps: AgentDeps,
  messages: ModelMessage[],
  record: RunRecord,
  signal: AbortSignal,
): Promise<string> {
  const guard = createRepeatGuard();
  let cutReplies = 0;
  for (;;) {
    const snapshot = await deps.snapshot(signal);
    const reply = await askModel(deps, messages, snapshot, record, signal);
    const whyNone = whyNoneRuns(reply);
    if (reply.toolCalls.length === 0) return finalText(reply, record, deps.emit, messages);
    if (reply.finish === 'content_filter' || reply.finish === 'other')
      throw refusedError(deps, reply);

    messages.push(toAssistantMessage(reply));
    // Effects without a turn to tell of them would be for nothing.
    const spent = spentLimit(deps.limits, record.turns, record.usage);
    const refusal = whyNone ?? (spent && NO_TURN_LEFT);
    if (refusal !== undefined) {
      messages.push(refuseAll(reply.toolCalls, refusal));
      record.addUnrun(reply.toolCalls);
      if (spent !== undefined) throw spent;
      cutReplies += 1;
      checkCutReplies(cutReplies);
      continue;
    }
    cutReplies = 0;
    deps.onHistory?.(messages);
    const calls = reply.toolCalls.map((call) => toToolCall(call, reply.origin));
    const outcomes = await runCalls(deps, calls, snapshot, messages, signal);
    record.addCalls(calls, outcomes);
    const { message, repeated } = toToolMessage(calls, outcomes, guard);
    messages.push(message);
    deps.onHistory?.(messages);
    if (repeated !== undefined) throw repeated;
    signal.throwIfAborted();
  }
}

async function askModel(
  deps: AgentDeps,
  messages: readonly ModelMessage[],
  snapshot: RegistrySnapshot,
  record: RunRecord,
  signal: AbortSignal,
): Promise<ModelReply> {
  const tools = deps.declare(snapshot);
  const { maxTools, label } = deps.model;
  if (maxTools !== undefined && tools.length > maxTools) {
    throw new ProviderError(
      `${label} takes at most ${maxTools} tools in a request, ${tools.length} are exposed`,
      { hint: 'narrow the servers with `tools:` lists, or set `exposure: hidden` on some' },
    );
  }
  const whole = { system: deps.system(), messages, tools };
  const request = { ...whole, messages: fitContext(whole, deps.contextTokens) };
  const turn = record.turns + 1;
  const reply = await deps.model.reply(
    request,
    {
      onText: (delta) => deps.emit({ type: 'text', turn, delta }),
      onReset: (reason) => deps.emit({ type: 'text_reset', turn, reason }),
      onRetry: (notice) => deps.emit({ type: 'retry', turn, notice }),
    },
    signal,
  );
  record.addTurn(reply.usage);
  deps.emit({ type: 'turn_done', turn, usage: reply.usage });
  return reply;
}

/** The answer of a reply without calls; throws when it is none. */
function finalText(
  reply: ModelReply,
  record: RunRecord,
  emit: EventSink,
  messages: ModelMessage[],
): string {
  switch (reply.finish) {
    case 'content_filter':
      throw new ProviderError("the provider's content filter stopped the answer");
    case 'length': {
      messages.push(toAssistantMessage(reply));
      const message = 'the answer was cut off by the output limit';
      const hint = 'raise model.maxTokens';
      record.warn(message);
      emit({ type: 'warning', message, hint });
      record.cutByLength(new LimitError(message, { hint, details: { limit: 'model.maxTokens' } }));
      return reply.text;
    }
    case 'other':
      throw new ProviderError('the model ended without saying why: no whole answer');
    case 'stop':
    case 'tool_calls':
      if (reply.text.trim() === '') throw new ProviderError('the model gave an empty answer');
      messages.push(toAssistantMessage(reply));
      return reply.text;
  }
}

function refusedError(deps: AgentDeps, reply: ModelReply): AppError {
  const why =
    reply.finish === 'content_filter'
      ? "the provider's content filter stopped the reply"
      : 'the reply ended without saying why';
  return new ProviderError(`${deps.model.label}: ${why}; its tool calls were not run`);
}

function refuseAll(
  calls: readonly { readonly id: string; readonly name: string }[],
  text: string,
): ModelMessage {
  return {
    role: 'tool',
    results: calls.map((call) => ({
      callId: call.id,
      name: call.name,
      text,
      status: 'error' as const,
    })),
  };
}

/** Runs the calls; a fault of ours still leaves one result per call in the history. */
async function runCalls(
  deps: AgentDeps,
  calls: readonly ToolCall[],
  snapshot: RegistrySnapshot,
  messages: ModelMessage[],
  signal: AbortSignal,
): Promise<readonly TimedOutcome[]> {
  try {
    return await deps.executeCalls(calls, snapshot, signal);
  } catch (error) {
    messages.push(refuseAll(calls, 'not known whether this ran: internal error'));
    throw error;
  }
}

function toToolMessage(
  calls: readonly ToolCall[],
  outcomes: readonly TimedOutcome[],
  guard: ReturnType<typeof createRepeatGuard>,
): { readonly message: ModelMessage; readonly repeated: LimitError | undefined } {
  const described = calls.map((_, index): Omit<OutcomeText, 'record'> => {
    const outcome = outcomes[index]?.outcome;
    return outcome === undefined ? { text: 'not run', status: 'error' } : describeOutcome(outcome);
  });
  const verdict = guard.note(turnKey(calls, described));
  const notice = repeatNotice(verdict);
  const results = calls.map((call, index) => {
    const { text = '', status = 'error' as const, refused } = described[index] ?? {};
    return {
      callId: call.id,
      name: call.name,
      text: notice === undefined ? text : `${text}\n${notice}`,
      status,
      ...(refused === undefined ? {} : { refused }),
    };
  });
  const names = calls.map((call) => call.name).join(', ');
  const repeated = verdict.kind === 'stop' ? repeatLimitError(names, verdict.turns) : undefined;
  return { message: { role: 'tool', results }, repeated };
}

/** Equal for turns that made the same calls and got the same results. */
function turnKey(
  calls: readonly ToolCall[],
  described: readonly { readonly text: string }[],
): string {
  return calls
    .map((call, index) => {
      const sent = call.invalidArguments ?? stableStringify(call.arguments);
      return `${call.name}\0${sent}\0${described[index]?.text ?? ''}`;
    })
    .join('\0\0');
}

function abortError(signal: AbortSignal): AppError {
  const reason: unknown = signal.reason;
  if (reason instanceof AppError) return reason;
  if (reason instanceof DOMException) return new InterruptedError();
  return new FailedError('the run was stopped', { cause: reason });
}
