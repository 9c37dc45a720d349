/** Questions to a person: one at a time, and how one reads. Where they are shown is the surface's matter. */
import type { JsonValue } from '../base/json.ts';
import { createQueue, type Queue } from '../base/queue.ts';
import { quoted } from '../base/quoted.ts';
import { scrubSecrets } from '../base/redact.ts';
import { countCharacters, escapeForTerminal, shorten } from '../base/text.ts';
import type { ToolAnnotations } from '../tools/types.ts';
import type { AskUser, PermissionRequest, Question } from './types.ts';

const MAX_QUESTION_BYTES = 64 * 1024;
const SHORT_LINES = 16;
const SHORT_LINE_CHARACTERS = 300;
const MAX_NAME = 200;
const MAX_CLAIM = 200;
const MAX_WHY = 300;

/**
 * The same `askUser`, one question at a time, in the order of asking, also among what else goes through
 * `queue`. A question whose signal aborts while it waits is never shown.
 */
export function createQuestionQueue(askUser: AskUser, queue: Queue = createQueue()): AskUser {
  return {
    ask: (question, signal) => queue.run(() => askUser.ask(question, signal), signal),
  };
}

export interface AskedBecause {
  /** What asks: a rule with its place, a mode, a hook. */
  readonly why: string;
  /** False: only a yes for this one call can be given. */
  readonly canLast: boolean;
  /** The person allowed an earlier form of this tool for good. */
  readonly hasChanged: boolean;
}

/**
 * The request with what a person reads: server, original tool, arguments, claims, and why it is asked.
 * Control, bidi and invisible characters are made visible, secrets masked; what is not ours is marked as
 * quoted. The short form has at most 16 lines of arguments with 300 characters each and says what it leaves
 * out; the full one has at most 64 KiB.
 */
export function createQuestion(request: PermissionRequest, because: AskedBecause): Question {
  const full = argumentLines(request);
  const shown = full.length > SHORT_LINES ? full.slice(0, SHORT_LINES - 1) : full;
  const cut = shown.map((line) => shorten(line, SHORT_LINE_CHARACTERS));
  const left = full.length - shown.length;
  const isCut = left > 0 || cut.some((line, index) => line !== shown[index]);
  const more = left > 0 ? `${left} more lines` : 'long lines are cut';
  return {
    ...request,
    canLast: because.canLast,
    lines: [
      `Allow ${nameOf(request)} ?`,
      ...cut,
      ...(isCut ? [`  … ${more}; v shows all`] : []),
      ...claimLines(request.annotations),
      ...(because.hasChanged ? [CHANGED] : []),
      `  asked because of ${cleanLine(because.why, MAX_WHY)}`,
    ],
    full,
  };
}

const CHANGED = '  ! you always allowed an earlier form of this tool; it is another one now';
const DESTRUCTIVE = '  ! the server says that this may destroy or overwrite something';
/** What needs no quotes to be read as one name. */
const PLAIN_NAME = /^[\w./@:+-]+$/;

/** A name with blanks or signs could read as a sentence of ours. */
function nameOf({ server, tool }: PermissionRequest): string {
  const name = `${cleanLine(server, MAX_NAME)}/${cleanLine(tool, MAX_NAME)}`;
  return PLAIN_NAME.test(name) ? name : `"${name.replaceAll('"', '\\"')}"`;
}

function argumentLines(request: PermissionRequest): readonly string[] {
  if (Object.keys(request.arguments).length === 0) return ['  (no arguments)'];
  const json = escapeForTerminal(JSON.stringify(request.arguments, scrubValue, 2));
  const bytes = Buffer.from(json);
  if (bytes.length <= MAX_QUESTION_BYTES) return marked(json);
  // A character cut in the middle decodes to U+FFFD at the very end.
  const shown = bytes
    .subarray(0, MAX_QUESTION_BYTES)
    .toString()
    .replace(/\ufffd+$/, '');
  const missing = countCharacters(json) - countCharacters(shown);
  return [...marked(shown), `  … ${missing} more characters are not shown`];
}

/** Before JSON escapes quotes and backslashes, where a secret would no longer be found. */
function scrubValue(_key: string, value: JsonValue): JsonValue {
  return typeof value === 'string' ? scrubSecrets(value) : value;
}

function marked(text: string): readonly string[] {
  return text.split('\n').map(quoted);
}

function claimLines(annotations: ToolAnnotations): readonly string[] {
  const claims = Object.entries(annotations).flatMap(([name, value]) =>
    typeof value === 'boolean' || typeof value === 'string'
      ? [`${cleanLine(name, MAX_NAME)}: ${cleanLine(String(value), MAX_CLAIM)}`]
      : [],
  );
  return [
    ...(claims.length === 0 ? [] : [`  the server claims: ${claims.join(', ')}`]),
    ...(annotations.destructiveHint === true ? [DESTRUCTIVE] : []),
  ];
}

function cleanLine(text: string, maxCharacters: number): string {
  const line = escapeForTerminal(scrubSecrets(text))
    .replaceAll('\n', '\\n')
    .replaceAll('\t', '\\t');
  return shorten(line, maxCharacters);
}
