/** Questions to a person: one at a time, and how one reads. Where they are shown is the surface's matter. */
import type { JsonValue } from '../base/json.ts';
import { createQueue, type Queue } from '../base/queue.ts';
import { scrubSecrets } from '../base/redact.ts';
import { countCharacters, escapeForTerminal, shorten } from '../base/text.ts';
import type { ToolAnnotations } from '../tools/types.ts';
import type { AskUser, PermissionRequest, Question } from './types.ts';

const MAX_QUESTION_BYTES = 64 * 1024;
const SHORT_LINES = 16;
const SHORT_LINE_CHARACTERS = 300;
const MAX_NAME = 200;
const MAX_CLAIM = 200;

/**
 * The same `askUser`, one question at a time, in the order of asking, also among what else goes through
 * `queue`. A question whose signal aborts while it waits is never shown.
 */
export function createQuestionQueue(askUser: AskUser, queue: Queue = createQueue()): AskUser {
  return {
    ask: (question, signal) => queue.run(() => askUser.ask(question, signal), signal),
  };
}

/**
 * The request with what a person reads: server, original tool, arguments, claims. Control, bidi and
 * invisible characters are made visible, secrets masked. The short form has at most 16 lines of arguments
 * with 300 characters each and says what it leaves out; the full one has at most 64 KiB.
 */
export function createQuestion(request: PermissionRequest): Question {
  const name = `${cleanLine(request.server, MAX_NAME)}/${cleanLine(request.tool, MAX_NAME)}`;
  const full = argumentLines(request);
  const shown = full.length > SHORT_LINES ? full.slice(0, SHORT_LINES - 1) : full;
  const cut = shown.map((line) => shorten(line, SHORT_LINE_CHARACTERS));
  const left = full.length - shown.length;
  const isCut = left > 0 || cut.some((line, index) => line !== shown[index]);
  const more = left > 0 ? `${left} more lines` : 'long lines are cut';
  return {
    ...request,
    lines: [
      `Allow ${name} ?`,
      ...cut,
      ...(isCut ? [`  … ${more}; v shows all`] : []),
      ...claimLines(request.annotations),
    ],
    full,
  };
}

function argumentLines(request: PermissionRequest): readonly string[] {
  if (Object.keys(request.arguments).length === 0) return ['  (no arguments)'];
  const json = escapeForTerminal(JSON.stringify(request.arguments, scrubValue, 2));
  const bytes = Buffer.from(json);
  if (bytes.length <= MAX_QUESTION_BYTES) return indented(json);
  // A character cut in the middle decodes to U+FFFD at the very end.
  const shown = bytes
    .subarray(0, MAX_QUESTION_BYTES)
    .toString()
    .replace(/\ufffd+$/, '');
  const missing = countCharacters(json) - countCharacters(shown);
  return [...indented(shown), `  … ${missing} more characters are not shown`];
}

/** Before JSON escapes quotes and backslashes, where a secret would no longer be found. */
function scrubValue(_key: string, value: JsonValue): JsonValue {
  return typeof value === 'string' ? scrubSecrets(value) : value;
}

function indented(text: string): readonly string[] {
  return text.split('\n').map((line) => `  ${line}`);
}

function claimLines(annotations: ToolAnnotations): readonly string[] {
  const claims = Object.entries(annotations).flatMap(([name, value]) =>
    typeof value === 'boolean' || typeof value === 'string'
      ? [`${cleanLine(name, MAX_NAME)}: ${cleanLine(String(value), MAX_CLAIM)}`]
      : [],
  );
  return claims.length === 0 ? [] : [`  the server claims: ${claims.join(', ')}`];
}

function cleanLine(text: string, maxCharacters: number): string {
  const line = escapeForTerminal(scrubSecrets(text))
    .replaceAll('\n', '\\n')
    .replaceAll('\t', '\\t');
  return shorten(line, maxCharacters);
}
