/** The loop of a session: read a line, do it, again. What fails is shown and the session goes on. */
import { assertNever, toAppError } from '../base/errors.ts';
import { EXIT, type ExitCode } from '../base/exit.ts';
import type { Host } from '../host/types.ts';
import { COMMAND_NAMES, type CommandOutcome, runCommand } from './commands.ts';
import { completeWord, type Words } from './complete.ts';
import type { History } from './history.ts';
import type { Input, LineResult } from './input.ts';
import type { Lifecycle } from './lifecycle.ts';
import { cleanLine, cleanText, type Paint } from './render.ts';
import type { Screen } from './screen.ts';
import type { SignInDeps } from './sign-in.ts';
import type { Terminal } from './terminal.ts';
import type { View } from './view.ts';

export interface LoopDeps {
  readonly host: Host;
  readonly life: Lifecycle;
  readonly input: Input;
  readonly screen: Screen;
  readonly view: View;
  readonly history: History;
  readonly terminal: Pick<Terminal, 'columns'>;
  readonly paint: Paint;
  /** For `/mcp login`. */
  readonly signIn: SignInDeps;
}

type Next = 'stay' | 'exit';

const PROMPT = '> ';
const LEAVE_HINT = 'Press Ctrl-C again or type /exit to leave.';
/** `/name` or `/server:prompt`, alone or with words; a path such as `/etc/hosts` is a prompt. */
const COMMAND = /^\s*\/([\w?-]*|[\w-]+:[^\s/]\S*)(\s|$)/;

/** Runs until the person leaves or the session must end. Never rejects. */
export async function runLoop(deps: LoopDeps): Promise<ExitCode> {
  const { life, screen, paint } = deps;
  let isWarned = false;
  while (!life.ending.aborted) {
    const line = await readPrompt(deps);
    switch (line.kind) {
      case 'line':
        isWarned = false;
        if ((await handleLine(line.text, deps)) === 'exit') return EXIT.ok;
        break;
      case 'interrupt':
        if (isWarned && !line.hadText) return EXIT.interrupted;
        isWarned = !line.hadText;
        if (isWarned) screen.print(paint(LEAVE_HINT, 'dim'));
        break;
      case 'end':
        return life.exitCode();
      default:
        return assertNever(line);
    }
  }
  return life.exitCode();
}

function readPrompt({ host, life, input, history }: LoopDeps): Promise<LineResult> {
  return input.read({
    prompt: PROMPT,
    history: history.lines(),
    complete: (text, cursor) => completeWord(text, cursor, wordsOf(host)),
    takesTypeAhead: true,
    signal: life.ending,
  });
}

async function handleLine(line: string, deps: LoopDeps): Promise<Next> {
  const { life, screen, history, paint } = deps;
  if (line.trim() === '') return 'stay';
  history.add(line);
  const signal = life.startWork();
  try {
    return await (COMMAND.test(line) ? runTyped : runPrompt)(line, deps, signal);
  } catch (thrown) {
    const error = toAppError(thrown);
    if (error.code === 'interrupted') {
      screen.print(paint('cancelled', 'dim'));
      return 'stay';
    }
    const hint = error.hint === undefined ? '' : `\n  ${cleanLine(error.hint)}`;
    screen.print(`${paint('✗', 'bad')} ${cleanText(error.message)}${hint}`);
    return 'stay';
  } finally {
    life.endWork();
  }
}

async function runPrompt(
  text: string,
  { host, view }: LoopDeps,
  signal: AbortSignal,
): Promise<Next> {
  view.startRun();
  view.endRun(await host.prompt(text, signal));
  return 'stay';
}

async function runTyped(line: string, deps: LoopDeps, signal: AbortSignal): Promise<Next> {
  const { screen, paint } = deps;
  const outcome = await runQuietly(line, deps, signal);
  switch (outcome.kind) {
    case 'exit':
      return 'exit';
    case 'lines':
      screen.print(outcome.lines.join('\n'));
      return 'stay';
    case 'prompt':
      screen.print(paint(cleanText(outcome.text), 'dim'));
      return runPrompt(outcome.text, deps, signal);
    default:
      return assertNever(outcome);
  }
}

/** What /mcp reconnect does to a server is in its own answer. */
async function runQuietly(
  line: string,
  { host, view, terminal, paint, signIn }: LoopDeps,
  signal: AbortSignal,
): Promise<CommandOutcome> {
  view.muteServers();
  try {
    const listing = { columns: terminal.columns(), paint };
    return await runCommand(line, host, listing, signal, signIn);
  } finally {
    view.knowServers(host.status());
  }
}

function wordsOf(host: Host): Words {
  return {
    commands: COMMAND_NAMES,
    servers: host.status().map((server) => server.name),
    tools: host.snapshot().reachable.map((tool) => `${tool.server}/${tool.name}`),
  };
}
