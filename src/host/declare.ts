/** What the model is told of a tool: its public name, a bounded clean description, its schema with clean texts. */
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { shorten } from '../base/text.ts';
import type { ModelTool } from '../model/types.ts';
import { sanitizeText } from '../results/sanitize.ts';
import type { RegisteredTool, RegistrySnapshot } from '../tools/types.ts';

/** Longest tool description, characters (facts 1.6). */
const MAX_DESCRIPTION = 2048;
/** Values, not texts: they go back to the server as they are. */
const VALUE_KEYWORDS = new Set(['const', 'default', 'enum', 'examples']);
/** Deeper text of a schema goes as it is: provider-schema.ts cuts it off. */
const MAX_DEPTH = 16;

const declared = new WeakMap<RegisteredTool, ModelTool>();

/** The declarations of all exposed tools, each built once. */
export function declareTools(snapshot: RegistrySnapshot): readonly ModelTool[] {
  return snapshot.tools.map((tool) => {
    const known = declared.get(tool);
    if (known !== undefined) return known;
    const { title, description, inputSchema } = tool.definition;
    const text = sanitizeText(description ?? title ?? '');
    const declaration: ModelTool = {
      name: tool.publicName,
      description: shorten(text, MAX_DESCRIPTION),
      inputSchema: cleanTexts(inputSchema, 0),
    };
    declared.set(tool, declaration);
    return declaration;
  });
}

/** The schema with hidden characters taken out of `description` and `title`; names and values stay as they are. */
function cleanTexts(schema: JsonObject, depth: number): JsonObject {
  if (depth > MAX_DEPTH) return schema;
  const clean: Record<string, JsonValue | undefined> = {};
  for (const [key, value] of Object.entries(schema)) {
    const isText = (key === 'description' || key === 'title') && typeof value === 'string';
    if (VALUE_KEYWORDS.has(key)) clean[key] = value;
    else clean[key] = isText ? sanitizeText(value) : cleanValue(value, depth + 1);
  }
  return clean;
}

function cleanValue(value: JsonValue | undefined, depth: number): JsonValue | undefined {
  if (isJsonObject(value)) return cleanTexts(value, depth);
  if (!Array.isArray(value)) return value;
  return value.map((item: JsonValue) => (isJsonObject(item) ? cleanTexts(item, depth) : item));
}
