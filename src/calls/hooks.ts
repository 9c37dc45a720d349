/**
 * Programs of the user on the way of each call. One that fails, is late or talks nonsense denies the call, or
 * withholds the result: nothing goes past a hook that did not speak. Source: design, "One road to a tool".
 */
import { sha256Hex } from '../base/hash.ts';
import { isJsonObject, type JsonObject, type JsonValue, stableStringify } from '../base/json.ts';
import type { HookCommand, HooksConfig } from '../config/types.ts';
import type { HookVerdict } from '../permission/types.ts';
import type { ToolAnnotations, ToolResult } from '../tools/types.ts';
import { harmless, type RunHook } from './hook-process.ts';

/** What a hook is told of a call, as JSON on its stdin. */
export interface HookCall {
  readonly server: string;
  /** Original name. */
  readonly tool: string;
  readonly publicName: string;
  readonly arguments: JsonObject;
  readonly annotations: ToolAnnotations;
  /** Whether the annotations are believed: `trustAnnotations`, or a built-in. */
  readonly trusted: boolean;
  /** The id of our saved session; `null` where nothing is saved. */
  readonly session: string | null;
  /** Who speaks to the person: `run`, `session`, `call` … */
  readonly surface: string;
  /** The call of the script that makes this one; `null` for a call of its own. */
  readonly parentToolCallId: string | null;
}

/** What hooks did to a result; hashes are SHA-256 over the triple in stable JSON. */
export interface ResultChange {
  /** `config.yaml:12 my-filter`. */
  readonly hook: string;
  readonly before: string;
  /** `undefined`: withheld. */
  readonly after: string | undefined;
  /** Why it was withheld. */
  readonly reason: string | undefined;
}

export interface Hooks {
  /** What each said, in order, up to the first deny. Rejects with the signal's reason only. */
  beforeCall(call: HookCall, signal: AbortSignal): Promise<readonly HookVerdict[]>;
  /** The result to go on with. Rejects with the signal's reason only. */
  afterCall(
    call: HookCall,
    result: ToolResult,
    signal: AbortSignal,
  ): Promise<{ readonly result: ToolResult; readonly changes: readonly ResultChange[] }>;
}

/** `undefined` where nothing is configured. */
export function createHooks(config: HooksConfig | undefined, run: RunHook): Hooks | undefined {
  if (config === undefined) return undefined;
  const { toolCall, toolResult } = config;
  if (toolCall.length + toolResult.length === 0) return undefined;
  return {
    async beforeCall(call, signal) {
      const verdicts: HookVerdict[] = [];
      for (const hook of toolCall) {
        const verdict = await askHook(hook, call, run, signal);
        if (verdict !== undefined) verdicts.push(verdict);
        if (verdict?.effect === 'deny') break;
      }
      return verdicts;
    },
    async afterCall(call, first, signal) {
      const changes: ResultChange[] = [];
      let result = first;
      for (const hook of toolResult) {
        const passed = await passResult(hook, call, result, run, signal);
        if (passed.kind === 'same') continue;
        const before = hashOf(result);
        const name = nameOf(hook);
        if (passed.kind === 'withheld') {
          changes.push({ hook: name, before, after: undefined, reason: passed.reason });
          return { result: withheld(call, name, passed.reason), changes };
        }
        result = passed.result;
        changes.push({ hook: name, before, after: hashOf(result), reason: undefined });
      }
      return { result, changes };
    },
  };
}

async function askHook(
  hook: HookCommand,
  call: HookCall,
  run: RunHook,
  signal: AbortSignal,
): Promise<HookVerdict | undefined> {
  const why = (text: string) => `hook ${nameOf(hook)}: ${text}`;
  const deny = (reason: string, told: string | undefined = undefined): HookVerdict => ({
    effect: 'deny',
    why: why(reason),
    reason: told,
  });
  const ran = await run(hook, { ...call, annotations: { ...call.annotations } }, signal);
  if (ran.kind === 'failed') return deny(ran.reason);
  if (ran.kind === 'refused') return deny(ran.reason || 'denied', ran.reason || undefined);
  if (ran.answer === undefined) return undefined;
  const { answer } = ran;
  const decision = isJsonObject(answer) ? answer['decision'] : undefined;
  const said = isJsonObject(answer) ? answer['reason'] : undefined;
  const isReason = said === undefined || said === null || typeof said === 'string';
  if ((decision !== 'allow' && decision !== 'ask' && decision !== 'deny') || !isReason) {
    return deny('answered with neither allow, ask nor deny');
  }
  const reason = typeof said === 'string' ? harmless(said) || undefined : undefined;
  return { effect: decision, why: why(reason ?? decision), reason };
}

type Passed =
  | { readonly kind: 'same' }
  | { readonly kind: 'changed'; readonly result: ToolResult }
  | { readonly kind: 'withheld'; readonly reason: string };

async function passResult(
  hook: HookCommand,
  call: HookCall,
  result: ToolResult,
  run: RunHook,
  signal: AbortSignal,
): Promise<Passed> {
  const input = { call: { ...call, annotations: { ...call.annotations } }, ...tripleOf(result) };
  const ran = await run(hook, input, signal);
  if (ran.kind === 'failed') return { kind: 'withheld', reason: ran.reason };
  if (ran.kind === 'refused') return { kind: 'withheld', reason: ran.reason || 'withheld' };
  if (ran.answer === undefined) return { kind: 'same' };
  const changed = readTriple(ran.answer);
  if (changed === undefined) {
    return {
      kind: 'withheld',
      reason: 'did not answer with {content, structuredContent, isError}',
    };
  }
  return hashOf(changed) === hashOf(result)
    ? { kind: 'same' }
    : { kind: 'changed', result: changed };
}

/** All three together; a result without structured content says so with `null` or leaves it out. */
function readTriple(answer: JsonValue): ToolResult | undefined {
  if (!isJsonObject(answer)) return undefined;
  const { content, structuredContent, isError, ...rest } = answer;
  if (Object.keys(rest).some((key) => key !== 'call')) return undefined;
  if (!Array.isArray(content) || typeof isError !== 'boolean') return undefined;
  const blocks = content.filter(isBlock);
  if (blocks.length < content.length) return undefined;
  const structured = structuredContent ?? undefined;
  return {
    content: blocks,
    structuredContent: structured,
    isError,
    raw: {
      content: blocks,
      ...(structured === undefined ? {} : { structuredContent: structured }),
      isError,
    },
  };
}

function isBlock(block: JsonValue): block is JsonObject {
  if (!isJsonObject(block) || typeof block['type'] !== 'string') return false;
  return block['type'] !== 'text' || typeof block['text'] === 'string';
}

function withheld(call: HookCall, hook: string, reason: string): ToolResult {
  const text = `${call.server}/${call.tool} was called, but its result is withheld by a hook of the user (${hook}: ${reason}). Do not repeat the call.`;
  const content = [{ type: 'text', text }];
  return { content, structuredContent: undefined, isError: true, raw: { content, isError: true } };
}

function tripleOf({ content, structuredContent, isError }: ToolResult) {
  return { content, structuredContent: structuredContent ?? null, isError };
}

function hashOf(result: ToolResult): string {
  return sha256Hex(stableStringify(tripleOf(result)));
}

/** `config.yaml:12 my-filter`. */
function nameOf({ command, place }: HookCommand): string {
  return `${place} ${command.split('/').at(-1) ?? command}`;
}
