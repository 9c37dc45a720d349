/**
 * `tool_search`: by which a model finds tools that are not declared to it. What it finds is declared from the
 * next request on. Knows neither model nor servers.
 */
import type { FoundTool } from './search-index.ts';
import type {
  RegisteredTool,
  RegistrySnapshot,
  SourceCall,
  ToolDefinition,
  ToolResult,
  ToolSource,
} from './types.ts';

/** No configured server can have this name. */
export const SEARCH_NAME = '@search';

const DEFAULT_LIMIT = 8;
const MAX_LIMIT = 50;
const MAX_ABOUT = 250;
const MAX_SERVERS = 40;

const INPUT_SCHEMA = {
  type: 'object',
  properties: {
    query: {
      type: 'string',
      description: 'What the tool has to do, in a few plain words, or the name of a tool.',
    },
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: MAX_LIMIT,
      description: `How many tools at most. Default: ${DEFAULT_LIMIT}.`,
    },
  },
  required: ['query'],
  additionalProperties: false,
} as const;

/** Read by the model. */
const DESCRIPTION =
  'Finds tools of the servers that are not declared to you yet, best match first, and declares them: from your next turn on they can be called by the names given here.';

export const TOOL_SEARCH: ToolDefinition = {
  name: 'tool_search',
  title: undefined,
  description: DESCRIPTION,
  inputSchema: INPUT_SCHEMA,
  outputSchema: undefined,
  annotations: { readOnlyHint: true, openWorldHint: false },
  raw: { name: 'tool_search', description: DESCRIPTION, inputSchema: INPUT_SCHEMA },
};

export interface SearchToolPorts {
  readonly snapshot: () => RegistrySnapshot;
  /** Ranks those of the tools that `accept` takes, best first. */
  readonly find: (
    query: string,
    limit: number,
    accept: (tool: RegisteredTool) => boolean,
    signal: AbortSignal,
  ) => Promise<readonly FoundTool[]>;
  /** Declares tools from the next snapshot on. */
  readonly load: (tools: readonly RegisteredTool[]) => void;
}

/** A source with the one tool; its result's `structuredContent.loaded` names what was declared. */
export function createSearchTool(ports: SearchToolPorts): ToolSource {
  return {
    name: SEARCH_NAME,
    kind: 'builtin',
    identity: 'builtin:tool_search',
    ownNames: true,
    isFree: true,
    alwaysOffered: true,
    call: (call) => answer(ports, call),
  };
}

async function answer(
  { snapshot, find, load }: SearchToolPorts,
  { arguments: args, signal }: SourceCall,
): Promise<ToolResult> {
  const query = typeof args['query'] === 'string' ? args['query'] : '';
  const limit = limitOf(args['limit']);
  const declared = new Set(snapshot().tools.map(({ publicName }) => publicName));
  const accept = ({ publicName }: RegisteredTool) => !declared.has(publicName);
  const found = (await find(query, limit, accept, signal)).map(({ tool }) => tool);
  load(found);
  const text = found.length === 0 ? nothingText(snapshot()) : foundText(found);
  const structuredContent = { loaded: found.map(({ server, name }) => `${server}/${name}`) };
  const content = [{ type: 'text', text }];
  // The text says it all to a model; the names are for the record.
  return {
    content,
    structuredContent: undefined,
    isError: false,
    raw: { content, structuredContent },
  };
}

function limitOf(value: unknown): number {
  const wanted = typeof value === 'number' ? Math.floor(value) : DEFAULT_LIMIT;
  return Math.min(MAX_LIMIT, Math.max(1, wanted));
}

function foundText(found: readonly RegisteredTool[]): string {
  const lines = found.map(({ publicName, definition }) => {
    const about = (definition.description ?? definition.title ?? '').replace(/\s+/g, ' ').trim();
    const short =
      about.length > MAX_ABOUT ? `${about.slice(0, MAX_ABOUT - 1).toWellFormed()}…` : about;
    return short === '' ? `- ${publicName}` : `- ${publicName}: ${short}`;
  });
  return [FOUND_HEADING, ...lines].join('\n');
}

/** Read by the model, and by `foundNames`. */
const FOUND_HEADING = 'Declared from your next turn on:';

/** The public names that a result's text tells of. Descriptions stand on one line each: they cannot add any. */
export function foundNames(text: string): readonly string[] {
  const [heading, ...lines] = text.split('\n');
  if (heading !== FOUND_HEADING) return [];
  return lines.flatMap((line) => /^- ([^\s:]+)(?::|$)/.exec(line)?.[1] ?? []);
}

function nothingText({ reachable }: RegistrySnapshot): string {
  const servers = [...new Set(reachable.map(({ server }) => server))];
  const more = servers.length > MAX_SERVERS ? `, … ${servers.length - MAX_SERVERS} more` : '';
  return `No other tool has anything of that. Say what it has to do in other words. There are tools of ${servers.slice(0, MAX_SERVERS).join(', ')}${more}.`;
}
