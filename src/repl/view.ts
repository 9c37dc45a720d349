/**
 * Turns the host's events into what a session shows: streamed text, announced calls, one live line.
 * Keeps what it must know of the current run, nothing else.
 */
import type { RunResult } from '../agent/types.ts';
import { assertNever } from '../base/errors.ts';
import type { CallEvent } from '../calls/types.ts';
import type { HostEvent } from '../host/types.ts';
import type { ServerState, ServerStatus } from '../mcp/types.ts';
import {
  cleanLine,
  type Paint,
  renderCall,
  renderDone,
  renderEnd,
  renderProgress,
  renderServerChange,
  renderWarning,
  toolLabel,
} from './render.ts';
import type { Screen } from './screen.ts';

export interface View {
  onEvent(event: HostEvent): void;
  /** Servers as the person knows them by now: only changes from here on are told. */
  knowServers(servers: readonly ServerStatus[]): void;
  /** Until `knowServers` no change of a server is told: someone else shows it. */
  muteServers(): void;
  startRun(): void;
  /** Shows what a run did not stream: its answer, its failure. */
  endRun(result: RunResult): void;
}

const WAITING = '… waiting for the model (Ctrl-C cancels)';

export function createView(screen: Screen, paint: Paint): View {
  const states = new Map<string, ServerState>();
  /** Calls that are under way, by id, the last one that moved at the end. */
  const calls = new Map<string, { readonly label: string; readonly live: string }>();
  const told = new Set<string>();
  let isListening = false;
  let isRunning = false;
  let hasStreamed = false;

  const showLive = () => {
    const last = [...calls.values()].at(-1)?.live;
    const others = calls.size > 1 ? ` (and ${calls.size - 1} more)` : '';
    if (last !== undefined) screen.live(`${last}${others}`);
    else screen.live(isRunning && !hasStreamed ? WAITING : undefined);
  };
  const onDone = (event: Extract<CallEvent, { type: 'call_done' }>) => {
    const { outcome } = event;
    const label =
      outcome.tool !== undefined
        ? toolLabel({ server: outcome.tool.server, tool: outcome.tool.name })
        : (calls.get(event.id)?.label ?? cleanLine(event.name));
    calls.delete(event.id);
    screen.live(undefined);
    screen.print(renderDone(event, label, paint));
    hasStreamed = false;
    showLive();
  };
  const onServer = (status: ServerStatus) => {
    if (states.get(status.name) === status.state) return;
    states.set(status.name, status.state);
    const line = isListening ? renderServerChange(status, paint) : undefined;
    if (line !== undefined) screen.print(line);
  };

  return {
    onEvent(event) {
      switch (event.type) {
        case 'text':
          hasStreamed = true;
          showLive();
          return screen.answer(event.delta);
        case 'text_reset':
          hasStreamed = false;
          return screen.print(paint(`(starting again: ${cleanLine(event.reason)})`, 'dim'));
        case 'retry':
          return screen.print(paint(`… ${cleanLine(event.notice)}`, 'dim'));
        case 'call_permission':
        case 'call_changed':
        case 'turn_done':
          return;
        case 'call_sent':
          screen.print(renderCall(event, paint));
          calls.set(event.id, { label: toolLabel(event), live: `  ${toolLabel(event)} …` });
          return showLive();
        case 'call_progress': {
          const label = calls.get(event.id)?.label;
          if (label === undefined) return;
          calls.delete(event.id);
          calls.set(event.id, { label, live: renderProgress(label, event.progress) });
          return showLive();
        }
        case 'call_done':
          return onDone(event);
        case 'warning':
          told.add(event.message);
          return screen.print(renderWarning(event.message, event.hint, paint));
        case 'server':
          return onServer(event.status);
        default:
          return assertNever(event);
      }
    },
    knowServers(servers) {
      for (const { name, state } of servers) states.set(name, state);
      isListening = true;
    },
    muteServers() {
      isListening = false;
    },
    startRun() {
      isRunning = true;
      hasStreamed = false;
      told.clear();
      showLive();
    },
    endRun(result) {
      isRunning = false;
      calls.clear();
      showLive();
      if (!hasStreamed && result.answer !== '') screen.answer(result.answer);
      screen.endAnswer();
      for (const line of renderEnd(result, told, paint)) screen.print(line);
    },
  };
}
