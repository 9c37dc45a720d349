/** One call on the one road to a tool, and how it ended. */

import type { AppError } from '../base/errors.ts';
import type { JsonObject, JsonValue } from '../base/json.ts';
import type { PermissionDecision } from '../permission/types.ts';
import type { RenderedResult } from '../results/types.ts';
import type { CallOrigin, RegisteredTool, ToolProgress, ToolResult } from '../tools/types.ts';

export interface ToolCall {
  /** Unique within the run; the model's call id where there is one. */
  readonly id: string;
  /** Any spelling that resolves. */
  readonly name: string;
  readonly arguments: JsonObject;
  /** What the model wrote, where that is no JSON object: nothing is sent then. */
  readonly invalidArguments: string | undefined;
  readonly origin: CallOrigin;
  /** The call of the script that makes this one. Default: it stands for itself. */
  readonly parentToolCallId?: string;
}

export type CallOutcome =
  | {
      readonly kind: 'result';
      readonly tool: RegisteredTool;
      readonly result: ToolResult;
      readonly rendered: RenderedResult;
    }
  /** Nothing was sent: unknown name, bad arguments, tool gone. The text tells the model how to mend it. */
  | {
      readonly kind: 'invalid';
      /** Where the name resolved. */
      readonly tool: RegisteredTool | undefined;
      readonly text: string;
    }
  | {
      readonly kind: 'denied';
      readonly tool: RegisteredTool;
      /** `person`: a person said no; `rule`: a deny rule; `nobody`: ask, but nobody there. */
      readonly by: 'person' | 'rule' | 'nobody';
      readonly text: string;
      /** The flag or line that would allow it; `undefined` after a person's no. */
      readonly remedy: string | undefined;
    }
  /** Sent, never answered. */
  | {
      readonly kind: 'unknown';
      readonly tool: RegisteredTool;
      readonly text: string;
      readonly error: AppError;
    }
  /** Proven not to be executed, or refused by the server as a JSON-RPC error. */
  | {
      readonly kind: 'failed';
      readonly tool: RegisteredTool;
      readonly text: string;
      readonly error: AppError;
    }
  | {
      readonly kind: 'cancelled';
      readonly tool: RegisteredTool | undefined;
      /** True: it went out, and what became of it is not known. */
      readonly sent: boolean;
      readonly text: string;
    };

/** How one call of a turn ended, and how long it took once it was allowed. */
export interface TimedOutcome {
  readonly outcome: CallOutcome;
  readonly durationMs: number;
}

/** What happens on the road, in order; `server` and `tool` are original names. */
export type CallEvent =
  | {
      readonly type: 'call_permission';
      readonly id: string;
      readonly server: string;
      readonly tool: string;
      readonly decision: PermissionDecision;
      readonly answer: string | undefined;
    }
  | {
      readonly type: 'call_sent';
      readonly id: string;
      readonly server: string;
      readonly tool: string;
      readonly arguments: JsonObject;
    }
  /** A hook changed the result, or withheld it (`after` undefined); SHA-256 of both forms. */
  | {
      readonly type: 'call_changed';
      readonly id: string;
      readonly server: string;
      readonly tool: string;
      readonly hook: string;
      readonly before: string;
      readonly after: string | undefined;
      readonly reason: string | undefined;
    }
  | {
      readonly type: 'call_progress';
      readonly id: string;
      readonly server: string;
      readonly tool: string;
      readonly progress: ToolProgress;
    }
  | {
      readonly type: 'call_done';
      readonly id: string;
      readonly name: string;
      readonly outcome: CallOutcome;
      readonly durationMs: number;
    };

/** Extracted so that callers need no second import. */
export type { JsonValue };
