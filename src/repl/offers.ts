/** /resources, /prompts and /server:prompt of a session. What they say is lines, or the text to prompt with. */
import { toAppError } from '../base/errors.ts';
import { cutToWidth } from '../base/text.ts';
import type { OfferKind, ServerOffers } from '../host/server-offers.ts';
import type { Host } from '../host/types.ts';
import type { ListingView } from './listing.ts';
import { cleanLine } from './render.ts';

const MIN_COLUMNS = 20;

/** One line per resource, template or prompt, of one server or of all. A failing list is a line as well. */
export async function listOffers(
  kind: Exclude<OfferKind, 'skills'>,
  server: string | undefined,
  host: Host,
  view: ListingView,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const servers = host
    .offers()
    .filter((one) => one.offers(kind) && (server === undefined || one.name === server));
  if (servers.length === 0) {
    return [
      server === undefined
        ? `No server offers ${kind}.`
        : `${cleanLine(server)} offers no ${kind}.`,
    ];
  }
  const width = Math.max(MIN_COLUMNS, view.columns - 1);
  const lists = await Promise.all(servers.map((one) => linesOf(kind, one, signal)));
  return lists.flat().map((line) => cutToWidth(line, width));
}

async function linesOf(
  kind: Exclude<OfferKind, 'skills'>,
  server: ServerOffers,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const name = cleanLine(server.name);
  try {
    const items =
      kind === 'prompts' ? await promptLines(server, signal) : await resourceLines(server, signal);
    return [
      `${name}: ${countOf(items.length, kind)}`,
      ...items.map((item) => `  ${cleanLine(item)}`),
    ];
  } catch (error) {
    signal.throwIfAborted();
    return [`${name}: ${cleanLine(toAppError(error).message)}`];
  }
}

function countOf(count: number, kind: string): string {
  return `${count} ${count === 1 ? kind.slice(0, -1) : kind}`;
}

async function resourceLines(
  server: ServerOffers,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const lists = await Promise.all([server.resources(signal), server.templates(signal)]);
  const [resources, templates] = lists;
  return [
    ...resources.items.map(({ uri, title, name }) => `${uri}  ${title ?? name ?? ''}`),
    ...templates.items.map(
      ({ uriTemplate, title, name }) => `${uriTemplate}  ${title ?? name ?? ''}`,
    ),
  ];
}

async function promptLines(server: ServerOffers, signal: AbortSignal): Promise<readonly string[]> {
  const { items } = await server.prompts(signal);
  return items.map((item) => {
    const names = item.arguments.map(({ name, required }) => ` ${name}${required ? '*' : ''}`);
    return `/${server.name}:${item.name}${names.join('')}  ${item.description ?? item.title ?? ''}`;
  });
}

export type Filled =
  | { readonly kind: 'prompt'; readonly text: string }
  | { readonly kind: 'lines'; readonly lines: readonly string[] };

/** `/server:prompt key=value …` or with one JSON object. Rejects with UsageError for words that are neither. */
export async function fillPrompt(line: string, host: Host, signal: AbortSignal): Promise<Filled> {
  const [, server = '', name = '', rest = ''] = PROMPT_LINE.exec(line) ?? [];
  const offers = host.offers().find((one) => one.name === server);
  if (offers === undefined) {
    return { kind: 'lines', lines: [`There is no server ${cleanLine(server)} with prompts.`] };
  }
  const { items } = await offers.prompts(signal);
  const given = items.find((item) => item.name === name)?.arguments ?? [];
  const properties = Object.fromEntries(given.map((one) => [one.name, { type: 'string' }]));
  const inputSchema = { type: 'object', properties };
  const args = await host.parseArguments({ definition: { inputSchema } }, wordsOf(rest));
  const outcome = await host.read({ kind: 'prompt', server, name, arguments: args }, signal);
  if (outcome.kind !== 'result') return { kind: 'lines', lines: [cleanLine(outcome.text)] };
  const { text } = outcome.rendered;
  return outcome.result.isError ? { kind: 'lines', lines: [text] } : { kind: 'prompt', text };
}

const PROMPT_LINE = /^\s*\/([\w-]+):(\S+)\s*(.*)$/s;

/** True for a line that names a prompt of a server. */
export function isPromptLine(line: string): boolean {
  return PROMPT_LINE.test(line);
}

/** Words, quoted parts kept together; a JSON object is one word. */
function wordsOf(text: string): readonly string[] {
  const trimmed = text.trim();
  if (trimmed === '') return [];
  if (trimmed.startsWith('{')) return [trimmed];
  const words = trimmed.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  return words.map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, (_all, a, b) => a ?? b ?? ''));
}
