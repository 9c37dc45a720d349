/** `usher read`: one resource, as typed by a person. */
import { UsageError } from '../../base/errors.ts';
import { EXIT, type ExitCode } from '../../base/exit.ts';
import { isJsonObject, type JsonValue } from '../../base/json.ts';
import type { CallOutcome } from '../../calls/types.ts';
import type { Context } from '../context.ts';
import { readOffer, serverOf, withOffers } from '../offers.ts';
import { findServer } from '../target.ts';
import { noMoreWords } from '../words.ts';

/** Prints text as it is; other content is saved, its path printed. `--json`: the result verbatim. */
export async function runRead(context: Context, words: readonly string[]): Promise<ExitCode> {
  const [server, uri, ...rest] = words;
  if (server === undefined || uri === undefined) {
    throw new UsageError('read: which resource?', { hint: 'usher resources lists them' });
  }
  noMoreWords(rest, 'read');
  const target = await findServer(context, server);
  return withOffers(context, target, async (host) => {
    const request = { kind: 'resource', server: serverOf(target), uri } as const;
    const outcome = await readOffer(context, host, request);
    if (typeof outcome === 'number') return outcome;
    if (context.options.output !== 'json') return printContents(context, outcome);
    context.output.json(outcome.result.raw);
    return EXIT.ok;
  });
}

function printContents(
  { output, log }: Context,
  { result, rendered }: Extract<CallOutcome, { kind: 'result' }>,
): ExitCode {
  const contents = contentsOf(result.raw);
  const texts = contents.filter((content) => content !== undefined);
  // Several parts are told apart by lines; a single one is printed byte for byte.
  if (contents.length === 1) output.text(texts[0] ?? '');
  else output.text(texts.map((text) => (text.endsWith('\n') ? text : `${text}\n`)).join(''));
  output.breakLine();
  for (const { path, mimeType, bytes } of rendered.artifacts) {
    log.info(`saved ${mimeType}, ${bytes} bytes`);
    output.text(`${path}\n`);
  }
  const unsaved = contents.length - texts.length - rendered.artifacts.length;
  if (unsaved <= 0) return EXIT.ok;
  log.error(
    `${unsaved} binary part${unsaved === 1 ? ' was' : 's were'} not saved`,
    '--json prints them',
  );
  return EXIT.failed;
}

/** The text of each part; `undefined` for binary content. */
function contentsOf(raw: JsonValue): readonly (string | undefined)[] {
  const contents = isJsonObject(raw) ? raw['contents'] : undefined;
  const parts = Array.isArray(contents) ? contents : [];
  return parts.map((part: JsonValue) => {
    if (!isJsonObject(part)) return JSON.stringify(part);
    if (typeof part['blob'] === 'string') return undefined;
    const text = part['text'] ?? '';
    return typeof text === 'string' ? text : JSON.stringify(text);
  });
}
