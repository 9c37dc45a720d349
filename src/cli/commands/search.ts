/** `usher search`: which tools fit a request, best first; one question, or many over stdin. */
import * as v from 'valibot';
import { raceAbort } from '../../base/abort.ts';
import { LimitError, UsageError } from '../../base/errors.ts';
import { EXIT, type ExitCode } from '../../base/exit.ts';
import { tryParseJson } from '../../base/json.ts';
import type { Host } from '../../host/types.ts';
import type { FoundTool } from '../../tools/search-index.ts';
import { announceEvents } from '../announce.ts';
import { serverWarnings } from '../banner.ts';
import { firstLine, twoColumns } from '../columns.ts';
import type { Context } from '../context.ts';
import { countDown, throwIfFatal, withHost } from '../house.ts';
import { findServer } from '../target.ts';

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 1000;
/** Longest line of a batch. */
const MAX_LINE_CHARACTERS = 1024 * 1024;

const questionSchema = v.object({
  id: v.union([v.string(), v.number()]),
  query: v.string(),
  limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MAX_LIMIT))),
});

/** A line that is no question may still say which it is. */
const namedSchema = v.object({ id: questionSchema.entries.id });

/** 4 when every server is down, or one with `--strict`; 2 when a line of a batch was no question. */
export async function runSearch(context: Context, words: readonly string[]): Promise<ExitCode> {
  const { options, log, signal } = context;
  const query = words.join(' ').trim();
  if (options.batch && query !== '') throw new UsageError('--batch reads its queries from stdin');
  if (!options.batch && query === '') {
    throw new UsageError('what is searched for?', { hint: 'usher search "read a file"' });
  }
  const { config, servers } = await findServer(context, undefined);
  const request = {
    config,
    servers,
    askUser: undefined,
    onEvent: announceEvents({ ...context, quiet: options.quiet }),
    preloadModel: false,
    surface: 'search',
  };
  return withHost(context, request, async (host) => {
    const report = await host.start(signal);
    throwIfFatal(report);
    const warnings = [...config.warnings, ...report.warnings];
    const known = warnings.map(({ message }) => message).join('\n');
    const failed = serverWarnings(report.servers).filter(({ message }) => !known.includes(message));
    for (const { message, hint } of [...warnings, ...failed]) log.warn(message, hint);
    const areGood = options.batch
      ? await answerAll(context, host)
      : await answer(context, host, query);
    const { down, wanted } = countDown(config, report.servers);
    const isDown = wanted > 0 && (down === wanted || (options.strict && down > 0));
    if (isDown) return EXIT.connect;
    return areGood ? EXIT.ok : EXIT.usage;
  });
}

async function answer(
  { options, output, log, signal }: Context,
  host: Host,
  query: string,
): Promise<true> {
  const found = await host.find(query, DEFAULT_LIMIT, signal);
  if (options.output === 'json') {
    output.json({ query, tools: found.map(toolObject) });
    return true;
  }
  if (found.length === 0) log.info('no tool fits; usher tools lists them all');
  output.text(
    twoColumns(
      found.map(({ tool }) => [
        pathOf({ tool }),
        firstLine(tool.definition.description ?? tool.definition.title),
      ]),
    ),
  );
  return true;
}

function toolObject({ tool, score }: FoundTool) {
  const { server, name, publicName, exposure, definition } = tool;
  const { description } = definition;
  return { server, name, publicName, exposure, description, score: Number(score.toFixed(3)) };
}

/** Each line is answered as soon as it is there. False: a line was no question. */
async function answerAll({ stdin, output, signal }: Context, host: Host): Promise<boolean> {
  let areGood = true;
  for await (const line of linesOf(stdin.read(), signal)) {
    if (line.trim() === '') continue;
    const parsed = tryParseJson(line);
    const question = v.safeParse(questionSchema, parsed);
    if (!question.success) {
      areGood = false;
      const named = v.safeParse(namedSchema, parsed);
      const id = named.success ? named.output.id : null;
      output.json({ id, results: [], error: 'expected {"id": …, "query": "…", "limit": N}' });
      continue;
    }
    const { id, query, limit = DEFAULT_LIMIT } = question.output;
    const found = await host.find(query, limit, signal);
    output.json({ id, results: found.map(pathOf) });
  }
  return areGood;
}

async function* linesOf(
  pieces: AsyncIterator<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const piece = await raceAbort(pieces.next(), signal);
    rest += piece.done === true ? decoder.decode() : decoder.decode(piece.value, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE_CHARACTERS) {
      throw new LimitError('a line of stdin is longer than 1 MiB', { details: { limit: 'line' } });
    }
    yield* lines;
    if (piece.done !== true) continue;
    yield rest;
    return;
  }
}

function pathOf({ tool }: Pick<FoundTool, 'tool'>): string {
  return `${tool.server}/${tool.name}`;
}
