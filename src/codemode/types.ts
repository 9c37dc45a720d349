/** What passes between a script's worker and its host, and what comes of a script. All plain data. */
import type { JsonObject, JsonValue } from '../base/json.ts';

/** A tool as a script names it. */
export interface ScriptTool {
  readonly server: string;
  /** Original name. */
  readonly name: string;
  readonly publicName: string;
  /** First lines of its description. */
  readonly description: string;
}

export interface ScriptOptions {
  /** `undefined`: it does not say. */
  readonly maxOutputTokens: number | undefined;
  readonly wallMs: number;
}

/** One output of a script, in order. */
export type ScriptItem =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'image'; readonly mimeType: string; readonly data: string };

/** What a script gets beside the tools: only in `usher run`. */
export interface ScriptInput {
  readonly args: readonly string[];
  readonly input: string;
}

export interface StartMessage {
  readonly type: 'start';
  readonly code: string;
  readonly tools: readonly ScriptTool[];
  /** Servers that may bring tools later; their names are namespaces already. */
  readonly servers: readonly string[];
  /** JSON texts by key. */
  readonly store: readonly (readonly [string, string])[];
  readonly given: ScriptInput | undefined;
  readonly cpuMs: number;
  /** Compile, do not run. */
  readonly isCheck: boolean;
}

/**
 * A text is answers, one a line, each as JSON `[id, 1, value]`, or `[id, 0, {message, …}]` where it failed: one
 * text costs less than objects.
 */
export type ToWorker = StartMessage | string;

/** Of the VM, as JSON `[id, what, values]`. `what`: `call`, `search`, `describe`, `namespace`. */
export interface ScriptRequest {
  readonly id: number;
  readonly what: string;
  readonly values: readonly JsonValue[];
}

export type ScriptEnd =
  | {
      readonly kind: 'completed';
      /** Changed keys; `undefined` deletes. */
      readonly store: readonly (readonly [string, string | undefined])[];
    }
  | { readonly kind: 'failed'; readonly error: ScriptError };

export interface ScriptError {
  /** `limit`: time or memory ran out; `syntax`: nothing ran; `stuck`: it waits for what cannot come. */
  readonly kind: 'error' | 'syntax' | 'limit' | 'stuck';
  /** For people and models, with lines of the script where they are known. */
  readonly message: string;
}

export type FromWorker =
  | { readonly type: 'ready' }
  | {
      readonly type: 'out';
      readonly items: readonly ScriptItem[];
      readonly lines: readonly string[];
    }
  /** The VM rests: the number of answers that were taken in so far, then a request a line. */
  | string
  | {
      readonly type: 'end';
      readonly end: ScriptEnd;
      /** Outputs that were over a bound. */
      readonly dropped: number;
      /** The engine's memory now. */
      readonly bytes: number;
      /** False: this worker must not run another script. */
      readonly isClean: boolean;
    };

/** What is wrong with a script that did not run yet. */
export interface ScriptProblem {
  /** Of the script; none where its message names it. */
  readonly line?: number;
  readonly message: string;
  /** The tool may exist: this server is not connected. */
  readonly server?: string;
}

/** What became of one call inside a script. */
export interface NestedCall {
  /** `<parent>/<n>`. */
  readonly id: string;
  readonly tool: string;
  /** `undefined`: over the bound. */
  readonly arguments: JsonObject | undefined;
  readonly outcome: 'ok' | 'error' | 'denied' | 'invalid' | 'unknown' | 'failed' | 'cancelled';
  readonly error?: string;
}

export interface NestedCalls {
  /** False: calls, arguments or texts were left out. */
  readonly complete: boolean;
  readonly calls: readonly NestedCall[];
}

export interface ScriptOutcome {
  readonly error: ScriptError | undefined;
  readonly items: readonly ScriptItem[];
  /** Lines of the console. */
  readonly console: readonly string[];
  readonly dropped: number;
  readonly nestedCalls: NestedCalls;
  /** Each once: calls denied by a rule or for want of a person, with the remedy. */
  readonly denied: readonly { readonly tool: string; readonly remedy: string | undefined }[];
  /** Sent, never answered. */
  readonly unknownOutcome: readonly string[];
  /** Cancelled, because the script ended without waiting for them. */
  readonly unawaited: readonly string[];
  readonly failedCalls: readonly string[];
  readonly wallMs: number;
}

/** A value that failed a call, as a script sees it. */
export interface RequestFailure {
  readonly message: string;
  readonly name?: string;
  readonly kind?: string;
  readonly tool?: string;
  /** The whole CallToolResult, where the tool answered with `isError`. */
  readonly result?: JsonValue;
}
