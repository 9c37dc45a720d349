/** Dotted keys: `a.b` is a path unless the schema has a property of exactly that name. */
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';

/** The schema of what a key names; undefined where there is no such property. */
export function propertyAt(schema: JsonObject, key: string): JsonValue | undefined {
  let current: JsonValue | undefined = schema;
  for (const name of pathOf(schema, key)) {
    const properties: JsonValue | undefined = isJsonObject(current)
      ? current['properties']
      : undefined;
    if (!isJsonObject(properties) || !Object.hasOwn(properties, name)) return undefined;
    current = properties[name];
  }
  return current;
}

/** A copy of `args` with the value at the key. */
export function setPath(
  schema: JsonObject,
  args: JsonObject,
  key: string,
  value: JsonValue,
): JsonObject {
  return setIn(args, pathOf(schema, key), value);
}

function setIn(
  target: JsonObject,
  [name = '', ...rest]: readonly string[],
  value: JsonValue,
): JsonObject {
  if (name === '__proto__') return target;
  if (rest.length === 0) return { ...target, [name]: value };
  const inner = Object.hasOwn(target, name) ? target[name] : undefined;
  return { ...target, [name]: setIn(isJsonObject(inner) ? inner : {}, rest, value) };
}

function pathOf(schema: JsonObject, key: string): readonly string[] {
  const { properties } = schema;
  const isWhole = isJsonObject(properties) && Object.hasOwn(properties, key);
  const path = isWhole ? [key] : key.split('.');
  return path.includes('') ? [key] : path;
}
