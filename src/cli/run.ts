/** One prompt to its end: `usher -p`, or piped text. */
import type { RunResult } from '../agent/types.ts';
import { raceAbort } from '../base/abort.ts';
import { toAppError, UsageError } from '../base/errors.ts';
import { EXIT, type ExitCode } from '../base/exit.ts';
import type { Config } from '../config/types.ts';
import type { Talk } from '../host/talk.ts';
import type { Host, HostEvent } from '../host/types.ts';
import type { AskUser } from '../permission/types.ts';
import { announceEvents } from './announce.ts';
import { askAtTerminal } from './ask.ts';
import type { Context } from './context.ts';
import {
  checkServerNames,
  exitWhenDown,
  loadConfig,
  tellStart,
  tellStraggler,
  throwIfFatal,
  withHost,
} from './house.ts';
import { findPerson, type Person } from './person.ts';
import { createRunEnding, type RunEnding } from './run-ending.ts';
import { serversEvent } from './run-shape.ts';
import { openRunView, type RunView } from './run-view.ts';
import { openSaved } from './saving.ts';
import { readPrompt } from './stdin.ts';
import { type Stragglers, watchStragglers } from './stragglers.ts';
import { talkAtTerminal } from './talk.ts';

/** Runs, writes the result, returns the exit code. Failures are in the result, also before the model was asked. */
export async function runPrompt(context: Context): Promise<ExitCode> {
  const { options, output, clock, screen } = context;
  const view = openRunView(options.output, output, clock);
  const ending = createRunEnding(context, view);
  const person = findPerson({ ...context, ...options, stderrIsTerminal: screen.isTerminal });
  try {
    await connectAndRun(context, { view, ending, person });
  } catch (thrown) {
    ending.fail(thrown);
  } finally {
    person?.close();
  }
  return ending.exit();
}

interface RunParts {
  readonly view: RunView;
  readonly ending: RunEnding;
  readonly person: Person | undefined;
}

async function connectAndRun(context: Context, parts: RunParts): Promise<void> {
  const { options, signal } = context;
  const { view, ending } = parts;
  const { warnings } = ending;
  const prompt = promptOf(context, warnings);
  // With the text at hand servers start at once, while stdin is being looked at.
  const isAtHand = options.prompt !== '-' && (options.prompt ?? '').trim() !== '';
  if (!isAtHand) await prompt;
  const config = await loadConfig(context);
  checkServerNames(config, options.servers ?? []);
  const saved = await openSaved(context, false);
  view.emit(initEvent(context, config, saved?.id));
  const announce = announceEvents({ ...context, quiet: options.quiet });
  let stragglers: Stragglers | undefined;
  const warn = (message: string) => {
    warnings.push(message);
    view.emit({ type: 'warning', message });
  };
  for (const message of saved?.unsure ?? []) warn(message);
  const request = {
    config,
    servers: options.servers,
    askUser: askerOf(context, parts.person),
    talk: talkOf(context, parts.person),
    onEvent: (event: HostEvent) => {
      // What closing does to servers and calls is no news.
      if (ending.isTold()) return;
      if (event.type === 'warning') warnings.push(event.message);
      view.onEvent(event);
      announce(event);
      stragglers?.onEvent(event);
    },
    preloadModel: true,
    promptIsTyped: options.prompt !== undefined && options.prompt !== '-',
    surface: 'run',
    saved,
  };
  const run = async (host: Host): Promise<RunResult> => {
    const report = await host.start(signal);
    view.emit(serversEvent(report, host.snapshot()));
    for (const warning of tellStart(context, { host, config, report })) warn(warning);
    throwIfFatal(report, config);
    stragglers = watchStragglers(report.servers, host.status(), (status) => {
      // A run that is being ended gives up the servers itself.
      if (signal.aborted) return;
      for (const warning of tellStraggler(context, { host, config, status })) warn(warning);
    });
    const result = await host.prompt(await prompt, signal);
    const whenDown = exitWhenDown(config, host.status(), options.strict);
    return { ...result, exit: exitOf(context, config, result, whenDown) };
  };
  await withHost(context, request, (host) => run(host).then(ending.tell, ending.fail));
}

/** The prompt's text. Rejections are seen by whoever awaits; nothing is lost when the start fails first. */
function promptOf(context: Context, warnings: string[]): Promise<string> {
  const { options, stdin, clock, log, signal } = context;
  const reading = readPrompt({
    flag: options.prompt,
    mode: options.stdin,
    stdin,
    clock,
    warn(message, hint) {
      warnings.push(message);
      log.warn(message, hint);
    },
  });
  const prompt = raceAbort(reading, signal).then((text) => {
    if (text !== undefined) return text;
    throw new UsageError('no prompt', { hint: 'usher --prompt "your question", or pipe it in' });
  });
  prompt.catch(() => undefined);
  return prompt;
}

function askerOf(context: Context, person: Person | undefined): AskUser | undefined {
  if (person === undefined) return undefined;
  const { screen, clock, interrupts } = context;
  return askAtTerminal({ person, screen, clock, takeSigint: interrupts.takeSigint });
}

function talkOf(context: Context, person: Person | undefined): Talk | undefined {
  if (person === undefined) return undefined;
  const { screen, clock, interrupts } = context;
  return talkAtTerminal({ person, screen, clock, takeSigint: interrupts.takeSigint });
}

function initEvent({ options, cwd }: Context, config: Config, session: string | undefined) {
  const model = config.model;
  return {
    type: 'init',
    cwd,
    config: config.files,
    model: model === undefined ? 'offline' : [model.provider, model.name].filter(Boolean).join('/'),
    permissions: options.permissions ?? config.mcp.permissions,
    session,
  };
}

/** A run that answered still fails when servers that were wanted could not be used. */
function exitOf(
  { signal }: Context,
  { model }: Config,
  result: RunResult,
  whenDown: ExitCode | undefined,
): ExitCode {
  // The router has nothing to choose from then, which is not what is wrong.
  const isOffline = model === undefined || model.provider === 'offline';
  if (result.exit === EXIT.ok || (isOffline && result.exit === EXIT.provider)) {
    return whenDown ?? result.exit;
  }
  return signal.aborted ? toAppError(signal.reason).exit : result.exit;
}
