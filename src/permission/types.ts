/** Permission: what may run, who is asked, and what the answer was. Pure data and one port. */
import type { JsonObject } from '../base/json.ts';
import type { CallOrigin, ToolAnnotations } from '../tools/types.ts';

export type PermissionEffect = 'allow' | 'ask' | 'deny';

export interface PermissionRequest {
  readonly server: string;
  readonly tool: string;
  readonly publicName: string;
  readonly arguments: JsonObject;
  readonly annotations: ToolAnnotations;
  readonly origin: CallOrigin;
}

export interface PermissionDecision {
  readonly effect: PermissionEffect;
  /** The rule, mode or flag that decided, as a person would name it: `--yes github/search_code`. */
  readonly why: string;
}

/** What a hook of the user said about a call; the strongest one counts. */
export interface HookVerdict extends PermissionDecision {
  /** In the hook's own words, for the model as well. */
  readonly reason: string | undefined;
}

/** How long a person's yes lasts: for the session, or for good (kept in the state directory). */
export type GrantKind = 'session' | 'always';

export type Answer =
  | { readonly kind: 'yes' }
  | { readonly kind: GrantKind }
  | { readonly kind: 'no' }
  | { readonly kind: 'deny'; readonly reason: string }
  /** Nobody is there, or nobody answered in time. */
  | { readonly kind: 'nobody'; readonly reason: string };

/** A request with what a person is shown: server text is already escaped, secrets are scrubbed. */
export interface Question extends PermissionRequest {
  /** Short form: server, original tool, arguments, annotations as claims. Not wrapped to a width. */
  readonly lines: readonly string[];
  /** All arguments, pretty-printed, at most 64 KiB. */
  readonly full: readonly string[];
  /** False: what asked looks at each call, so only a yes for this one can be given. Default true. */
  readonly canLast?: boolean;
}

/** Asks a person. Must be queued by its owner: one question at a time. Ctrl-C and EOF are `no`. */
export interface AskUser {
  ask(question: Question, signal: AbortSignal): Promise<Answer>;
}
