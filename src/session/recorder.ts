/**
 * Writes the calls of a host into the journal: an intent before each is sent, its outcome after. Never
 * arguments or results themselves, only their hashes; secrets are scrubbed from names and reasons.
 */
import type { RunOutcome } from '../agent/loop.ts';
import type { AgentEvent } from '../agent/types.ts';
import { sha256Hex } from '../base/hash.ts';
import { type JsonObject, type JsonValue, stableStringify } from '../base/json.ts';
import { scrubSecrets } from '../base/redact.ts';
import type { Journal } from './journal.ts';

export type Message = RunOutcome['history'][number];
type Permission = Extract<AgentEvent, { type: 'call_permission' }>;
type Done = Extract<AgentEvent, { type: 'call_done' }>;

/** What is about to be sent. */
export interface Intent {
  readonly id: string;
  readonly server: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly origin: string;
  /** The call of the script that makes this one. */
  readonly parent?: string | undefined;
  /** As the server claims; a lie costs only evidence after a crash of the machine. */
  readonly isReadOnly: boolean;
}

/** Server states tell the protocol's era. */
export type RecordedEvent =
  | AgentEvent
  | {
      readonly type: 'server';
      readonly status: { readonly name: string; readonly era: string | undefined };
    };

export interface Recorder {
  /** Written when it resolves; for a tool that does not claim to be read-only also on disk. Never rejects. */
  beforeSend(intent: Intent): Promise<void> | undefined;
  onEvent(event: RecordedEvent): void;
}

export function createRecorder(journal: Journal): Recorder {
  const eras = new Map<string, string>();
  const permissions = new Map<string, Permission>();
  /** Numbers of the intents that have no outcome yet, by call. */
  const sent = new Map<string, number[]>();

  const conclude = (event: Done) => {
    const { id, outcome } = event;
    const waiting = sent.get(id);
    const intent = waiting?.shift();
    if (waiting?.length === 0) sent.delete(id);
    const permission = permissions.get(id);
    permissions.delete(id);
    if (intent !== undefined) {
      journal.append('outcome', {
        intent,
        call: id,
        ...outcomeFields(outcome),
        ms: Math.round(event.durationMs),
      });
    } else if (outcome.kind === 'denied') {
      journal.append('refused', {
        call: id,
        server: scrubSecrets(outcome.tool.server),
        tool: scrubSecrets(outcome.tool.name),
        by: outcome.by,
        ...permissionFields(permission),
      });
    }
  };

  return {
    beforeSend(intent) {
      const seq = journal.append('intent', {
        call: intent.id,
        server: scrubSecrets(intent.server),
        tool: scrubSecrets(intent.tool),
        origin: intent.origin,
        parent: intent.parent,
        ...permissionFields(permissions.get(intent.id)),
        argsHash: sha256Hex(stableStringify(intent.arguments)),
        era: eras.get(intent.server),
        readOnly: intent.isReadOnly,
      });
      if (seq === 0) return undefined;
      sent.set(intent.id, [...(sent.get(intent.id) ?? []), seq]);
      return intent.isReadOnly ? undefined : journal.sync();
    },
    onEvent(event) {
      switch (event.type) {
        case 'server':
          if (event.status.era !== undefined) eras.set(event.status.name, event.status.era);
          break;
        case 'call_permission':
          permissions.set(event.id, event);
          break;
        case 'call_changed':
          journal.append('changed', {
            call: event.id,
            server: scrubSecrets(event.server),
            tool: scrubSecrets(event.tool),
            hook: scrubSecrets(event.hook),
            before: event.before,
            after: event.after,
          });
          break;
        case 'call_done':
          conclude(event);
          break;
        default:
          break;
      }
    },
  };
}

/** Texts above this many UTF-16 units go into the hash of a result by their own hash: it must not cost their size again. */
const LONG_TEXT = 64 * 1024;

/** SHA-256 of the result's JSON text, long texts in it replaced by `sha256:` and their own hash. */
function hashResult(raw: JsonValue): string {
  const text = JSON.stringify(raw, (_key, part: unknown) =>
    typeof part === 'string' && part.length > LONG_TEXT ? `sha256:${sha256Hex(part)}` : part,
  );
  return sha256Hex(text ?? '');
}

/** Who allowed or refused it, and by which rule. */
function permissionFields(permission: Permission | undefined): JsonObject {
  if (permission === undefined) return {};
  const { decision, answer } = permission;
  return { effect: decision.effect, why: scrubSecrets(decision.why), answer };
}

function outcomeFields(outcome: Done['outcome']): JsonObject {
  switch (outcome.kind) {
    case 'result':
      return {
        outcome: outcome.result.isError ? 'error' : 'ok',
        resultHash: hashResult(outcome.result.raw),
      };
    case 'cancelled':
      return { outcome: outcome.sent ? 'unknown' : 'cancelled' };
    case 'unknown':
    case 'failed':
    case 'denied':
    case 'invalid':
      return { outcome: outcome.kind };
  }
}
