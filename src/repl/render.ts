/**
 * What happens in a run, as lines for a person. Pure. Everything that came from a server or a model is
 * escaped and scrubbed here, once.
 */
import type { RunResult } from '../agent/types.ts';
import { assertNever } from '../base/errors.ts';
import { scrubSecrets } from '../base/redact.ts';
import { maskedJson } from '../base/sensitive.ts';
import { escapeForTerminal, shorten } from '../base/text.ts';
import type { CallEvent, CallOutcome } from '../calls/types.ts';
import type { ServerStatus } from '../mcp/types.ts';
import type { ToolProgress } from '../tools/types.ts';

export type Paint = (text: string, tone: 'dim' | 'good' | 'bad' | 'caution' | 'strong') => string;

const CODES = { dim: '2', good: '32', bad: '31', caution: '33', strong: '1' } as const;
const MAX_ARGUMENTS = 500;
const MAX_REASON = 300;
/** Lines of an error, such as the end of a server's stderr. */
const MAX_ERROR_LINES = 12;
const BAR_CELLS = 20;

/** Colours text, or leaves it alone. */
export function createPaint(colour: boolean): Paint {
  return (text, tone) => (colour ? `\x1b[${CODES[tone]}m${text}\x1b[0m` : text);
}

/** Text of others on one line, at most `maxCharacters` (default 300). */
export function cleanLine(text: string, maxCharacters = MAX_REASON): string {
  const escaped = escapeForTerminal(scrubSecrets(text.trim()));
  return shorten(escaped.replaceAll('\n', '\\n').replaceAll('\t', '\\t'), maxCharacters);
}

/** Text of others on its own lines. */
export function cleanText(text: string): string {
  return escapeForTerminal(scrubSecrets(text));
}

export function toolLabel(call: { readonly server: string; readonly tool: string }): string {
  return `${cleanLine(call.server)}/${cleanLine(call.tool)}`;
}

/** `→ server/tool {"path":"a"}` */
export function renderCall(call: Extract<CallEvent, { type: 'call_sent' }>, paint: Paint): string {
  const json = cleanLine(maskedJson(call.arguments), MAX_ARGUMENTS);
  return `${paint('→', 'dim')} ${toolLabel(call)} ${paint(json, 'dim')}`;
}

/** `✓ server/tool 12 ms`, or `✗ server/tool 12 ms: why`; then the files that were saved, one line each. */
export function renderDone(
  done: Extract<CallEvent, { type: 'call_done' }>,
  label: string,
  paint: Paint,
): string {
  const problem = problemOf(done.outcome);
  const time = paint(`${Math.round(done.durationMs)} ms`, 'dim');
  const head =
    problem === undefined
      ? `${paint('✓', 'good')} ${label} ${time}`
      : `${paint('✗', 'bad')} ${label} ${time}: ${problem}`;
  const artifacts = done.outcome.kind === 'result' ? done.outcome.rendered.artifacts : [];
  const saved = artifacts.map(
    ({ mimeType, bytes, path }) =>
      `  saved ${cleanLine(mimeType)}, ${bytes} bytes: ${cleanLine(path)}`,
  );
  return [head, ...saved].join('\n');
}

/** `files/search 12/40 ██████░░░░ reading`, without the bar when the total is not known. */
export function renderProgress(label: string, { progress, total, message }: ToolProgress): string {
  const words = message === undefined ? '' : ` ${cleanLine(message)}`;
  if (total === undefined || !(total > 0)) return `  ${label} ${round(progress)}${words}`;
  const share = Math.min(1, Math.max(0, progress / total));
  const cells = Math.round(share * BAR_CELLS);
  const bar = '█'.repeat(cells) + '░'.repeat(BAR_CELLS - cells);
  return `  ${label} ${bar} ${round(progress)}/${round(total)}${words}`;
}

