/** What of a tool a search looks at: fields, their weights, and the words in them. Pure. */
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { glossaryWords } from './search-glossary.ts';
import { wordsOf } from './search-words.ts';
import type { RegisteredTool } from './types.ts';

/** A field's share in the weight of a word, and how much a long text thins it. */
interface Field {
  readonly weight: number;
  /** 0: length does not matter; 1: twice the usual length halves the weight. */
  readonly thinning: number;
  /** Words that such a field usually has. Fixed, so that a document never depends on others. */
  readonly usual: number;
}

const FIELDS = {
  name: { weight: 2.6, thinning: 0.3, usual: 3 },
  title: { weight: 2, thinning: 0.4, usual: 4 },
  lead: { weight: 1.9, thinning: 0.5, usual: 9 },
  description: { weight: 0.7, thinning: 0.6, usual: 30 },
  parameter: { weight: 0.7, thinning: 0.5, usual: 5 },
  parameterText: { weight: 0.3, thinning: 0.6, usual: 25 },
  server: { weight: 1.6, thinning: 0.2, usual: 2 },
  serverText: { weight: 0.35, thinning: 0.5, usual: 30 },
} as const satisfies Readonly<Record<string, Field>>;

/** Most properties that are read, nested ones included. */
const MAX_PROPERTIES = 200;
const MAX_DEPTH = 3;

export interface SearchDocument {
  /** Weight of each word over all fields. */
  readonly weights: ReadonlyMap<string, number>;
  /** The words of the tool's own name, each once. */
  readonly nameWords: readonly string[];
}

/** `serverText`: what is known of the server, its description or instructions. */
export function documentOf(tool: RegisteredTool, serverText: string | undefined): SearchDocument {
  const weights = new Map<string, number>();
  const add = (field: Field, text: string, words = searchWords(text)) => {
    const thinned = 1 - field.thinning + (field.thinning * words.length) / field.usual;
    const each = field.weight / Math.max(thinned, 0.5);
    for (const word of words) weights.set(word, (weights.get(word) ?? 0) + each);
  };
  const { definition } = tool;
  add(FIELDS.name, tool.name);
  add(FIELDS.title, definition.title ?? definition.annotations.title ?? '');
  const { lead, rest } = splitLead(definition.description ?? '');
  add(FIELDS.lead, lead);
  add(FIELDS.description, rest);
  const properties = propertiesOf(definition.inputSchema);
  add(FIELDS.parameter, properties.map(({ name }) => name).join(' '));
  add(FIELDS.parameterText, properties.map(({ text }) => text).join(' '));
  add(FIELDS.server, tool.server, keptWords(tool.server));
  add(FIELDS.serverText, serverText ?? '', keptWords(serverText ?? ''));
  return { weights, nameWords: [...new Set(wordsOf(tool.name))] };
}

function searchWords(text: string): readonly string[] {
  const translated = glossaryWords(text);
  return translated.length === 0 ? wordsOf(text) : [...wordsOf(text), ...translated];
}

const kept = new Map<string, readonly string[]>();
const MAX_KEPT = 1000;

/** Of a text that many tools share. */
function keptWords(text: string): readonly string[] {
  let words = kept.get(text);
  if (words === undefined) {
    words = searchWords(text);
    if (kept.size >= MAX_KEPT) kept.clear();
    kept.set(text, words);
  }
  return words;
}

/** The first sentence says what a tool does, the others how. */
function splitLead(description: string): { readonly lead: string; readonly rest: string } {
  const text = description.trim();
  const end = /[.!?](?=\s)|[。！？]|\n/u.exec(text);
  if (end === null) return { lead: text, rest: '' };
  return { lead: text.slice(0, end.index), rest: text.slice(end.index + 1) };
}

interface PropertyText {
  readonly name: string;
  readonly text: string;
}

function propertiesOf(schema: JsonObject): readonly PropertyText[] {
  const found: PropertyText[] = [];
  const visit = (part: JsonValue | undefined, depth: number): void => {
    if (!isJsonObject(part) || depth > MAX_DEPTH) return;
    const properties = part['properties'];
    for (const [name, property] of isJsonObject(properties) ? Object.entries(properties) : []) {
      if (found.length >= MAX_PROPERTIES) return;
      found.push({ name, text: textOf(property) });
      visit(property, depth + 1);
    }
    visit(part['items'], depth + 1);
  };
  visit(schema, 0);
  return found;
}

function textOf(property: JsonValue | undefined): string {
  if (!isJsonObject(property)) return '';
  const { description, enum: choices } = property;
  const named = Array.isArray(choices) ? choices.filter((one) => typeof one === 'string') : [];
  return [typeof description === 'string' ? description : '', ...named].join(' ');
}
