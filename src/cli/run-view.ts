/** What of a run goes to stdout, and when: the answer at its end, streamed text at a terminal, or JSON. */
import type { RunResult } from '../agent/types.ts';
import type { Clock } from '../base/clock.ts';
import type { HostEvent } from '../host/types.ts';
import type { OutputForm } from './options.ts';
import type { Output } from './output.ts';
import { runDocument, type StreamEvent, streamEvent } from './run-shape.ts';

export interface RunView {
  /** An event of the host. */
  onEvent(event: HostEvent): void;
  /** An event of the surface: `init`, `servers`. Only `stream-json` shows it. */
  emit(event: StreamEvent): void;
  /** The end of the run; called once, last. */
  end(result: RunResult): void;
}

export function openRunView(form: OutputForm, output: Output, clock: Clock): RunView {
  switch (form) {
    case 'json':
      return {
        onEvent: () => undefined,
        emit: () => undefined,
        end: (result) => output.json(runDocument(result)),
      };
    case 'stream-json':
      return streamView(output, clock);
    case 'text':
      return output.isTerminal ? terminalView(output) : pipeView(output);
  }
}

function streamView(output: Output, clock: Clock): RunView {
  const emit = ({ type, ...rest }: StreamEvent) =>
    output.json({ type, at: clock.date().toISOString(), ...rest });
  return {
    emit,
    onEvent(event) {
      const shown = streamEvent(event);
      if (shown !== undefined) emit(shown);
    },
    end: (result) => emit({ type: 'result', ...runDocument(result) }),
  };
}

/** The final answer, once, with one newline at its end. */
function pipeView(output: Output): RunView {
  return {
    onEvent: () => undefined,
    emit: () => undefined,
    end: ({ answer }) => output.text(asLine(answer)),
  };
}

/** Text as it comes; the answer again only where it is not what was streamed last. */
function terminalView(output: Output): RunView {
  let turn = -1;
  let shown = '';
  const forget = () => {
    output.breakLine();
    shown = '';
  };
  return {
    emit: () => undefined,
    onEvent(event) {
      if (event.type === 'text_reset') forget();
      if (event.type !== 'text') return;
      if (event.turn !== turn) forget();
      turn = event.turn;
      shown += event.delta;
      output.text(event.delta);
    },
    end({ answer }) {
      if (shown.trim() === answer.trim()) output.breakLine();
      else {
        output.breakLine();
        output.text(asLine(answer));
      }
    },
  };
}

function asLine(answer: string): string {
  const text = answer.replace(/[\r\n]+$/, '');
  return text === '' ? '' : `${text}\n`;
}
