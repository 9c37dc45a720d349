/**
 * A saved conversation made fit to go on with: every call has exactly one result, in order, and what was
 * in flight when the run was killed is told to the model as such. Pure. Nothing is ever called again here.
 */
import type { JsonObject } from '../base/json.ts';
import type { SavedMessage } from './read-transcript.ts';
import type { Message } from './recorder.ts';

export interface Mended {
  readonly history: readonly Message[];
  /** How many messages of the file are in `history` as they are. */
  readonly kept: number;
  /** `server/tool` of calls that were sent and whose outcome is not known. */
  readonly unknown: readonly string[];
}

/** Read by the model in place of a result that was never saved. */
export const UNKNOWN_CALL =
  'The run was ended while this call was in flight: it may have happened. Do not repeat it; look at its effect first, or ask the user.';
export const LOST_RESULT =
  'The run was ended after this call was answered and before its result was saved: it happened. Do not repeat it if it changes anything.';
export const UNSENT_CALL = 'Not run: the run was ended before this call was sent.';

/**
 * `lines`: of the session's journal. `isUnrecorded`: it was not written at the end, and a call that is not in it
 * may have been sent all the same.
 */
export function mendHistory(
  saved: readonly SavedMessage[],
  lines: readonly JsonObject[],
  isUnrecorded: boolean,
): Mended {
  const history: Message[] = [];
  const unknown: string[] = [];
  let kept = 0;
  for (const [index, { message, seq }] of saved.entries()) {
    const next = saved[index + 1]?.message;
    // A prompt that got no reply: the person will say it again.
    if (message.role === 'user' && next?.role !== 'assistant') break;
    if (message.role === 'assistant' && message.toolCalls.length > 0) {
      if (next?.role === 'tool' && answersAll(message, next)) {
        history.push(message);
        kept = index + 1;
        continue;
      }
      const evidence = evidenceOf(lines, seq);
      history.push(message, inFlight(message, evidence, isUnrecorded, unknown));
      kept = index + 1;
      break;
    }
    if (message.role === 'tool' && saved[index - 1]?.message.role !== 'assistant') break;
    history.push(message);
    kept = index + 1;
  }
  return { history, kept, unknown };
}

type Assistant = Extract<Message, { role: 'assistant' }>;
type Results = Extract<Message, { role: 'tool' }>;

function answersAll({ toolCalls }: Assistant, { results }: Results): boolean {
  return (
    toolCalls.length === results.length &&
    toolCalls.every((call, index) => results[index]?.callId === call.id)
  );
}

interface Evidence {
  readonly path: string;
  outcome: string | undefined;
}

/** What the journal knows of the calls after line `seq`, by call id, in order. */
function evidenceOf(lines: readonly JsonObject[], seq: number): ReadonlyMap<string, Evidence[]> {
  const byCall = new Map<string, Evidence[]>();
  const bySeq = new Map<number, Evidence>();
  for (const line of lines.slice(seq)) {
    const { kind, call, server, tool, intent, outcome } = line;
    if (kind === 'intent' && typeof call === 'string') {
      const found: Evidence = { path: `${server}/${tool}`, outcome: undefined };
      byCall.set(call, [...(byCall.get(call) ?? []), found]);
      if (typeof line['seq'] === 'number') bySeq.set(line['seq'], found);
    }
    if (kind === 'outcome' && typeof intent === 'number') {
      const found = bySeq.get(intent);
      if (found !== undefined && typeof outcome === 'string') found.outcome = outcome;
    }
  }
  return byCall;
}

function inFlight(
  { toolCalls }: Assistant,
  evidence: ReadonlyMap<string, Evidence[]>,
  isUnrecorded: boolean,
  unknown: string[],
): Message {
  const results = toolCalls.map(({ id, name }) => {
    const found = evidence.get(id)?.shift();
    const text = found === undefined && isUnrecorded ? UNKNOWN_CALL : textOf(found);
    if (text === UNKNOWN_CALL) unknown.push(found?.path ?? name);
    return { callId: id, name, text, status: 'error' as const };
  });
  return { role: 'tool', results };
}

function textOf(found: Evidence | undefined): string {
  switch (found?.outcome) {
    case undefined:
      return found === undefined ? UNSENT_CALL : UNKNOWN_CALL;
    case 'ok':
    case 'error':
      return LOST_RESULT;
    case 'unknown':
      return UNKNOWN_CALL;
    default:
      return UNSENT_CALL;
  }
}
