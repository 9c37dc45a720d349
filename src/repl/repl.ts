/**
 * The interactive session. The command line loads this file lazily and joins the parts like this:
 *
 *     const repl = createRepl({ terminal: openTerminal(env), stateDir: stateDirectory(env), version });
 *     const host = createHost({ …, askUser: repl.askUser, onEvent: repl.onEvent });
 *     const report = await host.start(signal);   // banner, fatal: as for any run, the terminal is untouched
 *     return await repl.run(host, signal);       // takes the terminal, ends with the host closed
 *
 * While it runs, the session owns the terminal and SIGINT, SIGTERM, SIGHUP: nobody else writes to
 * stderr (use `note`) or reads stdin. Source: design 2, 4, 5.
 */
import { AppError, assertNever, InterruptedError, toAppError } from '../base/errors.ts';
import { EXIT, type ExitCode } from '../base/exit.ts';
import type { Host, HostEvent } from '../host/types.ts';
import type { AskUser } from '../permission/types.ts';
import { createAsk } from './ask.ts';
import { COMMAND_NAMES, runCommand } from './commands.ts';
import { completeWord } from './complete.ts';
import { openHistory } from './history.ts';
import { createInput, type LineResult } from './input.ts';
import { cleanLine, cleanText, createPaint } from './render.ts';
import { createScreen } from './screen.ts';
import type { Terminal } from './terminal.ts';
import { createView } from './view.ts';

export interface ReplOptions {
  readonly terminal: Terminal;
  /** Where the history is kept; `undefined`: not at all. */
  readonly stateDir: string | undefined;
  readonly version: string;
}

export interface Repl {
  /** For the host. Works once `run` has started. */
  readonly askUser: AskUser;
  /** For the host. Before `run` only warnings of a run could be lost, and there is no run. */
  onEvent(event: HostEvent): void;
  /** A line for the person that does not disturb the one being typed; secrets are scrubbed, text is escaped. */
  note(text: string): void;
  /**
   * Prompts until the person leaves, then closes the host and restores the terminal. Call once, after
   * `host.start`. A failed run does not end it; after a fault that nobody caught it rejects with InternalError. Exit: 0 on /exit and Ctrl-D; 130 on a second Ctrl-C (in a run: children killed, host not
   * waited for); 143 on SIGTERM and SIGHUP; after an abort of `signal` its reason's exit.
   */
  run(host: Host, signal: AbortSignal): Promise<ExitCode>;
}

const PROMPT = '> ';
const LEAVE_HINT = 'Press Ctrl-C again or type /exit to leave.';
const CANCELLING = 'cancelling … (Ctrl-C again ends usher at once)';
/** `/name` alone or with words; a path such as `/etc/hosts` is a prompt. */
const COMMAND = /^\s*\/[\w?-]*(\s|$)/;

