/** `usher call`: one tool call as typed by a person; no model. */
import { raceAbort } from '../../base/abort.ts';
import { UsageError } from '../../base/errors.ts';
import { EXIT, type ExitCode } from '../../base/exit.ts';
import type { JsonObject } from '../../base/json.ts';
import { saysTheSame } from '../../base/same-text.ts';
import type { CallOutcome } from '../../calls/types.ts';
import type { Host } from '../../host/types.ts';
import type { RegisteredTool, ToolResult } from '../../tools/types.ts';
import { announceEvents } from '../announce.ts';
import { argumentWords } from '../arguments.ts';
import type { Context } from '../context.ts';
import { throwIfFatal, withHost } from '../house.ts';
import { tellFailure } from '../outcome.ts';
import { findTool, type ToolTarget } from '../target.ts';

/** Calls the tool and prints its result. */
export async function runCall(context: Context, words: readonly string[]): Promise<ExitCode> {
  const { options, log, signal } = context;
  const target = await findTool(context, words);
  const typed = await argumentWords(context, target.rest);
  const announce = announceEvents({ ...context, quiet: options.quiet });
  const request = {
    config: target.config,
    servers: target.servers,
    askUser: undefined,
    // The outcome is told once, below.
    onEvent: (event: Parameters<typeof announce>[0]) =>
      event.type === 'call_done' ? context.screen.live(undefined) : announce(event),
    preloadModel: false,
    usesKeptTools: true,
    surface: 'call',
  };
  return withHost(context, request, async (host) => {
    const report = await host.start(signal);
    for (const { message, hint } of report.warnings) log.debug(`${message} ${hint ?? ''}`);
    throwIfFatal(report, target.config);
    const tool = resolveTool(host, target);
    const args = await raceAbort(host.parseArguments(tool, typed), signal);
    if (options.check) checkArguments(host, tool, args);
    const name = `${tool.server}/${tool.name}`;
    const outcome = await host.call(
      { id: 'call-1', name, arguments: args, invalidArguments: undefined, origin: 'user' },
      signal,
    );
    return tellOutcome(context, outcome);
  });
}

function resolveTool(host: Host, target: ToolTarget): RegisteredTool {
  const resolution = host.snapshot().resolve(target.tool);
  switch (resolution.kind) {
    case 'found':
      return resolution.tool;
    case 'ambiguous':
      throw new UsageError(`"${target.tool}" can mean ${resolution.candidates.join(' or ')}`);
    case 'gone':
      throw new UsageError(`${resolution.server}/${resolution.name} is no longer offered`);
    case 'unknown': {
      const [nearest] = resolution.nearest;
      throw new UsageError(`unknown tool "${target.tool}"`, {
        hint: nearest === undefined ? 'usher tools lists them' : `did you mean ${nearest}?`,
      });
    }
  }
}

function checkArguments(host: Host, tool: RegisteredTool, args: JsonObject): void {
  const problems = host.checkArguments(tool, args);
  if (problems.length === 0) return;
  throw new UsageError(
    `the arguments do not fit ${tool.server}/${tool.name}: ${problems.join('; ')}`,
  );
}

function tellOutcome(context: Context, outcome: CallOutcome): ExitCode {
  const { options, output, log } = context;
  switch (outcome.kind) {
    case 'result':
      if (options.output === 'json') output.json(outcome.result.raw);
      else output.text(resultText(outcome));
      for (const { path } of outcome.rendered.artifacts) log.info(`saved ${path}`);
      if (!outcome.result.isError) return EXIT.ok;
      log.error(`${outcome.tool.server}/${outcome.tool.name} answered with an error`);
      return EXIT.failed;
    default:
      return tellFailure(context, outcome);
  }
}

/** The text whole and as received where all of it is text; else as it is rendered for reading. */
function resultText(outcome: Extract<CallOutcome, { kind: 'result' }>): string {
  const { result, rendered } = outcome;
  const texts = result.content.map(({ type, text }) => (type === 'text' ? text : undefined));
  const isAllText = texts.length > 0 && texts.every((text) => typeof text === 'string');
  const whole =
    isAllText && !addsStructure(result) ? texts.join('\n') : (wholeText(outcome) ?? rendered.text);
  return whole.endsWith('\n') || whole === '' ? whole : `${whole}\n`;
}

/** Where the rendered text was cut, all there is to read: text blocks, then the structured content. */
function wholeText({ result, rendered }: Extract<CallOutcome, { kind: 'result' }>) {
  if (rendered.omittedCharacters === 0) return undefined;
  const texts = result.content.flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
  if (addsStructure(result)) texts.push(JSON.stringify(result.structuredContent));
  return texts.length === 0 ? undefined : texts.join('\n');
}

/** True when the structured content says more than the text blocks. */
function addsStructure({ content, structuredContent }: ToolResult): boolean {
  if (structuredContent === undefined || structuredContent === null) return false;
  return !content.some(
    ({ text }) => typeof text === 'string' && saysTheSame(text, structuredContent),
  );
}
