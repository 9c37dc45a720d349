/** How a field of a form is shown, and how what is typed becomes its value. Pure. */
import { assertNever } from '../base/errors.ts';
import type { JsonValue } from '../base/json.ts';
import type { Choice, FieldKind, FormField } from '../mcp/handlers/form.ts';
import { ourLines, quoteInline, quoteLines } from './quote.ts';

const MAX_NAME = 80;
const MAX_SHOWN_CHOICES = 30;
const MAX_SHOWN_VALUE = 60;

/** Heading, description and choices, at most `columns` wide. */
export function describeField(
  field: FormField,
  position: string,
  columns: number,
  strong: (text: string) => string,
): readonly string[] {
  const { name, title, description, isRequired, type } = field;
  const label = quoteInline(title ?? name, MAX_NAME);
  const named = title === undefined ? '' : `${quoteInline(name, MAX_NAME)}: `;
  const facts = [kindText(type), isRequired ? 'required' : 'optional'].join(', ');
  return [
    ...ourLines(`${position} ${strong(label)} (${named}${facts})`, columns, '', '  '),
    ...quoteLines(description ?? '', columns),
    ...choiceLines(type, columns),
  ];
}

/** A value on one line. */
export function showValue(field: FormField, value: JsonValue, maxCharacters = MAX_SHOWN_VALUE) {
  switch (field.type.kind) {
    case 'boolean':
      return value === true ? 'yes' : 'no';
    case 'choices':
      return quoteInline(Array.isArray(value) ? value.join(', ') : String(value), maxCharacters);
    default:
      return quoteInline(String(value), maxCharacters);
  }
}

export interface ReadValue {
  readonly value: JsonValue;
  /** Why the text is no value at all. */
  readonly problem: string | undefined;
}

/** `text` is trimmed and not empty. Whether the value fits the field is checked elsewhere. */
export function readField({ type }: FormField, text: string): ReadValue {
  switch (type.kind) {
    case 'text':
      return { value: text === '""' ? '' : text, problem: undefined };
    case 'number':
      return readNumber(type.isInteger, text);
    case 'boolean':
      return readBoolean(text);
    case 'choice': {
      const value = findChoice(type.choices, text);
      return value === undefined
        ? { value: text, problem: `expected a number from 1 to ${type.choices.length}, or a value` }
        : { value, problem: undefined };
    }
    case 'choices':
      return readChoices(type.choices, text);
    default:
      return assertNever(type);
  }
}

function kindText(type: FieldKind): string {
  switch (type.kind) {
    case 'text':
      return [type.format === undefined ? 'text' : quoteInline(type.format, 40), lengthText(type)]
        .filter(Boolean)
        .join(', ');
    case 'number': {
      const range = rangeText(type.minimum, type.maximum);
      return [type.isInteger ? 'whole number' : 'number', range].filter(Boolean).join(' ');
    }
    case 'boolean':
      return 'yes or no';
    case 'choice':
      return 'one of these';
    case 'choices': {
      const range = rangeText(type.minItems, type.maxItems);
      return ['any of these', range].filter(Boolean).join(', ');
    }
    default:
      return assertNever(type);
  }
}

function lengthText({ minLength, maxLength }: Extract<FieldKind, { kind: 'text' }>): string {
  const range = rangeText(minLength, maxLength);
  return range === '' ? '' : `${range} characters`;
}

function rangeText(low: number | undefined, high: number | undefined): string {
  if (low !== undefined && high !== undefined) return `${low} to ${high}`;
  if (low !== undefined) return `at least ${low}`;
  return high === undefined ? '' : `at most ${high}`;
}

function choiceLines(type: FieldKind, columns: number): readonly string[] {
  if (type.kind !== 'choice' && type.kind !== 'choices') return [];
  const { choices } = type;
  const lines = choices.slice(0, MAX_SHOWN_CHOICES).flatMap(({ value, title }, index) => {
    const both = title === value ? value : `${title} (${value})`;
    return ourLines(`${index + 1}. ${quoteInline(both, 120)}`, columns, '    ');
  });
  const left = choices.length - MAX_SHOWN_CHOICES;
  return [
    ...lines,
    ...(left > 0 ? [`    … ${left} more`] : []),
    ...(type.kind === 'choices'
      ? ourLines('numbers or values, separated by commas', columns, '    ')
      : []),
  ];
}

function readNumber(isInteger: boolean, text: string): ReadValue {
  const isNumber = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(text);
  const value = Number(text);
  const problem = isInteger ? 'expected a whole number' : 'expected a number, such as 3.14';
  return isNumber && Number.isFinite(value)
    ? { value, problem: undefined }
    : { value: text, problem };
}

const YES = new Set(['y', 'yes', 'true', '1']);
const NO = new Set(['n', 'no', 'false', '0']);

function readBoolean(text: string): ReadValue {
  const word = text.toLowerCase();
  if (YES.has(word)) return { value: true, problem: undefined };
  return { value: false, problem: NO.has(word) ? undefined : 'expected yes or no' };
}

/** A value, a title, or a number of the list; what is spelled exactly goes first. */
function findChoice(choices: readonly Choice[], text: string): string | undefined {
  const lower = text.toLowerCase();
  const found =
    choices.find(({ value }) => value === text) ??
    choices.find(({ title }) => title === text) ??
    choices.find(
      ({ value, title }) => value.toLowerCase() === lower || title.toLowerCase() === lower,
    );
  return found?.value ?? (/^\d+$/.test(text) ? choices[Number(text) - 1]?.value : undefined);
}

function readChoices(choices: readonly Choice[], text: string): ReadValue {
  const words = text.split(',').map((word) => word.trim());
  const values: string[] = [];
  for (const word of words.filter((one) => one !== '')) {
    const value = findChoice(choices, word);
    if (value === undefined) {
      return { value: text, problem: `"${quoteInline(word, 40)}" is none of the choices` };
    }
    if (!values.includes(value)) values.push(value);
  }
  return { value: values, problem: undefined };
}