export function createRepl({ terminal, stateDir, version }: ReplOptions): Repl {
  const screen = createScreen(terminal);
  const input = createInput(terminal, screen);
  const paint = createPaint(terminal.colour);
  const view = createView(screen, paint);

  return {
    askUser: createAsk(input, screen),
    onEvent: (event) => view.onEvent(event),
    note: (text) => screen.print(cleanText(text)),
    async run(host, signal) {
      const session = createSession();
      const history = openHistory(stateDir, (problem) => screen.print(paint(problem, 'dim')));

      const read = (): Promise<LineResult> =>
        input.read({
          prompt: PROMPT,
          history: history.lines(),
          complete: (text, cursor) => completeWord(text, cursor, wordsOf(host)),
          takesTypeAhead: true,
          signal: session.ending,
        });
      const runPrompt = async (text: string) => {
        view.startRun();
        view.endRun(await host.prompt(text, session.startWork()));
      };
      const command = async (line: string): Promise<'exit' | 'stay'> => {
        const listing = { columns: terminal.columns(), paint };
        const outcome = await runCommand(line, host, listing, session.startWork());
        if (outcome.kind === 'exit') return 'exit';
        screen.print(outcome.lines.join('\n'));
        return 'stay';
      };
      const handle = async (line: string): Promise<'exit' | 'stay'> => {
        if (line.trim() === '') return 'stay';
        history.add(line);
        try {
          if (COMMAND.test(line)) return await command(line.trim());
          await runPrompt(line);
        } catch (thrown) {
          const error = toAppError(thrown);
          const hint = error.hint === undefined ? '' : `\n  ${cleanLine(error.hint)}`;
          screen.print(`${paint('✗', 'bad')} ${cleanText(error.message)}${hint}`);
        } finally {
          session.endWork();
        }
        return 'stay';
      };
      const loop = async (): Promise<ExitCode> => {
        let isWarned = false;
        while (!session.ending.aborted) {
          const line = await read();
          switch (line.kind) {
            case 'line':
              isWarned = false;
              if ((await handle(line.text)) === 'exit') return EXIT.ok;
              break;
            case 'interrupt':
              if (isWarned && !line.hadText) return EXIT.interrupted;
              isWarned = !line.hadText;
              if (isWarned) screen.print(paint(LEAVE_HINT, 'dim'));
              break;
            case 'end':
              return session.exitCode();
            default:
              return assertNever(line);
          }
        }
        return session.exitCode();
      };

      const onAbort = () => session.end(exitOf(signal.reason), signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
      input.start({
        interrupt() {
          input.dropTypeAhead();
          const effect = session.interrupt();
          if (effect === 'cancel') screen.print(paint(CANCELLING, 'dim'));
          if (effect !== 'kill') return;
          host.killNow();
          session.killed();
        },
        signal: () => session.end(EXIT.terminated, new InterruptedError('SIGTERM')),
        crash: session.crash,
      });
      let exit: ExitCode;
      try {
        if (signal.aborted) onAbort();
        view.knowServers(host.status());
        const hello = `usher ${version}, ${cleanLine(host.modelLabel)}. /help lists the commands.`;
        screen.print(paint(hello, 'dim'));
        exit = await Promise.race([loop(), session.ended]);
      } finally {
        session.leave();
        signal.removeEventListener('abort', onAbort);
        if (!session.isKilled()) await Promise.race([host.close(), session.killing]);
        input.stop();
        await terminal.close();
      }
      return session.isKilled() ? EXIT.interrupted : exit;
    },
  };
}

/** What Ctrl-C, signals and faults mean at each moment of one session. */
function createSession() {
  const ending = new AbortController();
  const ended = Promise.withResolvers<ExitCode>();
  const killing = Promise.withResolvers<void>();
  let work: AbortController | undefined;
  let isLeaving = false;
  let isKilled = false;
  let exit: ExitCode = EXIT.ok;

  return {
    /** Aborts when the session must end. */
    ending: ending.signal,
    /** Resolves when the session must end, without waiting for what runs; rejects after a fault. */
    ended: ended.promise,
    /** Resolves when nothing at all is waited for. */
    killing: killing.promise,
    isKilled: () => isKilled,
    exitCode: () => exit,
    /** The signal of one prompt or command. */
    startWork(): AbortSignal {
      work = new AbortController();
      return AbortSignal.any([work.signal, ending.signal]);
    },
    endWork() {
      work = undefined;
    },
    /** From here on a Ctrl-C kills. */
    leave() {
      isLeaving = true;
    },
    interrupt(): 'cancel' | 'kill' | 'nothing' {
      if (isLeaving) return 'kill';
      if (work === undefined) return 'nothing';
      if (work.signal.aborted) return 'kill';
      work.abort(new InterruptedError());
      return 'cancel';
    },
    end(code: ExitCode, reason: unknown) {
      if (ending.signal.aborted) return;
      exit = code;
      ending.abort(reason);
      ended.resolve(code);
    },
    /** Only the first one counts; after the end there is nobody to tell. */
    crash(thrown: unknown) {
      ended.reject(toAppError(thrown));
      ending.abort(thrown);
    },
    killed() {
      isKilled = true;
      ended.resolve(EXIT.interrupted);
      killing.resolve();
    },
  };
}

function wordsOf(host: Host) {
  return {
    commands: COMMAND_NAMES,
    servers: host.status().map((server) => server.name),
    tools: host.snapshot().tools.map((tool) => `${tool.server}/${tool.name}`),
  };
}

function exitOf(reason: unknown): ExitCode {
  return reason instanceof AppError ? reason.exit : EXIT.interrupted;
}
