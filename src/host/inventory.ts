/** One bounded text with the tools, resources and prompts of all servers, by original names (facts MC-15). */
import { toAppError } from '../base/errors.ts';
import { isJsonObject, type JsonObject } from '../base/json.ts';
import type { PromptItem } from '../mcp/prompts.ts';
import { sanitizeLabel } from '../results/sanitize.ts';
import type { RegisteredTool } from '../tools/types.ts';
import type { ServerOffers } from './server-offers.ts';

/** Lines of one kind and server. */
const MAX_LINES = 100;
const MAX_LINE = 200;
const MAX_ARGUMENTS = 30;

/** `tools`: the exposed ones. Rejects only with the signal's reason. */
export async function inventoryText(
  servers: readonly ServerOffers[],
  tools: readonly RegisteredTool[],
  signal: AbortSignal,
): Promise<string> {
  const names = [...new Set([...servers.map(({ name }) => name), ...tools.map(serverOf)])];
  const parts = await Promise.all(
    names.map(async (name) => {
      const server = servers.find((one) => one.name === name);
      const own = tools.filter((tool) => tool.server === name).map(toolLine);
      const offered = server === undefined ? [] : await offerLines(server, signal);
      const lines = [...section('tools', own), ...offered];
      return [`server ${name}${lines.length === 0 ? ': offers nothing' : ''}`, ...lines];
    }),
  );
  return parts.length === 0 ? 'There is no server.' : parts.flat().join('\n');
}

async function offerLines(server: ServerOffers, signal: AbortSignal): Promise<readonly string[]> {
  try {
    const [resources, templates, skills, prompts] = await Promise.all([
      server.resources(signal),
      server.templates(signal),
      server.skills(signal),
      server.prompts(signal),
    ]);
    return [
      ...section('resources', [
        ...resources.items.map(({ uri, title, name }) => `${uri} ${title ?? name ?? ''}`),
        ...templates.items.map(
          ({ uriTemplate, title, name }) => `${uriTemplate} (template) ${title ?? name ?? ''}`,
        ),
      ]),
      ...section(
        'skills',
        skills.skills.map(({ uri, name, description }) => `${uri} ${name}: ${description}`),
      ),
      ...section('prompts', prompts.items.map(promptLine)),
    ];
  } catch (error) {
    signal.throwIfAborted();
    return [`  cannot be listed: ${sanitizeLabel(toAppError(error).message, MAX_LINE)}`];
  }
}

function section(title: string, lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return [];
  const shown = lines.slice(0, MAX_LINES).map((line) => `    ${sanitizeLabel(line, MAX_LINE)}`);
  const left = lines.length - shown.length;
  return [`  ${title}`, ...shown, ...(left > 0 ? [`    … ${left} more`] : [])];
}

function toolLine({ name, definition }: RegisteredTool): string {
  const about = definition.description ?? definition.title ?? '';
  return `${name}(${argumentNames(definition.inputSchema)}) ${about}`;
}

function argumentNames(schema: JsonObject): string {
  const { properties, required } = schema;
  const names = isJsonObject(properties) ? Object.keys(properties) : [];
  const needed = Array.isArray(required) ? required : [];
  return nameList(names.map((name) => (needed.includes(name) ? `${name}*` : name)));
}

function promptLine({ name, description, title, arguments: given }: PromptItem): string {
  const names = given.map((one) => (one.required ? `${one.name}*` : one.name));
  return `${name}(${nameList(names)}) ${description ?? title ?? ''}`;
}

function nameList(names: readonly string[]): string {
  const more = names.length > MAX_ARGUMENTS ? ', …' : '';
  return `${names.slice(0, MAX_ARGUMENTS).join(', ')}${more}`;
}

function serverOf({ server }: RegisteredTool): string {
  return server;
}
