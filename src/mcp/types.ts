/** One server as the host sees it: its state, what it offers, and how to use it. */
import type { AppError } from '../base/errors.ts';
import type { ServerConfig } from '../config/types.ts';
import type { ToolDefinition, ToolSource } from '../tools/types.ts';

export type ServerState =
  | 'idle'
  | 'connecting'
  | 'discovering'
  | 'ready'
  | 'needs_auth'
  | 'failed'
  | 'disabled'
  | 'closed';

export interface DroppedTool {
  readonly name: string;
  readonly problem: string;
}

export interface ServerStatus {
  readonly name: string;
  readonly kind: 'http' | 'stdio' | 'builtin';
  readonly state: ServerState;
  /** `legacy` or `modern` once known. */
  readonly era: 'legacy' | 'modern' | undefined;
  readonly protocolVersion: string | undefined;
  readonly serverInfo: { readonly name: string; readonly version: string } | undefined;
  readonly instructions: string | undefined;
  /** The last good list, in the server's order. */
  readonly tools: readonly ToolDefinition[];
  /** Tools that could not be used, with the reason. */
  readonly dropped: readonly DroppedTool[];
  /** One line each, shown once: stray stdout text, repeated cursor, unknown protocol version. */
  readonly notices: readonly string[];
  readonly error: AppError | undefined;
  /** Milliseconds from start to ready. */
  readonly readyMs: number | undefined;
}

/** One object owns all about one server. A ToolSource whose list may change. */
export interface Connection extends ToolSource {
  readonly config: ServerConfig;
  status(): ServerStatus;
  /** Connects and discovers. Never rejects: the outcome is in `status()`. Safe to call again after a failure. */
  connect(signal: AbortSignal): Promise<void>;
  /** Called after every change of status or tool list. Returns the way to stop. */
  onChange(listener: () => void): () => void;
  /** Re-reads lists that the server announced as changed; a failed refresh keeps the last good list. */
  refresh(signal: AbortSignal): Promise<void>;
  /** Ends the server; idempotent, within 4 s, leaves no child. */
  close(): Promise<void>;
}
