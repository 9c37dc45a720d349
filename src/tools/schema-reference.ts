/** `$schema` dialects and local `$ref`. A reference to elsewhere is never fetched. */
import { isJsonObject, type JsonValue } from '../base/json.ts';

const DIALECT =
  /^https?:\/\/json-schema\.org\/(?:draft-0[4-7]|draft\/2019-09|draft\/2020-12)\/schema#?$/;
const OLD_DIALECT = /\/draft-0[4-7]\//;

/** True for an absent `$schema` and for draft-04 to draft-07, 2019-09, 2020-12. */
export function isKnownDialect(dialect: JsonValue | undefined): boolean {
  return dialect === undefined || (typeof dialect === 'string' && DIALECT.test(dialect));
}

/** Up to draft-07 everything beside `$ref` is ignored. */
export function ignoresSiblingsOfRef(dialect: JsonValue | undefined): boolean {
  return typeof dialect === 'string' && OLD_DIALECT.test(dialect);
}

/** The schema a local reference (`#`, `#/$defs/x`) points to; `undefined` for any other or a dangling one. */
export function followPointer(root: JsonValue, reference: string): JsonValue | undefined {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  let target: JsonValue | undefined = root;
  for (const part of reference.slice(2).split('/')) {
    const name = unescapePart(part);
    if (Array.isArray(target)) target = target[Number(name)];
    else if (isJsonObject(target) && Object.hasOwn(target, name)) target = target[name];
    else return undefined;
  }
  return target;
}

function unescapePart(part: string): string {
  const plain = part.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(plain);
  } catch (error) {
    // A lone percent sign is no escape; the name is meant as it stands.
    if (error instanceof URIError) return plain;
    throw error;
  }
}
