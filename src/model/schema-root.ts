/**
 * Folds combinators at the root of a tool's schema into one object, which is all that most providers
 * take there. The result accepts everything the original accepts.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';

/**
 * Union of all properties; `required` = those of every branch for anyOf and oneOf, of any for allOf. A
 * property declared differently in two branches becomes an anyOf. `not`, `enum`, `const` at the root go.
 */
export function foldRoot(schema: JsonObject): JsonObject {
  const { anyOf, oneOf, allOf, not: _not, enum: _enum, const: _const, ...base } = schema;
  let folded: JsonObject = { ...base, type: 'object' };
  for (const branch of branchesOf(allOf)) folded = join(folded, foldRoot(branch), 'all');
  for (const alternatives of [branchesOf(anyOf), branchesOf(oneOf)]) {
    const [first, ...others] = alternatives.map(foldRoot);
    if (first === undefined) continue;
    const either = others.reduce((sum, branch) => join(sum, branch, 'either'), first);
    folded = join(folded, either, 'all');
  }
  return folded;
}

function branchesOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function join(left: JsonObject, right: JsonObject, how: 'all' | 'either'): JsonObject {
  const required =
    how === 'all'
      ? new Set([...namesOf(left), ...namesOf(right)])
      : new Set(namesOf(left)).intersection(new Set(namesOf(right)));
  const { required: _left, additionalProperties: leftOpen, ...leftRest } = left;
  const { required: _right, additionalProperties: rightOpen, ...rightRest } = right;
  // A branch that forbids further properties would forbid those of its siblings.
  const open = leftOpen === false || rightOpen === false ? undefined : (leftOpen ?? rightOpen);
  return {
    ...rightRest,
    ...leftRest,
    properties: joinProperties(propertiesOf(left), propertiesOf(right), how),
    ...(required.size === 0 ? {} : { required: [...required] }),
    ...(open === undefined ? {} : { additionalProperties: open }),
  };
}

function joinProperties(left: JsonObject, right: JsonObject, how: 'all' | 'either'): JsonObject {
  const joined = new Map(Object.entries(left));
  for (const [name, schema] of Object.entries(right)) {
    const known = joined.get(name);
    const isSame = known === undefined || JSON.stringify(known) === JSON.stringify(schema);
    if (isSame) joined.set(name, schema);
    else
      joined.set(name, how === 'all' ? moreDetailed(known, schema) : alternatives(known, schema));
  }
  return Object.fromEntries(joined);
}

/** Both hold; the copy need not say all, so the one that says more stands. */
function moreDetailed(left: JsonValue, right: JsonValue | undefined): JsonValue {
  const isLonger = JSON.stringify(right ?? null).length > JSON.stringify(left).length;
  return isLonger ? (right ?? {}) : left;
}

function alternatives(left: JsonValue, right: JsonValue | undefined): JsonValue {
  const branches = isJsonObject(left) && isUnion(left) ? branchesOf(left['anyOf']) : [left];
  return { anyOf: [...branches, right ?? {}] };
}

function isUnion(schema: JsonObject): boolean {
  return Object.keys(schema).length === 1 && schema['anyOf'] !== undefined;
}

function propertiesOf(schema: JsonObject): JsonObject {
  return isJsonObject(schema['properties']) ? schema['properties'] : {};
}

function namesOf(schema: JsonObject): readonly string[] {
  const required = schema['required'];
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}
