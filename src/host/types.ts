/** The whole house behind one door: what surfaces use. */

import type { AgentEvent, RunLimits, RunResult } from '../agent/types.ts';
import type { Interaction } from '../auth/types.ts';
import type { JsonObject } from '../base/json.ts';
import type { BeforeSend } from '../calls/execute.ts';
import type { CallOutcome, ToolCall } from '../calls/types.ts';
import type { Config } from '../config/types.ts';
import type { ServerStatus } from '../mcp/types.ts';
import type { ModelMessage } from '../model/types.ts';
import type { Explanation } from '../permission/explain.ts';
import type { AskUser } from '../permission/types.ts';
import type { KeptResult } from '../results/kept.ts';
import type { FoundTool } from '../tools/search-index.ts';
import type { RegisteredTool, RegistrySnapshot } from '../tools/types.ts';
import type { ElicitPlan } from './elicit.ts';
import type { OfferRequest } from './offer-call.ts';
import type { PermissionReport } from './permissions.ts';
import type { ScriptReport, ScriptRequest, Scripts } from './scripts.ts';
import type { ServerLogLevel } from './server-level.ts';
import type { ServerOffers } from './server-offers.ts';
import type { SignInOutcome, SignInRequest } from './sign-ins.ts';
import type { Talk } from './talk.ts';

export interface HostOptions {
  readonly config: Config;
  /** Working directory of this process, absolute. */
  readonly cwd: string;
  /** `undefined`: nobody is there. */
  readonly askUser: AskUser | undefined;
  /** The same person, for what servers ask. Default: nobody is there. */
  readonly talk?: Talk | undefined;
  /** `--elicit`: answers elicitations without the person. */
  readonly elicit?: ElicitPlan | undefined;
  /** How much of their log servers are asked for. Default: what they send by themselves. */
  readonly serverLogLevel?: ServerLogLevel | undefined;
  readonly onEvent: (event: HostEvent) => void;
  /** Names of `--server`: only these are started; `undefined` = all enabled. */
  readonly servers: readonly string[] | undefined;
  /** `--tool` and `--no-tool` patterns on `server/tool`, public names or original names. */
  readonly toolPatterns: {
    readonly only: readonly string[] | undefined;
    readonly without: readonly string[];
  };
  /** `--permissions`: replaces every configured mode, not deny rules. */
  readonly permissions: 'ask' | 'auto' | undefined;
  /** `--yes` patterns: these tools are allowed for this run. */
  readonly yes: readonly string[];
  readonly limits: RunLimits;
  /** `off`: binary results are dropped instead of saved. */
  readonly artifacts: 'on' | 'off';
  /** What was said and done before, and who keeps what comes. Default: nobody. */
  readonly saving?: Saving | undefined;
  /**
   * False: the prompt came through a pipe, so that a literal `server/tool` in it is nobody's consent.
   * Default true.
   */
  readonly promptIsTyped?: boolean;
  /** True: the model is loaded while servers connect. False for commands without a model. */
  readonly preloadModel: boolean;
  /**
   * True: a tool list of an earlier run will do while its server lets it be kept; for a single call, which
   * is one request less then. Default false.
   */
  readonly usesKeptTools?: boolean;
  /** For hooks: who speaks to the person, such as `run`, `session`, `call`. Default `embedded`. */
  readonly surface?: string | undefined;
  /** A person who signs in while a request waits. Default: such a request fails and names the command. */
  readonly signInBy?: Interaction | undefined;
  /** A terminal session stops waiting for stragglers after this; a script waits for all (`undefined`). */
  readonly patienceMs: number | undefined;
}

/** A session or record that outlives this process. */
export interface Saving {
  /** Of the session or record; hooks are told. */
  readonly id: string;
  /** Puts on record what is about to be sent; the call waits for it. Must not throw or reject. */
  readonly beforeSend: BeforeSend;
  /** The conversation to go on with. */
  readonly history: readonly ModelMessage[];
  /** Told whenever the conversation has grown, with the cut results that can be read on. Must not throw. */
  readonly onHistory: (
    history: readonly ModelMessage[],
    kept: readonly KeptResult[],
    stored: ReadonlyMap<string, string>,
  ) => void;
  /** Cut results of the conversation so far. */
  readonly kept: readonly KeptResult[];
  /** What scripts of the conversation have stored so far: JSON texts by key. */
  readonly stored: ReadonlyMap<string, string>;
}

