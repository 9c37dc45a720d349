/** Questions to a person: one at a time, and how one reads. Where they are shown is the surface's matter. */
import { raceAbort } from '../base/abort.ts';
import { scrubSecrets } from '../base/redact.ts';
import {
  countCharacters,
  cutToCharacters,
  escapeForTerminal,
  shorten,
  wrap,
} from '../base/text.ts';
import type { ToolAnnotations } from '../tools/types.ts';
import type { Answer, AskUser, PermissionRequest } from './types.ts';

const MAX_QUESTION_CHARACTERS = 64 * 1024;
const SHORT_LINES = 16;
const MAX_NAME = 200;
const MAX_CLAIM = 200;

/** The same `askUser`, one question at a time, in the order of asking. A question whose signal aborts while it waits is never shown. */
export function createQuestionQueue(askUser: AskUser): AskUser {
  let last: Promise<unknown> = Promise.resolve();
  return {
    ask(request, signal) {
      const turn = last.then((): Promise<Answer> => {
        signal.throwIfAborted();
        return askUser.ask(request, signal);
      });
      // The next question waits for this one's end, whatever it was.
      last = turn.catch(() => undefined);
      return raceAbort(turn, signal);
    },
  };
}

/**
 * The question as lines of at most `width` columns: server, original tool, arguments, claims. Control, bidi
 * and invisible characters are made visible, secrets masked. The short view has at most 16 lines of
 * arguments and says what it leaves out; the full one at most 64 KiB.
 */
export function renderQuestion(
  request: PermissionRequest,
  view: { readonly width: number; readonly full: boolean },
): readonly string[] {
  const name = `${cleanLine(request.server, MAX_NAME)}/${cleanLine(request.tool, MAX_NAME)}`;
  const lines = [`Allow ${name} ?`, ...argumentLines(request), ...claimLines(request.annotations)];
  const wrapped = lines.map((line) => wrap(line, view.width));
  if (view.full) return wrapped.flat();
  const [title = [], ...rest] = wrapped;
  const claims = rest.slice(rest.length - claimLines(request.annotations).length);
  const body = rest.slice(0, rest.length - claims.length).flat();
  const shown = body.length > SHORT_LINES ? body.slice(0, SHORT_LINES - 1) : body;
  const left = body.length - shown.length;
  const marker = left > 0 ? wrap(`  … ${left} more lines; v shows all`, view.width) : [];
  return [...title, ...shown, ...marker, ...claims.flat()];
}

/** `→ server/tool {…}`: a call on one line of at most `width` characters, cleaned. */
export function renderCallLine(
  call: Pick<PermissionRequest, 'server' | 'tool' | 'arguments'>,
  width: number,
): string {
  const name = `${cleanLine(call.server, MAX_NAME)}/${cleanLine(call.tool, MAX_NAME)}`;
  return shorten(`→ ${name} ${cleanLine(JSON.stringify(call.arguments), width)}`, width);
}

function argumentLines(request: PermissionRequest): readonly string[] {
  if (Object.keys(request.arguments).length === 0) return ['  (no arguments)'];
  const json = escapeForTerminal(scrubSecrets(JSON.stringify(request.arguments, null, 2)));
  const shown = cutToCharacters(json, MAX_QUESTION_CHARACTERS);
  const lines = shown.split('\n').map((line) => `  ${line}`);
  if (shown.length === json.length) return lines;
  const missing = countCharacters(json) - MAX_QUESTION_CHARACTERS;
  return [...lines, `  … ${missing} more characters are not shown`];
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
