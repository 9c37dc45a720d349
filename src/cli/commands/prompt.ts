/** `usher prompt`: has a server fill in one of its prompts. */
import { raceAbort } from '../../base/abort.ts';
import { UsageError } from '../../base/errors.ts';
import { EXIT, type ExitCode } from '../../base/exit.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { nearestMatches } from '../../base/text.ts';
import type { Host } from '../../host/types.ts';
import type { PromptItem } from '../../mcp/prompts.ts';
import { argumentWords } from '../arguments.ts';
import type { Context } from '../context.ts';
import { readOffer, serverOf, withOffers } from '../offers.ts';
import { findServer } from '../target.ts';
import { isUrl } from '../url-server.ts';

/** Prints its messages as `[role] text`. `--json`: the result verbatim. */
export async function runPrompt(context: Context, words: readonly string[]): Promise<ExitCode> {
  const { word, name, rest } = splitWords(words);
  const target = await findServer(context, word);
  const typed = await argumentWords(context, rest);
  const server = serverOf(target);
  return withOffers(context, target, async (host) => {
    const prompt = await findPrompt(context, host, server, name);
    const schema = schemaOf(prompt);
    const parsing = host.parseArguments({ definition: { inputSchema: schema } }, typed);
    const args = await raceAbort(parsing, context.signal);
    checkRequired(server, prompt, name, args);
    const request = { kind: 'prompt', server, name, arguments: args } as const;
    const outcome = await readOffer(context, host, request);
    if (typeof outcome === 'number') return outcome;
    const { raw } = outcome.result;
    if (context.options.output === 'json') context.output.json(raw);
    else context.output.text(messagesText(raw));
    return EXIT.ok;
  });
}

/** `SERVER NAME …`, `URL NAME …` or `SERVER/NAME …`. */
function splitWords(words: readonly string[]) {
  const [first, second, ...rest] = words;
  const hint = { hint: 'usher prompts lists them' };
  if (first === undefined) throw new UsageError('prompt: which prompt?', hint);
  const slash = first.indexOf('/');
  if (!isUrl(first) && slash > 0) {
    return { word: first.slice(0, slash), name: first.slice(slash + 1), rest: words.slice(1) };
  }
  if (second === undefined) throw new UsageError(`prompt: which prompt of ${first}?`, hint);
  return { word: first, name: second, rest };
}

/** `undefined`: it is not listed, but the list is empty or not whole, so the server decides. */
async function findPrompt(
  { signal }: Context,
  host: Host,
  server: string,
  name: string,
): Promise<PromptItem | undefined> {
  const offers = host.offers().find((one) => one.name === server);
  const list = await offers?.prompts(signal);
  const found = list?.items.find((item) => item.name === name);
  if (found !== undefined || list === undefined) return found;
  if (list.items.length === 0 || list.notices.length > 0) return undefined;
  const names = list.items.map((item) => item.name);
  const [nearest] = nearestMatches(name, names, 1);
  throw new UsageError(`unknown prompt "${name}" of ${server}`, {
    hint: nearest === undefined ? `usher prompts ${server} lists them` : `did you mean ${nearest}?`,
  });
}

function checkRequired(
  server: string,
  prompt: PromptItem | undefined,
  name: string,
  args: JsonObject,
): void {
  const given = prompt?.arguments ?? [];
  const missing = given.filter((one) => one.required && (args[one.name] ?? null) === null);
  if (missing.length === 0) return;
  const names = missing.map((one) => one.name);
  throw new UsageError(`prompt ${server}/${name} needs ${names.join(', ')}`, {
    hint: `usher prompt ${server} ${name} ${names.map((one) => `${one}=…`).join(' ')}`,
  });
}

/** Arguments of prompts are texts. */
function schemaOf(prompt: PromptItem | undefined): JsonObject {
  const names = (prompt?.arguments ?? []).map(({ name }) => [name, { type: 'string' }] as const);
  return { type: 'object', properties: Object.fromEntries(names) };
}

function messagesText(raw: JsonValue): string {
  const messages = isJsonObject(raw) ? raw['messages'] : undefined;
  if (!Array.isArray(messages)) return `${JSON.stringify(raw)}\n`;
  return messages
    .map((message: JsonValue) => {
      const { role, content } = isJsonObject(message)
        ? message
        : { role: 'user', content: message };
      const blocks = Array.isArray(content) ? content : [content ?? ''];
      const texts = blocks.map((block: JsonValue) => blockText(block)).join('\n');
      return `[${typeof role === 'string' ? role : 'user'}] ${texts}`;
    })
    .map((text) => (text.endsWith('\n') ? text : `${text}\n`))
    .join('');
}

/** Text as it is; anything else as a marker: `--json` has it whole. */
function blockText(block: JsonValue): string {
  if (!isJsonObject(block)) return typeof block === 'string' ? block : JSON.stringify(block);
  const { type, text, mimeType, resource, uri } = block;
  if (typeof text === 'string') return text;
  if (isJsonObject(resource)) {
    const inner = resource['text'];
    return typeof inner === 'string' ? inner : `[resource ${String(resource['uri'] ?? '')}]`;
  }
  const what = typeof mimeType === 'string' ? mimeType : String(type ?? 'content');
  return typeof uri === 'string' ? `[${what} ${uri}]` : `[${what}]`;
}
