/**
 * Reads the schema of a form elicitation: a flat object of primitives. Lenient on what servers leave
 * out; what cannot be asked is named. Source: MCP 2025-11-25, client features, elicitation.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';

export interface Choice {
  readonly value: string;
  /** As people read it; the value where the server gives none. */
  readonly title: string;
}

export type FieldKind =
  | {
      readonly kind: 'text';
      /** `email`, `uri`, `date`, `date-time`, or anything a server makes up. */
      readonly format: string | undefined;
      readonly minLength: number | undefined;
      readonly maxLength: number | undefined;
    }
  | {
      readonly kind: 'number';
      readonly isInteger: boolean;
      readonly minimum: number | undefined;
      readonly maximum: number | undefined;
    }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'choice'; readonly choices: readonly Choice[] }
  | {
      readonly kind: 'choices';
      readonly choices: readonly Choice[];
      readonly minItems: number | undefined;
      readonly maxItems: number | undefined;
    };

/** One question of a form. All texts are the server's, raw. */
export interface FormField {
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly isRequired: boolean;
  /** As the schema has it, checked by nobody yet. */
  readonly default: JsonValue | undefined;
  readonly type: FieldKind;
}

export interface Form {
  readonly fields: readonly FormField[];
  /** Fields that cannot be asked, with the reason; none of them is required. */
  readonly leftOut: readonly string[];
}

/** More questions than that are no form. */
const MAX_FIELDS = 100;
const MAX_CHOICES = 1000;

/** The form, or why there is none. */
export function readForm(schema: JsonValue | undefined): Form | string {
  if (!isJsonObject(schema)) return 'requestedSchema is no object';
  const { properties = {}, required } = schema;
  if (!isJsonObject(properties)) return 'requestedSchema.properties is no object';
  const entries = Object.entries(properties);
  if (entries.length > MAX_FIELDS) return `requestedSchema has more than ${MAX_FIELDS} fields`;
  const names = new Set(Array.isArray(required) ? required : []);
  const fields: FormField[] = [];
  const leftOut: string[] = [];
  for (const [name, property] of entries) {
    const type = isJsonObject(property) ? readKind(property) : 'its schema is no object';
    const isRequired = names.has(name);
    if (typeof type !== 'string' && isJsonObject(property)) {
      fields.push({ name, ...readTexts(property), isRequired, type });
    } else if (isRequired) return `requestedSchema.properties.${name}: ${String(type)}`;
    else leftOut.push(`${name}: ${String(type)}`);
  }
  for (const name of names) {
    if (typeof name === 'string' && !Object.hasOwn(properties, name))
      return `no field "${name}" to require`;
  }
  return { fields, leftOut };
}

function readTexts(property: JsonObject) {
  const { title, description } = property;
  return {
    title: typeof title === 'string' && title.trim() !== '' ? title : undefined,
    description:
      typeof description === 'string' && description.trim() !== '' ? description : undefined,
    default: property['default'],
  };
}

function readKind(property: JsonObject): FieldKind | string {
  const choices = readChoices(property);
  if (choices !== undefined) return choices.length === 0 ? NO_CHOICES : { kind: 'choice', choices };
  const type = typeOf(property);
  switch (type) {
    case 'string':
      return {
        kind: 'text',
        format: typeof property['format'] === 'string' ? property['format'] : undefined,
        minLength: numberOf(property['minLength']),
        maxLength: numberOf(property['maxLength']),
      };
    case 'number':
    case 'integer':
      return {
        kind: 'number',
        isInteger: type === 'integer',
        minimum: numberOf(property['minimum']),
        maximum: numberOf(property['maximum']),
      };
    case 'boolean':
      return { kind: 'boolean' };
    case 'array':
      return readChoicesKind(property);
    default:
      return `a form has no fields of type ${type ?? 'unknown'}`;
  }
}

const NO_CHOICES = 'it offers nothing to choose from';

function readChoicesKind(property: JsonObject): FieldKind | string {
  const { items } = property;
  const choices = isJsonObject(items) ? readChoices(items) : undefined;
  if (choices === undefined) return 'a form has only lists of given choices';
  if (choices.length === 0) return NO_CHOICES;
  return {
    kind: 'choices',
    choices,
    minItems: numberOf(property['minItems']),
    maxItems: numberOf(property['maxItems']),
  };
}

/** `enum`, `enum` with `enumNames`, or `oneOf`/`anyOf` of `const` and `title`. `undefined`: no choice at all. */
function readChoices(schema: JsonObject): readonly Choice[] | undefined {
  const titled = schema['oneOf'] ?? schema['anyOf'];
  if (Array.isArray(titled)) {
    const list: readonly JsonValue[] = titled;
    return list.slice(0, MAX_CHOICES).flatMap((one) => {
      if (!isJsonObject(one) || typeof one['const'] !== 'string') return [];
      const { title } = one;
      return [{ value: one['const'], title: typeof title === 'string' ? title : one['const'] }];
    });
  }
  const values = schema['enum'];
  if (!Array.isArray(values)) return undefined;
  const list: readonly JsonValue[] = values;
  const names = schema['enumNames'];
  return list.slice(0, MAX_CHOICES).flatMap((value, index) => {
    const name = Array.isArray(names) ? names[index] : undefined;
    if (typeof value !== 'string') return [];
    return [{ value, title: typeof name === 'string' ? name : value }];
  });
}

/** Of a list of types the first that is not `null`. */
function typeOf({ type }: JsonObject): string | undefined {
  const one = Array.isArray(type) ? type.find((name) => name !== 'null') : type;
  return typeof one === 'string' ? one : undefined;
}

function numberOf(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