/** How the servers stood when the first model request could be made. */
export interface StartReport {
  readonly servers: readonly ServerStatus[];
  /** Counts of the exposed tools by server are derived from `snapshot()`. */
  readonly readyMs: number;
  /** A required or named server that failed, or a required entry that cannot be used: no model request is made. */
  readonly fatal:
    | {
        readonly server: string;
        readonly message: string;
        /** Where the server's own error has none. */
        readonly hint?: string | undefined;
        readonly exit: 4 | 6;
      }
    | undefined;
  readonly warnings: readonly { readonly message: string; readonly hint: string | undefined }[];
}

export type HostEvent = AgentEvent | { readonly type: 'server'; readonly status: ServerStatus };

/** What takes arguments: a tool or, with a schema of our own, a prompt. */
export interface HasSchema {
  readonly definition: Pick<RegisteredTool['definition'], 'inputSchema'>;
}

export interface Host {
  /** Connects and discovers all servers; resolves by the rules of design 3.1. Call once. */
  start(signal: AbortSignal): Promise<StartReport>;
  status(): readonly ServerStatus[];
  snapshot(): RegistrySnapshot;
  /** `provider/name`, or `offline (rule-based router, no language model)`. */
  readonly modelLabel: string;
  /** One prompt to its end; history is kept for the next one. Never rejects: failures are in the result. */
  prompt(text: string, signal: AbortSignal): Promise<RunResult>;
  /** One call on the one road, as typed by a person. */
  call(call: ToolCall, signal: AbortSignal): Promise<CallOutcome>;
  /** Ranks the tools that are reachable, best first. Rejects with the signal's reason only. */
  find(query: string, limit: number, signal: AbortSignal): Promise<readonly FoundTool[]>;
  /** What the servers of this run offer beside tools; built-ins are not among them. */
  offers(): readonly ServerOffers[];
  /** A person's reading on the one road. Rejects with UsageError for a server that has none of it. */
  read(request: OfferRequest, signal: AbortSignal): Promise<CallOutcome>;
  /** A person's script: its calls follow the mode. Rejects with UsageError for its options, or the signal's reason. */
  runScript(request: ScriptRequest, signal: AbortSignal): Promise<ScriptReport>;
  /** What is wrong with a script: one line each for syntax, unknown tools, literal arguments. Rejects as `runScript`. */
  checkScript(code: string, signal: AbortSignal): ReturnType<Scripts['check']>;
  /** Types `key=value` words (or one JSON object) by the tool's schema; reads `key=@FILE`. Rejects with UsageError. */
  parseArguments(tool: HasSchema, words: readonly string[]): Promise<JsonObject>;
  /** Problems of arguments against the tool's schema, one sentence each; empty = fit. */
  checkArguments(tool: RegisteredTool, args: JsonObject): readonly string[];
  /** How permission stands: rules, hooks, what a model's call of each exposed tool meets, what was allowed. */
  permissions(): PermissionReport;
  /** What a model's call of this tool meets, arguments aside. */
  explain(tool: RegisteredTool): Explanation;
  /** Takes back what a person allowed of one tool, for the session and for good. Returns how many. */
  forgetGrants(server: string, tool: string): number;
  /** Connects one server again. */
  reconnect(server: string, signal: AbortSignal): Promise<ServerStatus>;
  /** Signs in to one server and connects it. Rejects with UsageError, with what went wrong, or the signal's reason. */
  signIn(server: string, request: SignInRequest, signal: AbortSignal): Promise<SignInOutcome>;
  /** Kills every child group at once, synchronously: for a second Ctrl-C. */
  killNow(): void;
  /** Ends everything: children, sessions, timers. Idempotent, within 4 s. */
  close(): Promise<void>;
}
