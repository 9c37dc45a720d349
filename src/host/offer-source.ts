/** The source of the tools that read what servers offer: lists answer here, the rest goes to its server. */
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { nearestMatches } from '../base/text.ts';
import { sanitizeLabel } from '../results/sanitize.ts';
import { keyOf } from '../tools/naming.ts';
import type {
  Aim,
  RegisteredTool,
  SourceCall,
  ToolDefinition,
  ToolResult,
  ToolSource,
} from '../tools/types.ts';
import { inventoryText } from './inventory.ts';
import { failedResult, listPromptsOf, listResourcesOf, textResult } from './offer-lists.ts';
import { promptReader, resourceReader } from './offer-reader.ts';
import {
  GET_PROMPT,
  LIST_PROMPTS,
  LIST_RESOURCES,
  META_CALL,
  META_LIST,
  META_PROMPT,
  META_READ,
  OFFER_TOOLS,
  READ_RESOURCE,
} from './offer-texts.ts';
import type { Offers } from './offers.ts';
import type { ServerOffers } from './server-offers.ts';

/** No configured server can have this name. */
export const OFFERS_NAME = '@usher';

/** Public names kept from the tools of servers. */
export const RESERVED_NAMES: ReadonlyMap<string, string> = new Map(
  OFFER_TOOLS.map(({ name }) => [name, keyOf({ server: OFFERS_NAME, name })]),
);

/** What is declared now: as soon as a server offers such a thing, or always with `hasMeta`. */
export function offerDefinitions(offers: Offers, hasMeta: boolean): readonly ToolDefinition[] {
  if (hasMeta) return [META_LIST, META_CALL, META_READ, META_PROMPT];
  return [
    ...(offers.has('resources') || offers.has('skills') ? [LIST_RESOURCES, READ_RESOURCE] : []),
    ...(offers.has('prompts') ? [LIST_PROMPTS, GET_PROMPT] : []),
  ];
}

/** `tools`: those that are exposed now. */
export function createOfferSource(
  offers: Offers,
  tools: () => readonly RegisteredTool[],
): ToolSource {
  return {
    name: OFFERS_NAME,
    kind: 'builtin',
    identity: 'builtin:offers',
    ownNames: true,
    isFree: true,
    aim: (tool, args) => aimOf(offers, tool, args),
    call: (call) => list(offers, tools, call),
  };
}

/** The servers whose offers a model may see. */
function visible(offers: Offers): readonly ServerOffers[] {
  return offers.servers.filter(({ connection }) => connection.config.exposure !== 'hidden');
}

async function list(
  offers: Offers,
  tools: () => readonly RegisteredTool[],
  { tool, arguments: args, signal }: SourceCall,
): Promise<ToolResult> {
  const all = visible(offers);
  if (tool === META_LIST.name) {
    const own = tools().filter(({ server }) => server !== OFFERS_NAME);
    return textResult(await inventoryText(all, own, signal));
  }
  const name = textOf(args['server']);
  const servers = name === undefined ? all : all.filter((server) => server.name === name);
  if (name !== undefined && servers.length === 0) return failedResult(unknownServer(name, all));
  return tool === LIST_PROMPTS.name
    ? listPromptsOf(servers, signal)
    : listResourcesOf(servers, textOf(args['cursor']), signal);
}

function aimOf(offers: Offers, tool: string, args: JsonObject): Aim | undefined {
  const name = textOf(args['server']) ?? '';
  const given = args['args'] ?? args['arguments'] ?? {};
  switch (tool) {
    case META_CALL.name:
      return {
        kind: 'call',
        name: `${name}/${textOf(args['tool']) ?? ''}`,
        arguments: objectOf(given),
      };
    case READ_RESOURCE.name:
    case META_READ.name: {
      const uri = args['uri'] ?? '';
      return aimAt(offers, name, (server) => ({ tool: resourceReader(server), args: { uri } }));
    }
    case GET_PROMPT.name:
    case META_PROMPT.name: {
      const values = { name: args['name'] ?? '', arguments: objectOf(given) };
      return aimAt(offers, name, (server) => ({ tool: promptReader(server), args: values }));
    }
    default:
      return undefined;
  }
}

function aimAt(
  offers: Offers,
  name: string,
  target: (server: ServerOffers) => { readonly tool: RegisteredTool; readonly args: JsonObject },
): Aim {
  const servers = visible(offers);
  const server = servers.find((one) => one.name === name);
  if (server === undefined) return { kind: 'invalid', text: unknownServer(name, servers) };
  const { tool, args } = target(server);
  return { kind: 'tool', tool, arguments: args };
}

function unknownServer(name: string, servers: readonly ServerOffers[]): string {
  const names = servers.map((server) => server.name);
  const [nearest] = nearestMatches(name, names, 1);
  const hint = nearest === undefined ? `There is ${names.join(', ')}.` : `Did you mean ${nearest}?`;
  return `There is no server "${sanitizeLabel(name, 100)}". ${names.length === 0 ? '' : hint}`.trim();
}

function objectOf(value: JsonValue): JsonObject {
  return isJsonObject(value) ? value : {};
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
