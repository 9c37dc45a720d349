/** Reads a saved conversation. What does not fit is left out from there on: never a guess. */
import * as v from 'valibot';
import { isJsonObject, type JsonObject, tryParseJson } from '../base/json.ts';
import type { Message } from './recorder.ts';
import type { KeptResult, Stored } from './transcript.ts';

export interface SavedMessage {
  readonly message: Message;
  /** Number of the journal's last line when it was saved. */
  readonly seq: number;
  /** ISO 8601. */
  readonly at: string;
  /** Where its line ends in the file. */
  readonly endBytes: number;
}

export interface SavedSession {
  readonly id: string;
  readonly cwd: string;
  readonly messages: readonly SavedMessage[];
  readonly kept: readonly KeptResult[];
  /** What scripts have stored up to there. `endBytes` as of a message. */
  readonly stored: (endBytes: number) => Stored;
  /** Length of the lines that were read: what follows is torn or of no known shape. */
  readonly wholeBytes: number;
  /** Length of the first line. */
  readonly headBytes: number;
  /** True: something follows them. */
  readonly isCut: boolean;
  /** True: the journal could not be written after the last message, so it proves nothing about later calls. */
  readonly isUnrecorded: boolean;
}

const NEWLINE = 10;
const text = v.string();
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const headSchema = v.object({ kind: v.literal('session'), v: v.literal(1), id: text, cwd: text });
const keptSchema = v.object({ kind: v.literal('kept'), id: text, path: text });
const storedSchema = v.object({
  kind: v.literal('stored'),
  key: text,
  json: v.nullable(jsonText()),
});
const unrecordedSchema = v.object({ kind: v.literal('unrecorded') });
function jsonText() {
  return v.pipe(
    v.string(),
    v.check((value) => tryParseJson(value) !== undefined),
  );
}
const argumentsText = v.pipe(
  text,
  v.check((value) => isJsonObject(tryParseJson(value))),
);
const callSchema = v.object({ id: text, name: text, argumentsText });
const resultSchema = v.object({
  callId: text,
  name: text,
  text,
  status: v.picklist(['ok', 'error', 'denied', 'declined']),
});
const messageSchema = v.object({
  kind: v.literal('message'),
  at: text,
  seq: count,
  message: v.variant('role', [
    v.object({ role: v.literal('user'), text }),
    v.object({
      role: v.literal('assistant'),
      text,
      toolCalls: v.array(callSchema),
      state: v.optional(v.custom<JsonObject>(isJsonObject)),
    }),
    v.object({ role: v.literal('tool'), results: v.array(resultSchema) }),
  ]),
});

/** `undefined`: the file holds no session. */
export function readTranscript(bytes: Uint8Array): SavedSession | undefined {
  const messages: SavedMessage[] = [];
  const kept: KeptResult[] = [];
  const stored: StoredLine[] = [];
  let head: v.InferOutput<typeof headSchema> | undefined;
  let start = 0;
  let headBytes = 0;
  let isUnrecorded = false;
  const decoder = new TextDecoder();
  for (;;) {
    const end = bytes.indexOf(NEWLINE, start);
    if (end === -1) break;
    const line = tryParseJson(decoder.decode(bytes.subarray(start, end)));
    if (head === undefined) {
      const read = v.safeParse(headSchema, line);
      if (!read.success) return undefined;
      head = read.output;
      headBytes = end + 1;
    } else {
      const read = readLine(line, end + 1);
      if (read === undefined) break;
      if (read.kind === 'kept') kept.push(read.kept);
      if (read.kind === 'stored') stored.push(read.stored);
      if (read.kind === 'message') messages.push(read.message);
      isUnrecorded = read.kind === 'unrecorded' || (isUnrecorded && read.kind !== 'message');
    }
    start = end + 1;
  }
  if (head === undefined) return undefined;
  const { id, cwd } = head;
  return {
    id,
    cwd,
    messages,
    kept,
    stored: (endBytes) => storedUntil(stored, endBytes),
    wholeBytes: start,
    headBytes,
    isCut: start < bytes.length,
    isUnrecorded,
  };
}

interface StoredLine {
  readonly key: string;
  readonly json: string | null;
  readonly endBytes: number;
}

function storedUntil(lines: readonly StoredLine[], endBytes: number): Stored {
  const store = new Map<string, string>();
  for (const { key, json, ...line } of lines) {
    if (line.endBytes > endBytes) break;
    if (json === null) store.delete(key);
    else store.set(key, json);
  }
  return store;
}

type Line =
  | { readonly kind: 'stored'; readonly stored: StoredLine }
  | { readonly kind: 'kept'; readonly kept: KeptResult }
  | { readonly kind: 'message'; readonly message: SavedMessage }
  | { readonly kind: 'unrecorded' };

/** `undefined`: of no known shape. */
function readLine(line: unknown, endBytes: number): Line | undefined {
  const kept = v.safeParse(keptSchema, line);
  if (kept.success) return { kind: 'kept', kept: { id: kept.output.id, path: kept.output.path } };
  const stored = v.safeParse(storedSchema, line);
  if (stored.success) {
    const { key, json } = stored.output;
    return { kind: 'stored', stored: { key, json, endBytes } };
  }
  if (v.is(unrecordedSchema, line)) return { kind: 'unrecorded' };
  const read = v.safeParse(messageSchema, line);
  if (!read.success) return undefined;
  const { message, seq, at } = read.output;
  return { kind: 'message', message: { message: withState(message), seq, at, endBytes } };
}

function withState(message: v.InferOutput<typeof messageSchema>['message']): Message {
  return message.role === 'assistant' ? { ...message, state: message.state } : message;
}
