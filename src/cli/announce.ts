/** What happens during a run, told on stderr: each call before it is sent, progress, retries, denials. */
import type { JsonObject } from '../base/json.ts';
import type { Log } from '../base/log.ts';
import { scrubSecrets } from '../base/redact.ts';
import { maskedJson } from '../base/sensitive.ts';
import { escapeForTerminal, shorten } from '../base/text.ts';
import type { CallOutcome } from '../calls/types.ts';
import type { HostEvent } from '../host/types.ts';
import type { ToolProgress } from '../tools/types.ts';
import type { Screen } from './screen.ts';

export interface AnnounceOptions {
  readonly screen: Screen;
  readonly log: Log;
  /** No calls, no progress; warnings stay. */
  readonly quiet: boolean;
}

/** Arguments are cut to this many characters where stderr is no terminal. */
const MAX_ARGUMENT_CHARACTERS = 300;
const MAX_NAME = 200;
const BAR_CELLS = 20;

/** Returns the listener. It never throws and never waits. */
export function announceEvents(options: AnnounceOptions): (event: HostEvent) => void {
  const { screen, log, quiet } = options;
  return (event) => {
    switch (event.type) {
      case 'call_sent':
        if (!quiet) screen.line(callLine(event, screen));
        return;
      case 'call_progress':
        if (!quiet) screen.live(progressLine(event, screen));
        return;
      case 'call_done':
        screen.live(undefined);
        tellOutcome(event.name, event.outcome, log);
        return;
      case 'call_permission':
        log.debug(
          `${event.server}/${event.tool}: ${event.decision.effect} (${event.decision.why})${event.answer === undefined ? '' : `, answered ${event.answer}`}`,
        );
        return;
      case 'call_changed':
        log.debug(
          `${event.server}/${event.tool}: result ${event.after === undefined ? 'withheld' : 'changed'} by hook ${event.hook}`,
        );
        return;
      case 'retry':
        log.info(event.notice);
        return;
      case 'text_reset':
        log.info(`the answer starts again: ${event.reason}`);
        return;
      case 'warning':
        log.warn(event.message, event.hint);
        return;
      case 'turn_done':
        log.debug(
          `turn ${event.turn}: ${event.usage.inputTokens} tokens in, ${event.usage.outputTokens} out`,
        );
        return;
      case 'text':
      case 'server':
        return;
    }
  };
}

/** Arguments on one line, as a person may see them: secrets and control characters cleaned. */
export function argumentsOnOneLine(args: JsonObject): string {
  return oneLine(maskedJson(args));
}

/** `server/tool` on one line; servers choose the length of their tools' names. */
function fullName(of: { readonly server: string; readonly tool: string }): string {
  return shorten(oneLine(`${of.server}/${of.tool}`), MAX_NAME);
}

function callLine(
  event: { readonly server: string; readonly tool: string; readonly arguments: JsonObject },
  screen: Screen,
): string {
  const arrow = screen.unicode ? '→' : '->';
  const head = `${arrow} ${fullName(event)} `;
  const room = screen.isTerminal
    ? Math.max(20, screen.columns() - head.length - 1)
    : MAX_ARGUMENT_CHARACTERS;
  return `${head}${shorten(argumentsOnOneLine(event.arguments), room)}`;
}

function progressLine(
  event: { readonly server: string; readonly tool: string; readonly progress: ToolProgress },
  screen: Screen,
): string {
  const { progress, total, message } = event.progress;
  const text = message === undefined ? '' : ` ${oneLine(message)}`;
  const head = `  ${fullName(event)}`;
  if (total === undefined || !(total > 0)) return `${head} ${progress}${text}`;
  const share = Math.min(1, Math.max(0, progress / total));
  const full = Math.round(share * BAR_CELLS);
  const [on, off] = screen.unicode ? ['█', '░'] : ['#', '.'];
  return `${head} ${on.repeat(full)}${off.repeat(BAR_CELLS - full)} ${Math.round(share * 100)}%${text}`;
}

function tellOutcome(name: string, outcome: CallOutcome, log: Log): void {
  switch (outcome.kind) {
    case 'result':
      if (outcome.rendered.isError) log.debug(`${name} answered with an error`);
      for (const { path, mimeType, bytes } of outcome.rendered.artifacts) {
        log.info(`saved ${mimeType}, ${bytes} bytes: ${path}`);
      }
      return;
    case 'denied':
      // Who said no knows it.
      if (outcome.by === 'person') log.debug(outcome.text);
      else log.warn(outcome.text, outcome.remedy);
      return;
    case 'unknown':
    case 'failed':
      log.warn(outcome.text, outcome.error.hint);
      return;
    case 'invalid':
      log.debug(outcome.text);
      return;
    case 'cancelled':
      log.debug(outcome.text);
      return;
  }
}

function oneLine(text: string): string {
  return escapeForTerminal(scrubSecrets(text)).replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}
