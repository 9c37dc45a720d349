/**
 * The only road to a tool: resolve → validate → hooks → permit → call → result hooks → render → record. A
 * call is sent at most once. Knows neither model nor transport.
 */
import type { Clock } from '../base/clock.ts';
import { type AppError, InternalError, toAppError, UnknownOutcomeError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import { scrubSecrets } from '../base/redact.ts';
import { type RenderOptions, renderResult } from '../results/pipeline.ts';
import { sanitizeLabel, sanitizeText } from '../results/sanitize.ts';
import type { RegisteredTool, RegistrySnapshot, ToolResult } from '../tools/types.ts';
import { hookCall, type PermitDeps, permitCall } from './permit.ts';
import { prepareCall } from './prepare.ts';
import type { CallOutcome, TimedOutcome, ToolCall } from './types.ts';

const MAX_PROGRESS_TEXT = 500;
const MAX_ERROR_TEXT = 4_000;

export interface ExecutorDeps extends PermitDeps {
  readonly render: Omit<RenderOptions, 'server' | 'tool'>;
  readonly clock: Clock;
  /** Puts on record what is about to be sent; the call waits for it. Must not throw or reject. */
  readonly beforeSend?: BeforeSend | undefined;
}

export type BeforeSend = (
  call: ToolCall,
  tool: RegisteredTool,
  args: JsonObject,
) => Promise<void> | undefined;

/** A call that may be sent, or one that is over already. */
export type Admitted =
  | { readonly kind: 'ready'; readonly send: () => Promise<TimedOutcome> }
  | { readonly kind: 'over'; readonly outcome: TimedOutcome };

export interface Executor {
  /** One call to its end. Rejects with InternalError only. */
  execute(call: ToolCall, snapshot: RegistrySnapshot, signal: AbortSignal): Promise<CallOutcome>;
  /** The steps before sending, for batches: permission is settled when it resolves. */
  admit(call: ToolCall, snapshot: RegistrySnapshot, signal: AbortSignal): Promise<Admitted>;
}

/** Opens nothing, needs no closing. */
export function createExecutor(deps: ExecutorDeps): Executor {
  const admit: Executor['admit'] = async (call, snapshot, signal) => {
    let startedAt = deps.clock.now();
    const finish = (outcome: CallOutcome): TimedOutcome => {
      const durationMs = deps.clock.now() - startedAt;
      deps.onEvent({ type: 'call_done', id: call.id, name: call.name, outcome, durationMs });
      return { outcome, durationMs };
    };
    const prepared = prepareCall(call, snapshot);
    if (prepared.kind === 'invalid') return { kind: 'over', outcome: finish(prepared) };
    const { tool, arguments: given } = prepared;
    const refused = await permit(deps, call, tool, given, signal);
    if (refused !== undefined) return { kind: 'over', outcome: finish(refused) };
    return {
      kind: 'ready',
      send: async () => {
        startedAt = deps.clock.now();
        return finish(await send(deps, call, tool, given, signal));
      },
    };
  };
  return {
    admit,
    async execute(call, snapshot, signal) {
      const admitted = await admit(call, snapshot, signal);
      const timed = admitted.kind === 'over' ? admitted.outcome : await admitted.send();
      return timed.outcome;
    },
  };
}

/** The outcome when the call must not be sent; `undefined` when it may. */
async function permit(
  deps: ExecutorDeps,
  call: ToolCall,
  tool: RegisteredTool,
  given: JsonObject,
  signal: AbortSignal,
): Promise<CallOutcome | undefined> {
  if (signal.aborted) return cancelled(tool, false);
  try {
    const refused = await permitCall(deps, call, tool, given, signal);
    return signal.aborted ? cancelled(tool, false) : refused;
  } catch (error) {
    if (signal.aborted) return cancelled(tool, false);
    throw internal(error);
  }
}

async function send(
  deps: ExecutorDeps,
  call: ToolCall,
  tool: RegisteredTool,
  given: JsonObject,
  signal: AbortSignal,
): Promise<CallOutcome> {
  if (signal.aborted) return cancelled(tool, false);
  await deps.beforeSend?.(call, tool, given);
  if (signal.aborted) return cancelled(tool, false);
  const { server, name } = tool;
  const about = { id: call.id, server, tool: name };
  let isOver = false;
  deps.onEvent({ type: 'call_sent', ...about, arguments: given });
  let result: ToolResult;
  try {
    result = await tool.source.call({
      tool: name,
      id: call.id,
      arguments: given,
      signal,
      onProgress: (progress) => {
        // A late notification must not show up after the result.
        if (isOver) return;
        const message =
          progress.message === undefined
            ? undefined
            : sanitizeLabel(progress.message, MAX_PROGRESS_TEXT);
        deps.onEvent({ type: 'call_progress', ...about, progress: { ...progress, message } });
      },
    });
    isOver = true;
    result = await throughHooks(deps, call, tool, given, result, signal);
  } catch (error) {
    return failure(tool, error, signal);
  } finally {
    isOver = true;
  }
  const rendered = await renderResult(result, { ...deps.render, server, tool: name });
  return { kind: 'result', tool, result, rendered };
}

/** The result as hooks of the user leave it. Nothing else sees it before. */
async function throughHooks(
  deps: ExecutorDeps,
  call: ToolCall,
  tool: RegisteredTool,
  given: JsonObject,
  result: ToolResult,
  signal: AbortSignal,
): Promise<ToolResult> {
  if (deps.hooks === undefined) return result;
  const about = { id: call.id, server: tool.server, tool: tool.name };
  const passed = await deps.hooks.afterCall(hookCall(deps, call, tool, given), result, signal);
  for (const change of passed.changes) deps.onEvent({ type: 'call_changed', ...about, ...change });
  return passed.result;
}

function failure(tool: RegisteredTool, thrown: unknown, signal: AbortSignal): CallOutcome {
  const path = `${tool.server}/${tool.name}`;
  if (thrown instanceof UnknownOutcomeError) {
    const text = `${path}: the call was sent but not answered; do not repeat it: it may have happened. (${words(thrown.message)})`;
    return { kind: 'unknown', tool, text, error: thrown };
  }
  if (signal.aborted) return cancelled(tool, true);
  const error = toAppError(thrown);
  if (error instanceof InternalError) throw error;
  const hint = error.hint === undefined ? '' : `\n${words(error.hint)}`;
  return {
    kind: 'failed',
    tool,
    text: `${path} failed: ${words(wholeMessage(error))}${hint}`,
    error,
  };
}

/** The message may be cut for people. */
function wholeMessage({ details, message }: AppError): string {
  const whole = details['wholeMessage'];
  return typeof whole === 'string' ? whole : message;
}

/** The server's own words, harmless, bounded, without secrets. */
function words(text: string): string {
  // A secret at the cut would be no whole one any more, and stay: so it is cut last.
  return scrubSecrets(sanitizeText(text.slice(0, 4 * MAX_ERROR_TEXT))).slice(0, MAX_ERROR_TEXT);
}

function cancelled(tool: RegisteredTool, sent: boolean): CallOutcome {
  const when = sent ? 'while it ran; it may have happened' : 'before it was sent';
  return { kind: 'cancelled', tool, sent, text: `The call was cancelled ${when}.` };
}

function internal(error: unknown): InternalError {
  return error instanceof InternalError
    ? error
    : new InternalError('asking for permission failed', { cause: error });
}
