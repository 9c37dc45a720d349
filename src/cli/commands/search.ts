/** `usher search`: which tools fit a request, best first; one question, or many over stdin. */
import * as v from 'valibot';
import { UsageError } from '../../base/errors.ts';
import { EXIT, type ExitCode } from '../../base/exit.ts';
import { tryParseJson } from '../../base/json.ts';
import type { Host } from '../../host/types.ts';
import type { FoundTool } from '../../tools/search-index.ts';
import { firstLine, twoColumns } from '../columns.ts';
import type { Context } from '../context.ts';
import { linesOf } from '../stdin-lines.ts';
import { findServer } from '../target.ts';
import { withTools } from '../tool-house.ts';

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 1000;

const questionSchema = v.object({
  id: v.union([v.string(), v.number()]),
  query: v.string(),
  limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MAX_LIMIT))),
});

/** A line that is no question may still say which it is. */
const namedSchema = v.object({ id: questionSchema.entries.id });

/** 4 when every server is down, or one with `--strict`; 2 when a line of a batch was no question. */
export async function runSearch(context: Context, words: readonly string[]): Promise<ExitCode> {
  const { options } = context;
  const query = words.join(' ').trim();
  if (options.batch && query !== '') throw new UsageError('--batch reads its queries from stdin');
  if (!options.batch && query === '') {
    throw new UsageError('what is searched for?', { hint: 'usher search "read a file"' });
  }
  const limit = options.limit ?? DEFAULT_LIMIT;
  if (limit > MAX_LIMIT) throw new UsageError(`--limit: at most ${MAX_LIMIT}, got ${limit}`);
  const target = await findServer(context, undefined);
  return withTools(context, target, 'search', async (host) => {
    if (!options.batch) return answer(context, host, query, limit);
    return (await answerAll(context, host, limit)) ? EXIT.ok : EXIT.usage;
  });
}

async function answer(
  { options, output, log, signal }: Context,
  host: Host,
  query: string,
  limit: number,
): Promise<ExitCode> {
  const found = await host.find(query, limit, signal);
  if (options.output === 'json') {
    output.json({ query, tools: found.map(toolObject) });
    return EXIT.ok;
  }
  if (found.length === 0) log.info('no tool fits; usher tools lists them all');
  output.text(
    twoColumns(
      found.map(({ tool }) => [
        pathOf({ tool }),
        firstLine(tool.definition.description ?? tool.definition.title),
      ]),
      output.columns(),
    ),
  );
  return EXIT.ok;
}

function toolObject({ tool, score }: FoundTool) {
  const { server, name, publicName, exposure, definition } = tool;
  const { description } = definition;
  return { server, name, publicName, exposure, description, score: Number(score.toFixed(3)) };
}

/** Each line is answered as soon as it is there, with its own limit or this one. False: a line was no question. */
async function answerAll(
  { stdin, output, signal }: Context,
  host: Host,
  most: number,
): Promise<boolean> {
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
    const { id, query, limit = most } = question.output;
    const found = await host.find(query, limit, signal);
    output.json({ id, results: found.map(pathOf) });
  }
  return areGood;
}

function pathOf({ tool }: Pick<FoundTool, 'tool'>): string {
  return `${tool.server}/${tool.name}`;
}
