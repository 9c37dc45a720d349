/** What surfaces hear of a run holds no secret, however a model's text was cut into pieces. */
import type { AgentEvent } from '../agent/types.ts';
import { createScrubStream, scrubJson, scrubSecrets } from '../base/redact.ts';
import type { HostEvent } from './types.ts';

export interface ScrubbedEvents {
  readonly onEvent: (event: HostEvent) => void;
  /** Gives out what was held back of a text. */
  readonly flush: () => void;
}

/**
 * Scrubs texts, arguments and messages on their way to `onEvent`. The end of a text that may begin a
 * secret waits for what follows. Outcomes go through as they are: whoever shows one scrubs it there.
 */
export function scrubEvents(onEvent: (event: HostEvent) => void): ScrubbedEvents {
  const stream = createScrubStream();
  let turn = 0;
  const give = (delta: string) => {
    if (delta !== '') onEvent({ type: 'text', turn, delta });
  };
  const flush = () => give(stream.end());
  return {
    flush,
    onEvent(event) {
      if (event.type === 'text') {
        if (event.turn !== turn) flush();
        turn = event.turn;
        give(stream.push(event.delta));
        return;
      }
      // What was shown of the text is taken back; the rest is not shown any more.
      if (event.type === 'text_reset') stream.end();
      else if (event.type !== 'server') flush();
      onEvent(event.type === 'server' ? event : scrubbed(event));
    },
  };
}

function scrubbed(event: AgentEvent): AgentEvent {
  switch (event.type) {
    case 'text_reset':
      return { ...event, reason: scrubSecrets(event.reason) };
    case 'retry':
      return { ...event, notice: scrubSecrets(event.notice) };
    case 'warning':
      return {
        ...event,
        message: scrubSecrets(event.message),
        hint: event.hint === undefined ? undefined : scrubSecrets(event.hint),
      };
    case 'call_sent': {
      const given = scrubJson(event.arguments);
      // scrubJson keeps the shape: an object stays one.
      return { ...event, arguments: given as typeof event.arguments };
    }
    case 'call_progress': {
      const { progress } = event;
      const message = progress.message === undefined ? undefined : scrubSecrets(progress.message);
      return { ...event, progress: { ...progress, message } };
    }
    default:
      return event;
  }
}
