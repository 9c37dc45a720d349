/** Resources and resource templates of one server, leniently read. Source: MCP 2025-11-25, resources. */
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { longName, MAX_URI } from './long-names.ts';
import { type Ask, type DroppedItem, type ItemList, readPages } from './pages.ts';

export interface ResourceItem {
  readonly uri: string;
  readonly name: string | undefined;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly mimeType: string | undefined;
  /** Bytes, as the server claims. */
  readonly size: number | undefined;
  /** The list item as received. */
  readonly raw: JsonObject;
}

export interface TemplateItem extends Omit<ResourceItem, 'uri' | 'size'> {
  /** RFC 6570. */
  readonly uriTemplate: string;
}

/** One part of what was read. Exactly one of text and blob (base64) is there; both may be empty. */
export interface ResourceContent {
  readonly uri: string;
  readonly mimeType: string | undefined;
  readonly text: string | undefined;
  readonly blob: string | undefined;
}

export interface ResourceRead {
  readonly contents: readonly ResourceContent[];
  /** The result as received. */
  readonly raw: JsonValue;
}

/** All resources; those of graphical apps (`ui://`) are left out: a text host cannot show them. */
export async function listResources(ask: Ask): Promise<ItemList<ResourceItem>> {
  const list = await readPages(ask, {
    method: 'resources/list',
    key: 'resources',
    adapt: adaptResource,
    idOf: ({ uri }) => uri,
  });
  return { ...list, items: list.items.filter((item) => !isForApps(item)) };
}

export function listTemplates(ask: Ask): Promise<ItemList<TemplateItem>> {
  return readPages(ask, {
    method: 'resources/templates/list',
    key: 'resourceTemplates',
    adapt: adaptTemplate,
    idOf: ({ uriTemplate }) => uriTemplate,
  });
}

/** Reads one resource. Rejects as `ask` does; an answer in no known shape is shown as JSON. */
export async function readResource(ask: Ask, uri: string): Promise<ResourceRead> {
  const raw = await ask('resources/read', { uri });
  const given = isJsonObject(raw) ? (raw['contents'] ?? null) : raw;
  const contents = Array.isArray(given) ? given : given === null ? [] : [given];
  return { contents: contents.map((content) => adaptContent(content, uri)), raw };
}

function adaptResource(item: JsonValue): ResourceItem | DroppedItem {
  if (!isJsonObject(item)) return { name: '(no uri)', problem: 'is not an object' };
  const uri = textOf(item['uri']);
  if (uri === undefined || uri === '') {
    return { name: textOf(item['name']) ?? '(no uri)', problem: 'has no uri' };
  }
  const tooLong = longName('its uri', uri, MAX_URI);
  if (tooLong !== undefined) return tooLong;
  const size = item['size'];
  const isSize = typeof size === 'number' && size >= 0;
  return { uri, size: isSize ? size : undefined, ...describe(item) };
}

function adaptTemplate(item: JsonValue): TemplateItem | DroppedItem {
  if (!isJsonObject(item)) return { name: '(no uriTemplate)', problem: 'is not an object' };
  const uriTemplate = textOf(item['uriTemplate']);
  if (uriTemplate === undefined || uriTemplate === '') {
    return { name: textOf(item['name']) ?? '(no uriTemplate)', problem: 'has no uriTemplate' };
  }
  const tooLong = longName('its uriTemplate', uriTemplate, MAX_URI);
  if (tooLong !== undefined) return tooLong;
  return { uriTemplate, ...describe(item) };
}

function describe(item: JsonObject) {
  return {
    name: textOf(item['name']),
    title: textOf(item['title']),
    description: textOf(item['description']),
    mimeType: textOf(item['mimeType']),
    raw: item,
  };
}

function adaptContent(content: JsonValue, asked: string): ResourceContent {
  if (!isJsonObject(content)) {
    return { uri: asked, mimeType: undefined, text: jsonOf(content), blob: undefined };
  }
  const blob = textOf(content['blob']);
  return {
    uri: textOf(content['uri']) ?? asked,
    mimeType: textOf(content['mimeType']),
    text: blob === undefined ? jsonOf(content['text'] ?? '') : undefined,
    blob,
  };
}

/** Source: MCP Apps extension. */
function isForApps({ uri, mimeType }: ResourceItem): boolean {
  return /^ui:/i.test(uri) || /;\s*profile=mcp-app\b/i.test(mimeType ?? '');
}

function jsonOf(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
