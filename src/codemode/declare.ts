/** A tool as a TypeScript declaration, for models that write scripts. Pure. */
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import type { RegisteredTool } from '../tools/types.ts';
import { identifier } from './catalogue.ts';

const MAX_DEPTH = 6;
const MAX_PROPERTIES = 60;
const MAX_UNION = 30;
const MAX_COMMENT = 300;
const RESULT = 'CallToolResult';

/** Description, then the declaration. `clean` makes texts of servers harmless. */
export function declareTool(tool: RegisteredTool, clean: (text: string) => string): string {
  const { description, title } = tool.definition;
  const about = clean(description ?? title ?? '').trim();
  return `${about === '' ? '' : `${about}\n\n`}${declarationOf(tool, clean)}`;
}

/** `tools.NAME(args: {…}): Promise<…>;` on as few lines as its comments allow. */
export function declarationOf(tool: RegisteredTool, clean: (text: string) => string): string {
  const { inputSchema, outputSchema } = tool.definition;
  const input = createWriter(inputSchema, clean);
  const required = inputSchema['required'];
  const optional = Array.isArray(required) && required.length > 0 ? '' : '?';
  const args = input.write(inputSchema, 0);
  const result =
    outputSchema === undefined ? RESULT : createWriter(outputSchema, clean).write(outputSchema, 0);
  return `${accessOf(tool.publicName)}(args${optional}: ${args}): Promise<${result}>;`;
}

/** As a script spells it. */
export function accessOf(publicName: string): string {
  return identifier(publicName) === publicName
    ? `tools.${publicName}`
    : `tools[${JSON.stringify(publicName)}]`;
}

function createWriter(root: JsonObject, clean: (text: string) => string) {
  const open = new Set<string>();

  const write = (schema: JsonValue | undefined, depth: number): string => {
    if (schema === false) return 'never';
    if (!isJsonObject(schema) || depth > MAX_DEPTH) return 'unknown';
    const reference = schema['$ref'];
    if (typeof reference === 'string') return follow(reference, depth);
    if (Object.hasOwn(schema, 'const')) return literal(schema['const']);
    const { enum: values } = schema;
    if (Array.isArray(values)) return union(values.slice(0, MAX_UNION).map(literal), values.length);
    for (const key of ['anyOf', 'oneOf']) {
      const choices = schema[key];
      if (Array.isArray(choices) && !isJsonObject(schema['properties'])) {
        const written = choices.slice(0, MAX_UNION).map((one) => write(one, depth + 1));
        return union(written, choices.length);
      }
    }
    const { type } = schema;
    if (Array.isArray(type)) {
      return union(
        type.map((one) => write({ ...schema, type: one }, depth)),
        type.length,
      );
    }
    return ofType(type, schema, depth);
  };

  const ofType = (type: JsonValue | undefined, schema: JsonObject, depth: number): string => {
    switch (type) {
      case 'string':
      case 'boolean':
      case 'null':
        return type;
      case 'number':
      case 'integer':
        return 'number';
      case 'array': {
        const items = write(schema['items'], depth + 1);
        return / [|&] /.test(items) ? `(${items})[]` : `${items}[]`;
      }
      default:
        return type === 'object' || isJsonObject(schema['properties'])
          ? objectType(schema, depth)
          : 'unknown';
    }
  };

  const objectType = (schema: JsonObject, depth: number): string => {
    const properties = schema['properties'];
    const entries = isJsonObject(properties) ? Object.entries(properties) : [];
    const extra = schema['additionalProperties'];
    if (entries.length === 0) {
      return isJsonObject(extra) ? `Record<string, ${write(extra, depth + 1)}>` : '{}';
    }
    const required = schema['required'];
    const parts = entries.slice(0, MAX_PROPERTIES).map(([name, part]) => {
      const mark = Array.isArray(required) && required.includes(name) ? '' : '?';
      return `${comment(part)}${keyOf(name)}${mark}: ${write(part, depth + 1)}`;
    });
    const more = entries.length > MAX_PROPERTIES ? '; /* … */' : '';
    return `{ ${parts.join('; ')}${more} }`;
  };

  /** A local reference; one that leads back into itself is left open. */
  const follow = (reference: string, depth: number): string => {
    if (!reference.startsWith('#/') || open.has(reference)) return 'unknown';
    let target: JsonValue | undefined = root;
    for (const step of reference.slice(2).split('/')) {
      const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
      target = isJsonObject(target) && Object.hasOwn(target, key) ? target[key] : undefined;
    }
    open.add(reference);
    const written = write(target, depth + 1);
    open.delete(reference);
    return written;
  };

  const comment = (schema: JsonValue | undefined): string => {
    const text = isJsonObject(schema) ? schema['description'] : undefined;
    if (typeof text !== 'string' || text.trim() === '') return '';
    const line = clean(text).replace(/\s+/g, ' ').replaceAll('*/', '* /').trim();
    const shown = line.length <= MAX_COMMENT ? line : `${line.slice(0, MAX_COMMENT - 1)}…`;
    return `/** ${shown} */ `;
  };

  return { write };
}

function literal(value: JsonValue | undefined): string {
  return JSON.stringify(value) ?? 'unknown';
}

function union(parts: readonly string[], whole: number): string {
  const all = [...new Set(parts), ...(whole > parts.length ? ['unknown'] : [])];
  return all.length === 0 ? 'never' : all.join(' | ');
}

function keyOf(name: string): string {
  return /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(name) ? name : JSON.stringify(name);
}
