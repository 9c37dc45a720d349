/**
 * The interactive session. The command line loads this file lazily and joins the parts like this:
 *
 *     const repl = createRepl({ terminal: openTerminal(env), stateDir: stateDirectory(env), version });
 *     const host = createHost({ …, askUser: repl.askUser, talk: repl.talk, onEvent: repl.onEvent });
 *     const report = await host.start(signal);   // banner, fatal: as for any run, the terminal is untouched
 *     return await repl.run(host, signal);       // takes the terminal, ends with the host closed
 *
 * While it runs, the session owns the terminal and SIGINT, SIGQUIT, SIGTERM, SIGHUP: nobody else writes to
 * stderr (use `note`) or reads stdin. Source: design 2, 4, 5.
 */
import { raceAbort } from '../base/abort.ts';
import { AppError, InterruptedError, signalExit } from '../base/errors.ts';
import { EXIT, type ExitCode } from '../base/exit.ts';
import type { OpenUrl } from '../base/open-url.ts';
import type { Talk } from '../host/talk.ts';
import type { Host, HostEvent } from '../host/types.ts';
import type { AskUser } from '../permission/types.ts';
import { createAsk } from './ask.ts';
import { openHistory } from './history.ts';
import { createInput } from './input.ts';
import { createLifecycle, type Lifecycle } from './lifecycle.ts';
import { runLoop } from './loop.ts';
import { cleanLine, cleanText, createPaint } from './render.ts';
import { createScreen } from './screen.ts';
import { createTalk } from './talk.ts';
import type { Terminal } from './terminal.ts';
import { createView } from './view.ts';

export interface ReplOptions {
  readonly terminal: Terminal;
  /** Where the history is kept; `undefined`: not at all. */
  readonly stateDir: string | undefined;
  readonly version: string;
  /** For `/mcp login`; absent: no browser is opened. */
  readonly openUrl?: OpenUrl;
}

export interface Repl {
  /** For the host. Works once `run` has started. */
  readonly askUser: AskUser;
  /** For the host. A conversation before `run` waits for it. */
  readonly talk: Talk;
  /** For the host. Before `run` only warnings of a run could be lost, and there is no run. */
  onEvent(event: HostEvent): void;
  /** A line for the person that does not disturb the one being typed; secrets are scrubbed, text is escaped. */
  note(text: string): void;
  /**
   * Prompts until the person leaves, then closes the host and restores the terminal. Call once, after
   * `host.start`. A failed run does not end it; after a fault that nobody caught it rejects with InternalError. Exit: 0 on /exit and Ctrl-D; 130 on a second Ctrl-C (in a run: children killed, host not
   * waited for); 131 on SIGQUIT; 143 on SIGTERM and SIGHUP; after an abort of `signal` its reason's exit.
   */
  run(host: Host, signal: AbortSignal): Promise<ExitCode>;
}

const CANCELLING = 'cancelling … (Ctrl-C again ends usher at once)';

export function createRepl({ terminal, stateDir, version, openUrl }: ReplOptions): Repl {
  const screen = createScreen(terminal);
  const input = createInput(terminal, screen);
  const paint = createPaint(terminal.colour);
  const view = createView(screen, paint);
  const talk = createTalk({ input, screen, columns: terminal.columns, paint });
  const started = Promise.withResolvers<void>();

  const interrupt = (life: Lifecycle, host: Host) => {
    input.dropTypeAhead();
    const effect = life.interrupt();
    if (effect === 'cancel') screen.print(paint(CANCELLING, 'dim'));
    if (effect !== 'kill') return;
    host.killNow();
    life.killed();
  };
  const greet = (host: Host) => {
    view.knowServers(host.status());
    const hello = `usher ${version}, ${cleanLine(host.modelLabel)}. /help lists the commands.`;
    screen.print(paint(hello, 'dim'));
  };

  return {
    askUser: createAsk(input, screen, terminal.columns),
    async talk(conversation, signal) {
      await raceAbort(started.promise, signal);
      return talk(conversation, signal);
    },
    onEvent: (event) => view.onEvent(event),
    note: (text) => screen.print(cleanText(text)),
    async run(host, signal) {
      const life = createLifecycle();
      const onAbort = () => life.end(exitOf(signal.reason), signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
      input.start({
        interrupt: () => interrupt(life, host),
        signal: (name) => life.end(signalExit(name), new InterruptedError(name)),
        crash: life.crash,
      });
      let exit: ExitCode;
      try {
        if (signal.aborted) onAbort();
        greet(host);
        const history = openHistory(stateDir, (text) =>
          screen.print(paint(cleanLine(text), 'dim')),
        );
        const signIn = { talk, openUrl };
        const parts = { host, life, input, screen, view, history, terminal, paint, signIn };
        const loop = runLoop(parts);
        started.resolve();
        exit = await Promise.race([loop, life.ended]);
      } finally {
        life.leave();
        signal.removeEventListener('abort', onAbort);
        if (!life.isKilled()) await Promise.race([host.close(), life.killing]);
        input.stop();
        screen.live(undefined);
        screen.endAnswer();
        await terminal.close();
      }
      return life.isKilled() ? EXIT.interrupted : exit;
    },
  };
}

function exitOf(reason: unknown): ExitCode {
  return reason instanceof AppError ? reason.exit : EXIT.interrupted;
}
