/** What a tool is, wherever it comes from, and what a turn may see of it. */
import type { JsonObject, JsonValue } from '../base/json.ts';

/** Hints as the server claims them; they prove nothing. Source: MCP schema, ToolAnnotations. */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** A tool as its source offers it, repaired where needed; `raw` is verbatim. */
export interface ToolDefinition {
  /** Original name, as sent in tools/call. */
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  /** Always an object schema; missing `type` and `properties` are filled in. */
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject | undefined;
  readonly annotations: ToolAnnotations;
  /** The list item as received. */
  readonly raw: JsonObject;
}

/** One content block of a result; unknown kinds survive. */
export type ContentBlock = JsonObject;

/**
 * A tool's result, lenient: `content` is always an array here, other fields as received.
 * Source: MCP schema, CallToolResult.
 */
export interface ToolResult {
  readonly content: readonly ContentBlock[];
  readonly structuredContent: JsonValue | undefined;
  readonly isError: boolean;
  /** The result object as received, for `--json`. */
  readonly raw: JsonValue;
}

/** Where a call comes from. A call a person typed is its own consent, deny rules aside. */
export type CallOrigin = 'model' | 'user' | 'router';

export interface ToolProgress {
  readonly progress: number;
  readonly total: number | undefined;
  readonly message: string | undefined;
}

export interface SourceCall {
  readonly tool: string;
  /** Of the call on the road. */
  readonly id?: string;
  readonly arguments: JsonObject;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ToolProgress) => void;
}

/**
 * A place tools come from: one MCP server or one built-in. `call` resolves with the result, also with
 * `isError: true`; it throws AppError otherwise: UnknownOutcomeError when the call was sent and not
 * answered, LimitError when a clock fired before anything was sent, ConnectError or ProtocolError when
 * it was proven not to be executed, the signal's reason after an abort.
 */
export interface ToolSource {
  /** The configured server name. */
  readonly name: string;
  readonly kind: 'http' | 'sse' | 'ws' | 'stdio' | 'builtin';
  /** What a grant is bound to: url or command line, never a secret. */
  readonly identity: string;
  call(call: SourceCall): Promise<ToolResult>;
  /** The public names of its tools are their own names: it stands for no server. */
  readonly ownNames?: true;
  /** It only tells what servers offer: nobody is asked for a call of it. */
  readonly isFree?: true;
  /** A list of `--tool` does not leave its tools out; `--no-tool` does. */
  readonly alwaysOffered?: true;
  /** Where a call of one of its tools really goes; `undefined`: to itself. Arguments fit the schema, unless a person typed them. */
  readonly aim?: (tool: string, args: JsonObject) => Aim | undefined;
}

/** What stands behind a tool that acts for others: permission, clocks and events are those of the target. */
export type Aim =
  | { readonly kind: 'tool'; readonly tool: RegisteredTool; readonly arguments: JsonObject }
  /** By a name that resolves in the snapshot. */
  | { readonly kind: 'call'; readonly name: string; readonly arguments: JsonObject }
  /** Nothing can be called; the text tells the model how to mend it. */
  | { readonly kind: 'invalid'; readonly text: string };

/**
 * How a model or a script gets at a tool. It is never authorization: permission is asked all the same.
 * `direct`: declared from the start. `deferred`: declared once `tool_search` found it. `codemode`: called by
 * scripts. Scripts and `tool_search` reach all of these. `hidden`: by neither. `model-only`: declared, but no
 * business of scripts and searches (tools that run other tools).
 */
export type Exposure = 'direct' | 'deferred' | 'codemode' | 'hidden' | 'model-only';

/** Why a tool of a server is not offered to the model. */
export type HiddenReason =
  | { readonly kind: 'not_listed' }
  | { readonly kind: 'excluded'; readonly pattern: string }
  | { readonly kind: 'binary'; readonly schemaPath: string }
  | { readonly kind: 'exposure' }
  | { readonly kind: 'flag' }
  /** Its declaration alone costs more than `maxToolTokens`. */
  | { readonly kind: 'tokens'; readonly tokens: number; readonly maxTokens: number }
  /** Not as it was accepted in `usher.lock`. */
  | { readonly kind: 'locked'; readonly change: 'changed' | 'new' }
  | { readonly kind: 'malformed'; readonly problem: string };

export interface RegisteredTool {
  readonly server: string;
  /** Original name. */
  readonly name: string;
  readonly publicName: string;
  readonly definition: ToolDefinition;
  /** `undefined`: exposed. */
  readonly hidden: HiddenReason | undefined;
  /** `hidden` exactly where `hidden` has a reason. */
  readonly exposure: Exposure;
  readonly source: ToolSource;
}

export type Resolution =
  | { readonly kind: 'found'; readonly tool: RegisteredTool }
  | { readonly kind: 'ambiguous'; readonly candidates: readonly string[] }
  | { readonly kind: 'gone'; readonly server: string; readonly name: string }
  | { readonly kind: 'unknown'; readonly nearest: readonly string[] };

/** Frozen for a turn: later changes of the registry make a new snapshot. */
export interface RegistrySnapshot {
  /**
   * What is declared to the model: direct and model-only tools, ordered by server as configured, then as the
   * server lists them; after them those that were loaded, in the order of loading.
   */
  readonly tools: readonly RegisteredTool[];
  /** What scripts and searches reach: direct, deferred and codemode tools, in the order of servers. */
  readonly reachable: readonly RegisteredTool[];
  readonly hidden: readonly RegisteredTool[];
  /** `server/tool`, public name, `mcp__server__tool` and `server.tool` all resolve; hidden tools as well. */
  resolve(name: string): Resolution;
}