/** What became of a server after the banner, with its error below; `undefined` when there is nothing to say. */
export function renderServerChange(status: ServerStatus, paint: Paint): string | undefined {
  const name = cleanLine(status.name);
  switch (status.state) {
    case 'ready':
      return `${paint('●', 'good')} ${name} is ready, ${status.tools.length} tools`;
    case 'failed':
      return [`${paint('✗', 'bad')} ${name} failed`, ...errorLines(status)].join('\n');
    case 'needs_auth':
      return [`${paint('!', 'caution')} ${name} ${needOf(status)}`, ...errorLines(status)].join(
        '\n',
      );
    case 'idle':
    case 'connecting':
    case 'discovering':
    case 'disabled':
    case 'closed':
      return undefined;
    default:
      return assertNever(status.state);
  }
}

/** A server's last error, indented, with the next step. */
export function errorLines({ name, error, state }: ServerStatus): readonly string[] {
  if (error === undefined) return [];
  const lines = cleanText(error.message).split('\n').slice(0, MAX_ERROR_LINES);
  const own = state === 'failed' ? `/mcp reconnect ${name}` : undefined;
  // What the command line would be told to do is done right here.
  const hint = error.details['signIn'] === true ? `/mcp login ${name}` : (error.hint ?? own);
  return [...lines, ...(hint === undefined ? [] : [cleanLine(hint)])].map((line) => `    ${line}`);
}

/** What is missing: a sign-in, or a token that is got elsewhere. */
export function needOf({ error }: ServerStatus): string {
  return error?.details['signIn'] === true ? 'needs a sign-in' : 'needs a token';
}

export function renderWarning(message: string, hint: string | undefined, paint: Paint): string {
  const line = `${paint('!', 'caution')} ${cleanLine(message, 2 * MAX_REASON)}`;
  return hint === undefined ? line : `${line}\n  ${cleanLine(hint)}`;
}

/** What is left to say after a run: its failure, what was denied, what may have happened. `told`: warnings shown before. */
export function renderEnd(
  result: RunResult,
  told: ReadonlySet<string>,
  paint: Paint,
): readonly string[] {
  const lines = result.warnings
    .filter((warning) => !told.has(warning))
    .map((warning) => renderWarning(warning, undefined, paint));
  for (const call of result.unknownOutcome) {
    lines.push(
      renderWarning(
        `${toolLabel(call)} was sent and not answered: it may have happened`,
        undefined,
        paint,
      ),
    );
  }
  for (const denied of result.denied) {
    if (denied.remedy === undefined) continue;
    lines.push(renderWarning(`${toolLabel(denied)} was denied`, denied.remedy, paint));
  }
  const { error } = result;
  // What a warning said already is not said again as a failure.
  const isTold = (text: string) => told.has(text) || result.warnings.includes(text);
  if (error === undefined || isTold(error.message)) return lines;
  if (error.code === 'interrupted') return [...lines, paint('cancelled', 'dim')];
  lines.push(`${paint('✗', 'bad')} ${cleanText(error.message)}`);
  if (error.hint !== undefined) lines.push(`  ${cleanLine(error.hint)}`);
  return lines;
}

/** Why a call did not do what it should; `undefined` when it did. */
function problemOf(outcome: CallOutcome): string | undefined {
  switch (outcome.kind) {
    case 'result':
      return outcome.rendered.isError ? firstLine(outcome.rendered.text) : undefined;
    case 'invalid':
    case 'unknown':
      return firstLine(outcome.text);
    case 'denied':
      return outcome.by === 'person' ? 'you said no' : firstLine(outcome.text);
    case 'failed':
      return firstLine(outcome.error.message);
    case 'cancelled':
      return 'cancelled';
    default:
      return assertNever(outcome);
  }
}

function firstLine(text: string): string {
  return cleanLine(text.trim().split('\n', 1)[0] ?? '');
}

function round(value: number): string {
  return String(Math.round(value * 100) / 100);
}
