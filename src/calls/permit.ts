/** May this call be sent: hooks of the user, the decision, and the question where one is needed. */
import type { JsonObject } from '../base/json.ts';
import { createQuestion } from '../permission/ask.ts';
import { type Decision, decide, remedyFor } from '../permission/engine.ts';
import type { PermissionPolicy } from '../permission/policy.ts';
import type { Answer, AskUser, HookVerdict, PermissionRequest } from '../permission/types.ts';
import type { RegisteredTool } from '../tools/types.ts';
import type { Grants } from './grants.ts';
import type { HookCall, Hooks } from './hooks.ts';
import type { CallEvent, CallOutcome, ToolCall } from './types.ts';

export interface PermitDeps {
  readonly policy: PermissionPolicy;
  readonly grants: Grants;
  /** One question at a time (`createQuestionQueue`); `undefined`: nobody is there. */
  readonly askUser: AskUser | undefined;
  /** Default: none. */
  readonly hooks?: Hooks | undefined;
  /** For hooks: who speaks to the person. Default `run`. */
  readonly surface?: string;
  /** For hooks: the id of our saved session. Default none. */
  readonly session?: string | undefined;
  /** Must not throw. */
  readonly onEvent: (event: CallEvent) => void;
}

/** The outcome when the call must not be sent; `undefined` when it may. Rejects as the question does. */
export async function permitCall(
  deps: PermitDeps,
  call: ToolCall,
  tool: RegisteredTool,
  given: JsonObject,
  signal: AbortSignal,
): Promise<CallOutcome | undefined> {
  const request: PermissionRequest = {
    server: tool.server,
    tool: tool.name,
    publicName: tool.publicName,
    arguments: given,
    annotations: tool.definition.annotations,
    origin: call.origin,
  };
  const decision = await decideCall(deps, call, tool, request, signal);
  let answer: Answer | undefined;
  if (decision.effect === 'ask' && deps.askUser !== undefined) {
    answer = await deps.askUser.ask(questionFor(deps, tool, request, decision), signal);
    answer = keepAnswer(deps, tool, decision, answer);
  }
  const { effect, why } = decision;
  deps.onEvent({
    type: 'call_permission',
    id: call.id,
    server: tool.server,
    tool: tool.name,
    decision: { effect, why },
    answer: answer?.kind,
  });
  const path = `${tool.server}/${tool.name}`;
  switch (effect) {
    case 'allow':
      return undefined;
    case 'deny':
      return {
        kind: 'denied',
        tool,
        by: 'rule',
        text: denialText(path, decision),
        remedy: remedyFor(request, decision),
      };
    case 'ask':
      return answered(tool, path, answer, remedyFor(request, decision));
  }
}

/** What a hook is told of a call. */
export function hookCall(
  deps: PermitDeps,
  call: ToolCall,
  tool: RegisteredTool,
  given: JsonObject,
): HookCall {
  const server = deps.policy.servers.get(tool.server);
  return {
    server: tool.server,
    tool: tool.name,
    publicName: tool.publicName,
    arguments: given,
    annotations: tool.definition.annotations,
    trusted: server?.trustsAnnotations === true || server?.isBuiltin === true,
    session: deps.session ?? null,
    surface: deps.surface ?? 'run',
    parentToolCallId: call.parentToolCallId ?? null,
  };
}

async function decideCall(
  deps: PermitDeps,
  call: ToolCall,
  tool: RegisteredTool,
  request: PermissionRequest,
  signal: AbortSignal,
): Promise<Decision> {
  const isFree = tool.source.isFree === true;
  const granted = (scope: string) => (isFree ? 'free' : deps.grants.find(tool, scope));
  const first = decide(request, deps.policy, { granted });
  if (first.effect === 'deny' || isFree || deps.hooks === undefined) return first;
  const hooks: readonly HookVerdict[] = await deps.hooks.beforeCall(
    hookCall(deps, call, tool, request.arguments),
    signal,
  );
  return hooks.length === 0 ? first : decide(request, deps.policy, { granted, hooks });
}

function questionFor(
  deps: PermitDeps,
  tool: RegisteredTool,
  request: PermissionRequest,
  { why, isHook }: Decision,
) {
  const hasChanged = deps.grants.hasChanged(tool);
  return createQuestion(request, { why, canLast: !isHook, hasChanged });
}

/** A yes that lasts is kept; the answer says how long it really lasts. */
function keepAnswer(
  { grants }: PermitDeps,
  tool: RegisteredTool,
  { scope, isHook }: Decision,
  answer: Answer,
): Answer {
  if (answer.kind !== 'session' && answer.kind !== 'always') return answer;
  return isHook ? { kind: 'yes' } : { kind: grants.add(tool, scope, answer.kind) };
}

function denialText(path: string, { isHook, reason }: Decision): string {
  if (!isHook) return `${path} was not called: a rule of the user's config denies it.`;
  const said = reason === undefined ? '.' : ` and says: ${reason}`;
  return `${path} was not called: a hook of the user denies it${said}`;
}

function answered(
  tool: RegisteredTool,
  path: string,
  answer: Answer | undefined,
  remedy: string | undefined,
): CallOutcome | undefined {
  switch (answer?.kind) {
    case 'yes':
    case 'session':
    case 'always':
      return undefined;
    case 'no':
      return {
        kind: 'denied',
        tool,
        by: 'person',
        text: `${path} was not called: the user declined it.`,
        remedy: undefined,
      };
    case 'deny':
      return {
        kind: 'denied',
        tool,
        by: 'person',
        text: `${path} was not called: the user declined it and says: ${answer.reason}`,
        remedy: undefined,
      };
    case 'nobody':
    case undefined:
      return {
        kind: 'denied',
        tool,
        by: 'nobody',
        text: `${path} was not called: it needs approval and ${answer?.reason ?? 'nobody is there to ask'}.`,
        remedy,
      };
  }
}
