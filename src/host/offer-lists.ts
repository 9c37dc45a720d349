/** What the listing tools answer: entries of all servers, clean, bounded, page by page; a failing server costs only its own. */
import { toAppError } from '../base/errors.ts';
import type { JsonObject, JsonValue } from '../base/json.ts';
import type { ItemList } from '../mcp/pages.ts';
import type { PromptItem } from '../mcp/prompts.ts';
import type { ResourceItem, TemplateItem } from '../mcp/resources.ts';
import { sanitizeLabel } from '../results/sanitize.ts';
import type { SkillList } from '../skills/list.ts';
import type { ToolResult } from '../tools/types.ts';
import type { ServerOffers } from './server-offers.ts';

/** Entries of one answer. */
const PAGE = 100;
/** Characters of its JSON, so that no result bound cuts into it. */
const MAX_PAGE_CHARACTERS = 40_000;
const MAX_DESCRIPTION = 300;
const MAX_NAME = 200;
const MAX_URI = 2000;
const MAX_ARGUMENTS = 50;

interface Entries {
  readonly entries: readonly JsonObject[];
  readonly problems: readonly string[];
}

/** Skills first, then resources, then templates of each server. Rejects only with the signal's reason. */
export async function listResourcesOf(
  servers: readonly ServerOffers[],
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<ToolResult> {
  const found = await Promise.all(servers.map((server) => entriesOf(server, resourcesOf, signal)));
  const all = found.flatMap(({ entries }) => entries);
  const from = cursor === undefined ? 0 : Number(cursor);
  if (!Number.isSafeInteger(from) || from < 0 || from > all.length) {
    return failedResult(`${JSON.stringify(cursor)} is no cursor of this list; leave it out.`);
  }
  const resources = firstPage(all.slice(from));
  const end = from + resources.length;
  const next = end < all.length ? { nextCursor: String(end) } : {};
  return jsonResult({ resources, ...next, ...problemsOf(found) });
}

export async function listPromptsOf(
  servers: readonly ServerOffers[],
  signal: AbortSignal,
): Promise<ToolResult> {
  const found = await Promise.all(servers.map((server) => entriesOf(server, promptsOf, signal)));
  const all = found.flatMap(({ entries }) => entries);
  const prompts = firstPage(all);
  const left = all.length - prompts.length;
  const more = left > 0 ? { leftOut: `${left} more; name a server` } : {};
  return jsonResult({ prompts, ...more, ...problemsOf(found) });
}

/** As many entries as fit into one answer, at least one. */
function firstPage(entries: readonly JsonObject[]): readonly JsonObject[] {
  let characters = 0;
  const end = entries.slice(0, PAGE).findIndex((entry, index) => {
    characters += JSON.stringify(entry).length;
    return index > 0 && characters > MAX_PAGE_CHARACTERS;
  });
  return entries.slice(0, end === -1 ? PAGE : end);
}

/** An answer that the model can mend its call with. */
export function failedResult(text: string): ToolResult {
  return { ...textResult(text), isError: true };
}

export function textResult(text: string): ToolResult {
  const content = [{ type: 'text', text }];
  return { content, structuredContent: undefined, isError: false, raw: { content } };
}

async function entriesOf(
  server: ServerOffers,
  read: (server: ServerOffers, signal: AbortSignal) => Promise<Entries>,
  signal: AbortSignal,
): Promise<Entries> {
  const { state } = server.connection.status();
  if (state !== 'ready')
    return { entries: [], problems: [`${server.name} is not ready: ${state}`] };
  try {
    return await read(server, signal);
  } catch (error) {
    signal.throwIfAborted();
    return { entries: [], problems: [`${server.name}: ${toAppError(error).message}`] };
  }
}

async function resourcesOf(server: ServerOffers, signal: AbortSignal): Promise<Entries> {
  const [resources, templates, skills] = await Promise.all([
    server.resources(signal),
    server.templates(signal),
    server.skills(signal),
  ]);
  const skillUris = new Set(skills.skills.map(({ uri }) => uri));
  const plain = resources.items.filter(({ uri }) => !skillUris.has(uri));
  return {
    entries: [
      ...skills.skills.map((skill) => ({
        server: server.name,
        kind: 'skill',
        uri: sanitizeLabel(skill.uri, MAX_URI),
        name: sanitizeLabel(skill.name, MAX_NAME),
        ...textField('description', skill.description),
      })),
      ...plain.map((item) => describeResource(server.name, item)),
      ...templates.items.map((item) => describeTemplate(server.name, item)),
    ],
    problems: [
      ...problemsIn(server.name, resources),
      ...problemsIn(server.name, templates),
      ...problemsIn(server.name, { ...skills, dropped: skills.refused }),
    ],
  };
}

async function promptsOf(server: ServerOffers, signal: AbortSignal): Promise<Entries> {
  const prompts = await server.prompts(signal);
  return {
    entries: prompts.items.map((item) => describePrompt(server.name, item)),
    problems: problemsIn(server.name, prompts),
  };
}

function describeResource(server: string, item: ResourceItem): JsonObject {
  return {
    server,
    uri: sanitizeLabel(item.uri, MAX_URI),
    ...describe(item),
    ...(item.size === undefined ? {} : { size: item.size }),
  };
}

function describeTemplate(server: string, item: TemplateItem): JsonObject {
  const uriTemplate = sanitizeLabel(item.uriTemplate, MAX_URI);
  return { server, kind: 'template', uriTemplate, ...describe(item) };
}

function describe(item: ResourceItem | TemplateItem): JsonObject {
  return {
    ...textField('name', item.title ?? item.name),
    ...textField('description', item.description),
    ...textField('mimeType', item.mimeType),
  };
}

function describePrompt(server: string, item: PromptItem): JsonObject {
  const given = item.arguments.slice(0, MAX_ARGUMENTS).map(({ name, description, required }) => ({
    name: sanitizeLabel(name, MAX_NAME),
    ...textField('description', description),
    required,
  }));
  return {
    server,
    name: sanitizeLabel(item.name, MAX_NAME),
    ...textField('description', item.description ?? item.title),
    ...(given.length === 0 ? {} : { arguments: given }),
  };
}

function textField(key: string, text: string | undefined): JsonObject {
  const clean = sanitizeLabel(text ?? '', MAX_DESCRIPTION);
  return clean === '' ? {} : { [key]: clean };
}

function problemsIn(
  server: string,
  list: Pick<ItemList<object> & SkillList, 'notices'> & Pick<ItemList<object>, 'dropped'>,
): readonly string[] {
  return [
    ...list.notices.map((notice) => `${server}: ${notice}`),
    ...list.dropped.map(
      ({ name, problem }) => `${server}: ${sanitizeLabel(name, MAX_NAME)} was left out: ${problem}`,
    ),
  ];
}

function problemsOf(found: readonly Entries[]): JsonObject {
  const problems = found.flatMap((one) => one.problems).slice(0, PAGE);
  return problems.length === 0 ? {} : { problems };
}

function jsonResult(value: JsonValue): ToolResult {
  return textResult(JSON.stringify(value));
}
