/** From words to a command, and from whatever happens to an exit code. Loads a command only when it runs. */
import { type Limit, startLimit } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import type { Env } from '../base/env.ts';
import { LimitError, UsageError } from '../base/errors.ts';
import { EXIT, type ExitCode } from '../base/exit.ts';
import { createLog, type Log } from '../base/log.ts';
import { VERSION } from '../base/version.ts';
import { isCommandName } from './command-table.ts';
import type { Context } from './context.ts';
import { type CliOptions, readOptions } from './options.ts';
import type { Output } from './output.ts';
import { type ParsedLine, parseLine } from './parse.ts';
import type { Parts } from './parts.ts';
import { reportError } from './report.ts';
import type { Screen } from './screen.ts';
import type { Interrupts } from './signals.ts';
import type { Stdin } from './stdin.ts';
import { usageColumns, usageText } from './usage.ts';
import { noMoreWords } from './words.ts';

/** The outside of the command line: real in the binary, small objects in tests. */
export interface World {
  readonly env: Env;
  readonly cwd: string;
  readonly clock: Clock;
  readonly stdin: Stdin;
  readonly output: Output;
  /** Aborts when stdout can take no more. */
  readonly outputClosed: AbortSignal;
  readonly openScreen: (noColor: boolean) => Screen;
  readonly interrupts: Interrupts;
  readonly parts: Parts;
}

/** Runs one command line to its end, everything written. Never rejects. */
export async function runCli(words: readonly string[], world: World): Promise<ExitCode> {
  const screen = world.openScreen(words.includes('--no-color'));
  world.interrupts.signal.addEventListener('abort', () => {
    // The terminal shows ^C where the cursor stands.
    if (screen.isTerminal) screen.line('');
  });
  const plainLog = createLog({ level: 'warn', colour: screen.colour, writeLine: screen.line });
  const exit = await runWords(words, world, screen, plainLog);
  const final = await world.output.finish(exit, plainLog.error);
  screen.live(undefined);
  await screen.flush();
  return final;
}

async function runWords(
  words: readonly string[],
  world: World,
  screen: Screen,
  plainLog: Log,
): Promise<ExitCode> {
  let line: ParsedLine;
  let options: CliOptions;
  try {
    line = parseLine(words);
    options = readOptions(line);
  } catch (thrown) {
    return reportError(thrown, plainLog, usageOf(words, usageColumns(screen)));
  }
  const log = createLog({
    level: levelOf(options),
    colour: screen.colour,
    writeLine: screen.line,
  });
  const limit = startLimit(world.clock, options.timeoutMs, () => timeoutError(options.timeoutMs));
  const signal = AbortSignal.any([world.interrupts.signal, world.outputClosed, limit.signal]);
  try {
    const interrupts = pausing(limit, world.interrupts);
    return await runCommand(line, { ...world, interrupts, options, screen, log, signal });
  } catch (thrown) {
    // A run whose reader went away ends quietly; the writer knows the exit code.
    if (world.outputClosed.aborted) return EXIT.ok;
    return reportError(thrown, log, usageText(line.command, line.words, usageColumns(screen)));
  } finally {
    limit.dispose();
  }
}

/** A question takes Ctrl-C for itself; while it stands, the time of the run stands still. */
function pausing(limit: Limit, interrupts: Interrupts): Interrupts {
  return {
    ...interrupts,
    takeSigint(handler) {
      limit.pause();
      const release = interrupts.takeSigint(handler);
      return () => {
        release();
        limit.resume();
      };
    },
  };
}

/** Of the command that words begin with which are no whole command line: `mcp add x --unknown`. */
function usageOf([first = '', ...rest]: readonly string[], columns: number): string {
  return isCommandName(first) ? usageText(first, rest, columns) : usageText('', [], columns);
}

async function runCommand(line: ParsedLine, context: Context): Promise<ExitCode> {
  if (line.flags.has('help')) {
    const { renderHelp } = await import('./help.ts');
    context.output.text(await renderHelp(line.command, line.words, context.output.columns()));
    return EXIT.ok;
  }
  if (line.flags.has('version')) {
    context.output.text(`usher ${VERSION}\n`);
    return EXIT.ok;
  }
  switch (line.command) {
    case '':
      return runPromptOrSession(line, context);
    case 'tools':
      return (await import('./commands/tools.ts')).runTools(context, line.words);
    case 'call':
      return (await import('./commands/call.ts')).runCall(context, line.words);
    case 'search':
      return (await import('./commands/search.ts')).runSearch(context, line.words);
    case 'run':
      return (await import('./commands/run-script.ts')).runScriptFile(context, line.words);
    case 'login':
      return (await import('./commands/login.ts')).runLogin(context, line.words);
    case 'logout':
      return (await import('./commands/login.ts')).runLogout(context, line.words);
    case 'resources':
      return (await import('./commands/resources.ts')).runResources(context, line.words);
    case 'read':
      return (await import('./commands/read.ts')).runRead(context, line.words);
    case 'prompts':
      return (await import('./commands/prompts.ts')).runPrompts(context, line.words);
    case 'prompt':
      return (await import('./commands/prompt.ts')).runPrompt(context, line.words);
    case 'skills':
      return (await import('./commands/skills.ts')).runSkills(context, line.words);
    case 'skill':
      return (await import('./commands/skill.ts')).runSkill(context, line.words);
    case 'config':
      return (await import('./commands/config.ts')).runConfig(context, line.words);
    case 'mcp':
      return (await import('./commands/mcp.ts')).runMcp(context, line);
    case 'sessions':
      return (await import('./commands/sessions.ts')).runSessions(context, line.words);
    case 'audit':
      return (await import('./commands/audit.ts')).runAudit(context, line.words);
    case 'help': {
      noMoreWords(line.words.slice(line.words[0] === 'mcp' ? 2 : 1), 'help');
      const { renderTopic } = await import('./help.ts');
      context.output.text(await renderTopic(line.words, context.output.columns()));
      return EXIT.ok;
    }
  }
}

async function runPromptOrSession(line: ParsedLine, context: Context): Promise<ExitCode> {
  noMoreWords(line.words, '');
  const { options, stdin, output } = context;
  if (options.prompt !== undefined || !stdin.isTerminal) {
    return (await import('./run.ts')).runPrompt(context);
  }
  if (!output.isTerminal || options.output !== 'text') {
    throw new UsageError('an interactive session needs a terminal', {
      hint: 'usher --prompt "your question" runs without one',
    });
  }
  return (await import('./session.ts')).runSession(context);
}

function levelOf({ quiet, verbose }: CliOptions) {
  if (quiet) return 'warn';
  if (verbose === 0) return 'info';
  return verbose === 1 ? 'debug' : 'trace';
}

function timeoutError(timeoutMs: number): LimitError {
  return new LimitError(`not done within ${timeoutMs / 1000} s (--timeout)`, {
    details: { limit: 'timeout' },
  });
}
