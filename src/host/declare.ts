/** What the model is told of a tool: its public name, a bounded clean description, its schema with clean texts. */
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { scrubSecrets } from '../base/redact.ts';
import { shorten } from '../base/text.ts';
import type { ModelTool } from '../model/types.ts';
import { sanitizeText } from '../results/sanitize.ts';
import type { RegisteredTool, RegistrySnapshot } from '../tools/types.ts';

/** Longest tool description, characters (facts 1.6). */
const MAX_DESCRIPTION = 2048;
/** Values, not texts: they go back to the server as they are. */
const VALUE_KEYWORDS = new Set(['const', 'default', 'enum', 'examples']);
/** Their keys are names of the server's choice, their values schemas. */
const NAMED_SCHEMAS = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);

const declared = new WeakMap<RegisteredTool, ModelTool>();

/** The declarations of all exposed tools, each built once. */
export function declareTools(snapshot: RegistrySnapshot): readonly ModelTool[] {
  return snapshot.tools.map((tool) => {
    const known = declared.get(tool);
    if (known !== undefined) return known;
    const { title, description, inputSchema } = tool.definition;
    const declaration: ModelTool = {
      name: tool.publicName,
      description: shorten(cleanText(description ?? title ?? ''), MAX_DESCRIPTION),
      inputSchema: cleanSchema(inputSchema),
    };
    declared.set(tool, declaration);
    return declaration;
  });
}

/**
 * The schema without hidden characters and secrets in `description` and `title`; names and values stay as
 * they are. Definitions are bounded in depth where they are adapted.
 */
function cleanSchema(schema: JsonObject): JsonObject {
  const clean: Record<string, JsonValue | undefined> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (VALUE_KEYWORDS.has(key)) clean[key] = value;
    else if (NAMED_SCHEMAS.has(key) && isJsonObject(value)) clean[key] = cleanEach(value);
    else if ((key === 'description' || key === 'title') && typeof value === 'string') {
      clean[key] = cleanText(value);
    } else clean[key] = cleanPart(value);
  }
  return clean;
}

function cleanEach(schemas: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, part]) => [name, cleanPart(part)]));
}

function cleanPart(value: JsonValue | undefined): JsonValue | undefined {
  if (isJsonObject(value)) return cleanSchema(value);
  return Array.isArray(value) ? value.map((item: JsonValue) => cleanPart(item) ?? null) : value;
}

function cleanText(text: string): string {
  return scrubSecrets(sanitizeText(text));
}
