/** The stable shapes of a run on stdout: the `json` document and the `stream-json` events. Pure. */
import type { RunResult } from '../agent/types.ts';
import type { AppError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import { offeredTools } from '../base/offered.ts';
import type { HostEvent, StartReport } from '../host/types.ts';
import type { ServerStatus } from '../mcp/types.ts';
import type { RegistrySnapshot } from '../tools/types.ts';

/** An event without `at`, which is added when it is written. */
export type StreamEvent = { readonly type: string } & Readonly<Record<string, unknown>>;

/** The document of `--output json`; also the last event of `stream-json`. */
export function runDocument(result: RunResult): Readonly<Record<string, unknown>> {
  return {
    answer: result.answer,
    exit: result.exit,
    ...(result.error === undefined ? {} : { error: result.error }),
    turns: result.turns,
    usage: result.usage,
    toolCalls: result.toolCalls,
    denied: result.denied,
    unknownOutcome: result.unknownOutcome,
    warnings: result.warnings,
  };
}

/** The result of a run that failed before the model was asked. */
export function failedRun(error: AppError, warnings: readonly string[]): RunResult {
  return {
    answer: '',
    exit: error.exit,
    error: {
      code: error.code,
      message: error.message,
      hint: error.hint,
      ...(error.retryable ? { retryable: true } : {}),
    },
    turns: 0,
    usage: { inputTokens: 0, outputTokens: 0 },
    toolCalls: [],
    denied: [],
    unknownOutcome: [],
    warnings,
  };
}

export function serversEvent(report: StartReport, snapshot: RegistrySnapshot): StreamEvent {
  return {
    type: 'servers',
    servers: report.servers.map((status) => serverObject(status, snapshot)),
    tools: offeredTools(snapshot).length,
    readyMs: Math.round(report.readyMs),
  };
}

/** `undefined` for what the stream does not show. */
export function streamEvent(event: HostEvent): StreamEvent | undefined {
  switch (event.type) {
    case 'text':
    case 'text_reset':
    case 'warning':
      return event;
    case 'retry':
      return { type: 'warning', message: event.notice };
    case 'turn_done':
      return { type: 'usage', turn: event.turn, ...event.usage };
    case 'call_sent':
      return {
        type: 'tool_call',
        id: event.id,
        server: event.server,
        tool: event.tool,
        arguments: event.arguments,
      };
    case 'call_permission':
      return {
        type: 'permission',
        id: event.id,
        server: event.server,
        tool: event.tool,
        effect: event.decision.effect,
        why: event.decision.why,
        ...(event.answer === undefined ? {} : { answer: event.answer }),
      };
    case 'call_done':
      return {
        type: 'tool_result',
        id: event.id,
        name: event.name,
        ...outcomeFields(event.outcome),
        durationMs: Math.round(event.durationMs),
      };
    case 'call_changed': {
      const { type: _type, ...rest } = event;
      return { type: 'result_changed', ...rest };
    }
    case 'call_progress':
    case 'server':
      return undefined;
  }
}

function outcomeFields(
  outcome: Extract<HostEvent, { type: 'call_done' }>['outcome'],
): Readonly<Record<string, unknown>> {
  if (outcome.kind === 'result') {
    const { text, isError, artifacts } = outcome.rendered;
    return {
      server: outcome.tool.server,
      tool: outcome.tool.name,
      outcome: isError ? 'error' : 'ok',
      text,
      artifacts,
    };
  }
  const { tool } = outcome;
  const named = tool === undefined ? {} : { server: tool.server, tool: tool.name };
  const isDeclined = outcome.kind === 'denied' && outcome.by === 'person';
  return { ...named, outcome: isDeclined ? 'declined' : outcome.kind, text: outcome.text };
}

function serverObject(status: ServerStatus, snapshot: RegistrySnapshot): JsonObject {
  return {
    name: status.name,
    state: status.state,
    transport: status.kind,
    era: status.era,
    protocolVersion: status.protocolVersion,
    tools: offeredTools(snapshot).filter(({ server }) => server === status.name).length,
    offered: status.tools.length + status.dropped.length,
    error: status.error?.message,
  };
}
