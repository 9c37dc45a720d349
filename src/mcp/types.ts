/** One server as the host sees it: its state, what it offers, and how to use it. */
import type { SignIn } from '../auth/sign-in.ts';
import type { AppError } from '../base/errors.ts';
import type { JsonObject, JsonValue } from '../base/json.ts';
import type { ServerConfig } from '../config/types.ts';
import type { ToolDefinition, ToolProgress, ToolSource } from '../tools/types.ts';

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
  /** How its messages travel; `sse` also where Streamable HTTP was tried first. */
  readonly kind: 'http' | 'sse' | 'ws' | 'stdio' | 'builtin';
  readonly state: ServerState;
  /** `legacy` or `modern` once known. */
  readonly era: 'legacy' | 'modern' | undefined;
  readonly protocolVersion: string | undefined;
  readonly serverInfo: { readonly name: string; readonly version: string } | undefined;
  readonly instructions: string | undefined;
  /** As the server declared them; empty before the handshake. */
  readonly capabilities: JsonObject;
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

export interface ServerRequestOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: ToolProgress) => void;
}

/** One object owns all about one server. A ToolSource whose list may change. */
export interface Connection extends ToolSource {
  readonly config: ServerConfig;
  /** `undefined`: its credentials are no sign-in. */
  readonly signIn?: SignIn | undefined;
  status(): ServerStatus;
  /** Connects and discovers. Never rejects: the outcome is in `status()`. Safe to call again after a failure. */
  connect(signal: AbortSignal): Promise<void>;
  /** As `connect`, but a server that failed is shown as failed until it is ready. */
  tryAgain(signal: AbortSignal): Promise<void>;
  /** Called after every change of status or tool list. Returns the way to stop. */
  onChange(listener: () => void): () => void;
  /** Re-reads lists that the server announced as changed; a failed refresh keeps the last good list. */
  refresh(signal: AbortSignal): Promise<void>;
  /**
   * One request that changes nothing on the server, such as a list or a read; connects first where needed
   * and is tried again like a list. Rejects with RpcError (the server's refusal), LimitError (timeout.idle or
   * timeout.max), ConnectError, AuthError, ProtocolError, or the signal's reason.
   */
  request(method: string, params: JsonObject, options: ServerRequestOptions): Promise<JsonValue>;
  /** Ends the server; idempotent, within 4 s, leaves no child. */
  close(): Promise<void>;
}
