/** What a run tells its surface. Surfaces subscribe; nothing here knows how it is shown. */

import type { ExitCode } from '../base/exit.ts';
import type { JsonObject } from '../base/json.ts';
import type { CallEvent } from '../calls/types.ts';
import type { TokenUsage } from '../model/types.ts';

export interface ToolCallRecord {
  readonly id: string;
  readonly server: string | undefined;
  /** Original name; what the model wrote where it did not resolve. */
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly outcome:
    | 'ok'
    | 'error'
    | 'denied'
    | 'declined'
    | 'invalid'
    | 'unknown'
    | 'failed'
    | 'cancelled';
  readonly durationMs: number;
}

export interface DeniedCall {
  readonly server: string;
  readonly tool: string;
  readonly by: 'person' | 'rule' | 'nobody';
  /** The flag or config line that would allow it. */
  readonly remedy: string | undefined;
}

export interface RunResult {
  /** The final text; empty when there is none. */
  readonly answer: string;
  readonly exit: ExitCode;
  /** What went wrong, for people; `undefined` when answered. */
  readonly error:
    | {
        readonly code: string;
        readonly message: string;
        readonly hint: string | undefined;
        /** The same may succeed later, without a change. */
        readonly retryable?: true;
      }
    | undefined;
  readonly turns: number;
  readonly usage: TokenUsage;
  readonly toolCalls: readonly ToolCallRecord[];
  readonly denied: readonly DeniedCall[];
  /** Calls that were sent and never answered. */
  readonly unknownOutcome: readonly { readonly server: string; readonly tool: string }[];
  readonly warnings: readonly string[];
}

export type AgentEvent =
  | CallEvent
  | { readonly type: 'text'; readonly turn: number; readonly delta: string }
  | { readonly type: 'text_reset'; readonly turn: number; readonly reason: string }
  | { readonly type: 'retry'; readonly turn: number; readonly notice: string }
  | { readonly type: 'turn_done'; readonly turn: number; readonly usage: TokenUsage }
  | { readonly type: 'warning'; readonly message: string; readonly hint: string | undefined };

/** Takes events as they happen; must not throw and must not wait. */
export type EventSink = (event: AgentEvent) => void;

export interface RunLimits {
  readonly maxTurns: number;
  /** Input and output tokens of the whole run; `undefined` = none. */
  readonly maxTokens: number | undefined;
  /** Exit 5 at the end when a call was denied (default), or go on with 0. */
  readonly onDenied: 'fail' | 'continue';
}
