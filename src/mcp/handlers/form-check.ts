/** Whether an answer fits its form. Pure; formats are checked as far as a slip of the finger shows. */
import { assertNever } from '../../base/errors.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { countCharacters } from '../../base/text.ts';
import type { Choice, Form, FormField } from './form.ts';

/** What keeps the content from being sent, one sentence each; empty = it fits. */
export function formProblems(form: Form, content: JsonObject): readonly string[] {
  const known = new Set(form.fields.map(({ name }) => name));
  const strange = Object.keys(content).filter((name) => !known.has(name));
  return [
    ...strange.map((name) => `${name}: the form has no such field`),
    ...form.fields.flatMap((field) => {
      const value = answerTo(field, content);
      if (value === undefined) return field.isRequired ? [`${field.name}: it is required`] : [];
      const problem = fieldProblem(field, value);
      return problem === undefined ? [] : [`${field.name}: ${problem}`];
    }),
  ];
}

/** What the content says for a field; a field may be called `constructor`. */
export function answerTo({ name }: FormField, content: JsonObject): JsonValue | undefined {
  return Object.hasOwn(content, name) ? content[name] : undefined;
}

/** The defaults of the schema that fit it, by name. */
export function formDefaults(form: Form): JsonObject {
  return Object.fromEntries(
    form.fields.flatMap((field) => {
      const value = field.default;
      const fits = value !== undefined && fieldProblem(field, value) === undefined;
      return fits ? [[field.name, value]] : [];
    }),
  );
}

/** Why `value` is no answer to the field, to be read after its name; `undefined` = it is one. */
export function fieldProblem({ type }: FormField, value: JsonValue): string | undefined {
  switch (type.kind) {
    case 'text':
      return typeof value === 'string' ? textProblem(type, value) : 'expected text';
    case 'number':
      return typeof value === 'number' ? numberProblem(type, value) : 'expected a number';
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'expected yes or no';
    case 'choice':
      return isOffered(type.choices, value) ? undefined : 'expected one of the choices';
    case 'choices':
      return choicesProblem(type, value);
    default:
      return assertNever(type);
  }
}

type Kind<K extends FormField['type']['kind']> = Extract<FormField['type'], { kind: K }>;

function textProblem(type: Kind<'text'>, value: string): string | undefined {
  const length = countCharacters(value);
  if (length < (type.minLength ?? 0)) return `expected at least ${type.minLength} characters`;
  if (length > (type.maxLength ?? length)) return `expected at most ${type.maxLength} characters`;
  switch (type.format) {
    case 'email':
      return /^[^\s@]+@[^\s@]+$/.test(value) ? undefined : 'expected an e-mail address';
    case 'uri':
      return URL.canParse(value) ? undefined : 'expected a URI, such as https://example.com';
    case 'date':
      return isDate(value) ? undefined : 'expected a date, such as 2026-07-28';
    case 'date-time':
      return isDateTime(value) ? undefined : 'expected a time, such as 2026-07-28T09:30:00Z';
    default:
      return undefined;
  }
}

function numberProblem(type: Kind<'number'>, value: number): string | undefined {
  if (!Number.isFinite(value)) return 'expected a number';
  if (type.isInteger && !Number.isInteger(value)) return 'expected a whole number';
  if (value < (type.minimum ?? value)) return `expected at least ${type.minimum}`;
  return value > (type.maximum ?? value) ? `expected at most ${type.maximum}` : undefined;
}

function choicesProblem(type: Kind<'choices'>, value: JsonValue): string | undefined {
  if (!Array.isArray(value)) return 'expected a list';
  const list: readonly JsonValue[] = value;
  if (!list.every((item) => isOffered(type.choices, item))) return 'expected only given choices';
  if (new Set(list).size !== list.length) return 'expected each choice once';
  if (list.length < (type.minItems ?? 0)) return `expected at least ${type.minItems} of them`;
  return list.length > (type.maxItems ?? list.length)
    ? `expected at most ${type.maxItems} of them`
    : undefined;
}

function isOffered(choices: readonly Choice[], value: JsonValue): boolean {
  return choices.some((choice) => choice.value === value);
}

/** RFC 3339 full-date that exists in the calendar. */
function isDate(value: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(value)) return false;
  const date = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value);
}

/** RFC 3339 date-time. */
function isDateTime(value: string): boolean {
  const parts =
    /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2}))$/.exec(value);
  return isDate(parts?.[1] ?? '') && !Number.isNaN(Date.parse(`${parts?.[1]}T${parts?.[2]}`));
}
