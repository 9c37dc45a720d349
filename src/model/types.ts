/** The model side: what a provider gets and gives, independent of its wire format. */
import type { AuthError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import type { CallOrigin } from '../tools/types.ts';

export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** Provider-safe copy of the input schema. */
  readonly inputSchema: JsonObject;
}

export interface ModelToolCall {
  readonly id: string;
  readonly name: string;
  /** As the model wrote it; may be empty or not JSON. */
  readonly argumentsText: string;
}

/** Opaque parts a provider wants back with a later request (reasoning, signatures). JSON-safe. */
export type ProviderState = JsonObject;

export type ModelMessage =
  | { readonly role: 'user'; readonly text: string }
  | {
      readonly role: 'assistant';
      readonly text: string;
      /** `argumentsText` is valid JSON here: history must be acceptable to every provider. */
      readonly toolCalls: readonly ModelToolCall[];
      readonly state: ProviderState | undefined;
    }
  | {
      readonly role: 'tool';
      readonly results: readonly {
        readonly callId: string;
        readonly name: string;
        readonly text: string;
        /** `denied`: by rule, or nobody to ask; `declined`: a person said no. */
        readonly status: 'ok' | 'error' | 'denied' | 'declined';
        /** The call was refused for want of credentials. For the router, which is nobody who could go on. */
        readonly refused?: AuthError;
      }[];
    };

export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
}

export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** A whole reply: it exists only after the provider said how it ended. */
export interface ModelReply {
  readonly text: string;
  readonly toolCalls: readonly ModelToolCall[];
  readonly finish: 'stop' | 'tool_calls' | 'length' | 'content_filter' | 'other';
  /** Who wanted the calls: the model, a literal line a person typed, or the router's guess. */
  readonly origin: CallOrigin;
  readonly usage: TokenUsage;
  readonly state: ProviderState | undefined;
}

export interface ModelListener {
  /** A piece of answer text. Reasoning never arrives here. */
  onText(delta: string): void;
  /** Text shown so far does not count: the request is sent again. */
  onReset(reason: string): void;
  /** Waiting before another try, for stderr. */
  onRetry(notice: string): void;
}

/**
 * One model. `reply` resolves with a whole reply only; otherwise it throws: ProviderError (after its
 * own bounded retries; also when one of its clocks ran out or its key was refused), or the signal's
 * reason.
 */
export interface ModelProvider {
  /** `provider/name`, for the banner. */
  readonly label: string;
  /** Most tools one request may carry; `undefined` = no known limit. */
  readonly maxTools: number | undefined;
  reply(request: ModelRequest, listener: ModelListener, signal: AbortSignal): Promise<ModelReply>;
}
