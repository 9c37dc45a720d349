/** Looks into a valibot schema: which keys it knows at a place, and which values can never fit their place. */
import * as v from 'valibot';
import { type PathItem, valueAt } from './problem.ts';
import { PlainScalar } from './schema/atoms.ts';

export type AnySchema = v.GenericSchema<unknown, unknown>;

/** The keys a schema knows at `path`; of a variant those of the chosen option, else of all. */
export function keysAt(
  schema: AnySchema,
  path: readonly PathItem[],
  value: unknown,
): readonly string[] {
  const inner = unwrap(schema);
  const [item, ...rest] = path;
  if (isVariant(inner)) {
    const options = inner.options.filter((option) => v.safeParse(option, value).success);
    const chosen =
      options.length > 0 ? options : inner.options.filter((option) => hasType(option, value));
    return (chosen.length > 0 ? chosen : inner.options).flatMap((option) =>
      keysAt(option, path, value),
    );
  }
  if (hasEntries(inner)) {
    if (item === undefined) return Object.keys(inner.entries);
    const entry = inner.entries[String(item)];
    return entry === undefined ? [] : keysAt(entry, rest, valueAt(value, [item]));
  }
  if (item === undefined) return [];
  const child = 'item' in inner ? inner.item : 'value' in inner ? inner.value : undefined;
  return isSchema(child) ? keysAt(child, rest, valueAt(value, [item])) : [];
}

function unwrap(schema: AnySchema): AnySchema {
  if ('wrapped' in schema && isSchema(schema.wrapped)) return unwrap(schema.wrapped);
  if ('pipe' in schema && Array.isArray(schema.pipe)) {
    const first: unknown = schema.pipe[0];
    if (isSchema(first) && first !== schema) return unwrap(first);
  }
  return schema;
}

function hasType(option: AnySchema, value: unknown): boolean {
  const type = valueAt(value, ['type']);
  if (!hasEntries(option)) return false;
  const literal = option.entries['type'];
  return literal !== undefined && v.is(literal, type);
}

function isSchema(value: unknown): value is AnySchema {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'schema';
}

function hasEntries(
  schema: AnySchema,
): schema is AnySchema & { readonly entries: Readonly<Record<string, AnySchema | undefined>> } {
  return 'entries' in schema && schema.type === 'strict_object';
}

function isVariant(
  schema: AnySchema,
): schema is AnySchema & { readonly options: readonly AnySchema[] } {
  return schema.type === 'variant' && 'options' in schema && Array.isArray(schema.options);
}

/**
 * The value with everything that stands where a mapping belongs, and is none, replaced by text:
 * valibot takes lists and other objects for mappings.
 */
export function withoutFalseMappings(schema: AnySchema, value: unknown): unknown {
  const inner = unwrap(schema);
  if (inner.type === 'array' && Array.isArray(value)) {
    const item = 'item' in inner ? inner.item : undefined;
    return isSchema(item) ? value.map((child) => withoutFalseMappings(item, child)) : value;
  }
  if (!MAPPING_TYPES.has(inner.type) || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value) || value instanceof PlainScalar) return '';
  const shared = 'value' in inner ? inner.value : undefined;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]: [string, unknown]) => {
      const schemaOfKey = hasEntries(inner) ? inner.entries[key] : shared;
      return [key, isSchema(schemaOfKey) ? withoutFalseMappings(schemaOfKey, child) : child];
    }),
  );
}

const MAPPING_TYPES: ReadonlySet<string> = new Set(['strict_object', 'record', 'variant']);
