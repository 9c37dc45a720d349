/** Finds binary data declared anywhere in a JSON Schema. Bounded; recursion-safe. */
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';

const MAX_NODES = 50_000;
const BINARY_FORMATS: ReadonlySet<string> = new Set(['binary', 'byte']);
const SCHEMA_KEYS = [
  'items',
  'prefixItems',
  'additionalItems',
  'unevaluatedItems',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'anyOf',
  'oneOf',
  'allOf',
  'if',
  'then',
  'else',
  'contentSchema',
] as const;
const MAP_KEYS = [
  'properties',
  'patternProperties',
  'dependentSchemas',
  'dependencies',
  '$defs',
  'definitions',
] as const;
/** Types under `application/` that are text. */
const TEXT_SUBTYPE =
  /^(?:json|xml|yaml|x-yaml|toml|javascript|ecmascript|typescript|sql|graphql|x-sh|x-ndjson|jsonl|jsonlines|x-www-form-urlencoded)$|\+(?:json|xml|yaml)$/;

interface Node {
  readonly value: JsonValue | undefined;
  readonly path: string;
}

/**
 * The path of the first declaration of binary data, as `inputSchema.properties.file (format: binary)`;
 * `undefined` when there is none within the first 50,000 nodes.
 */
export function findBinary(schema: JsonValue | undefined, name: string): string | undefined {
  const seen = new Set<JsonValue>();
  const queue: Node[] = [{ value: schema, path: name }];
  for (let next = 0; next < queue.length && next < MAX_NODES; next += 1) {
    const node = queue[next];
    if (node === undefined || !isJsonObject(node.value) || seen.has(node.value)) continue;
    seen.add(node.value);
    const declared = binaryKeyword(node.value);
    if (declared !== undefined) return `${node.path} (${declared})`;
    pushChildren(queue, node.value, node.path);
  }
  return undefined;
}

function binaryKeyword(schema: JsonObject): string | undefined {
  const format = schema['format'];
  if (typeof format === 'string' && BINARY_FORMATS.has(format.toLowerCase())) {
    return `format: ${format}`;
  }
  const type = schema['type'];
  const types = Array.isArray(type) ? type : [type];
  if (types.includes('binary')) return 'type: binary';
  const encoding = schema['contentEncoding'];
  if (typeof encoding === 'string' && /^base64(?:url)?$/i.test(encoding)) {
    return `contentEncoding: ${encoding}`;
  }
  const media = schema['contentMediaType'];
  if (typeof media === 'string' && !isTextMedia(media)) return `contentMediaType: ${media}`;
  return undefined;
}

function isTextMedia(media: string): boolean {
  const [essence = ''] = media.toLowerCase().split(';');
  const [type, subtype = ''] = essence.trim().split('/');
  return type === 'text' || (type === 'application' && TEXT_SUBTYPE.test(subtype));
}

function pushChildren(queue: Node[], schema: JsonObject, path: string): void {
  for (const key of SCHEMA_KEYS) {
    const child = schema[key];
    if (Array.isArray(child)) {
      child.forEach((value, index) => {
        queue.push({ value, path: `${path}.${key}[${index}]` });
      });
    } else if (isJsonObject(child)) queue.push({ value: child, path: `${path}.${key}` });
  }
  for (const key of MAP_KEYS) {
    const children = schema[key];
    if (!isJsonObject(children)) continue;
    for (const [name, value] of Object.entries(children)) {
      queue.push({ value, path: `${path}.${key}.${name}` });
    }
  }
}
