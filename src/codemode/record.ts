/** What the calls of one script came to, within bounds. */
import type { JsonObject } from '../base/json.ts';
import { shorten } from '../base/text.ts';
import type { CallOutcome } from '../calls/types.ts';
import { LIMITS } from './limits.ts';
import type { NestedCall, NestedCalls } from './types.ts';

export interface NestedRecord {
  add(call: {
    readonly id: string;
    readonly shown: string;
    readonly given: JsonObject;
    readonly outcome: CallOutcome;
  }): void;
  nestedCalls(): NestedCalls;
  /** By a rule, or for want of a person; each tool once. */
  denied(): readonly { readonly tool: string; readonly remedy: string | undefined }[];
  unknownOutcome(): readonly string[];
  /** `server/tool: why`, the first few. */
  failed(): readonly string[];
}

const MAX_FAILED = 5;
const MAX_REASON = 200;

export function createNestedRecord(): NestedRecord {
  const calls: NestedCall[] = [];
  const denied = new Map<string, string | undefined>();
  const unknown: string[] = [];
  const failed: string[] = [];
  let isComplete = true;
  let characters = 0;

  return {
    add({ id, shown, given, outcome }) {
      const text = errorOf(outcome);
      if (outcome.kind === 'denied' && outcome.by !== 'person') denied.set(shown, outcome.remedy);
      if (outcome.kind === 'unknown') unknown.push(shown);
      if (text !== undefined && outcome.kind !== 'cancelled' && failed.length < MAX_FAILED) {
        failed.push(`${shown}: ${shorten(text.replace(/\s+/g, ' '), MAX_REASON)}`);
      }
      if (calls.length >= LIMITS.nestedCalls) {
        isComplete = false;
        return;
      }
      const size = JSON.stringify(given).length;
      const fits =
        size <= LIMITS.nestedArguments && characters + size <= LIMITS.nestedArgumentsInAll;
      if (fits) characters += size;
      if (!fits || (text !== undefined && text.length > LIMITS.nestedError)) isComplete = false;
      calls.push({
        id,
        tool: shown,
        arguments: fits ? given : undefined,
        outcome: outcomeOf(outcome),
        ...(text === undefined ? {} : { error: shorten(text, LIMITS.nestedError) }),
      });
    },
    nestedCalls: () => ({ complete: isComplete, calls: [...calls] }),
    denied: () => [...denied].map(([tool, remedy]) => ({ tool, remedy })),
    unknownOutcome: () => unknown,
    failed: () => failed,
  };
}

function outcomeOf(outcome: CallOutcome): NestedCall['outcome'] {
  if (outcome.kind !== 'result') return outcome.kind;
  return outcome.result.isError ? 'error' : 'ok';
}

function errorOf(outcome: CallOutcome): string | undefined {
  if (outcome.kind !== 'result') return outcome.text;
  return outcome.result.isError ? outcome.rendered.text : undefined;
}
