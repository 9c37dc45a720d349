/** Prompts of one server, leniently read. Source: MCP 2025-11-25, prompts. */
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { longName, MAX_NAME } from './long-names.ts';
import { type Ask, type DroppedItem, type ItemList, readPages } from './pages.ts';

export interface PromptArgument {
  readonly name: string;
  readonly description: string | undefined;
  readonly required: boolean;
}

export interface PromptItem {
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly arguments: readonly PromptArgument[];
  /** The list item as received. */
  readonly raw: JsonObject;
}

export interface PromptMessage {
  /** `user` or `assistant`; anything else as received. */
  readonly role: string;
  /** Content blocks; usually one. */
  readonly content: readonly JsonValue[];
}

export interface PromptRead {
  readonly messages: readonly PromptMessage[];
  /** The result as received. */
  readonly raw: JsonValue;
}

export function listPrompts(ask: Ask): Promise<ItemList<PromptItem>> {
  return readPages(ask, {
    method: 'prompts/list',
    key: 'prompts',
    adapt: adaptPrompt,
    idOf: ({ name }) => name,
  });
}

/** Has the server fill in one prompt. Rejects as `ask` does. */
export async function getPrompt(ask: Ask, name: string, args: JsonObject): Promise<PromptRead> {
  const raw = await ask('prompts/get', { name, arguments: textValues(args) });
  const given = isJsonObject(raw) ? (raw['messages'] ?? []) : raw;
  const messages = Array.isArray(given) ? given : [given];
  return { messages: messages.map(adaptMessage), raw };
}

/** Names of required arguments that are not given. */
export function missingArguments(prompt: PromptItem, args: JsonObject): readonly string[] {
  return prompt.arguments
    .filter(({ name, required }) => required && (args[name] ?? null) === null)
    .map(({ name }) => name);
}

/** The protocol knows texts only; other values go as their JSON, absent ones not at all. */
function textValues(args: JsonObject): JsonObject {
  const given = Object.entries(args).filter(([, value]) => (value ?? null) !== null);
  return Object.fromEntries(
    given.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}

function adaptPrompt(item: JsonValue): PromptItem | DroppedItem {
  if (!isJsonObject(item)) return { name: '(no name)', problem: 'is not an object' };
  const { name } = item;
  if (typeof name !== 'string' || name === '') {
    return { name: '(no name)', problem: 'has no name' };
  }
  const tooLong = longName('its name', name, MAX_NAME);
  if (tooLong !== undefined) return tooLong;
  const given = item['arguments'];
  return {
    name,
    title: textOf(item['title']),
    description: textOf(item['description']),
    arguments: Array.isArray(given) ? given.flatMap(adaptArgument) : [],
    raw: item,
  };
}

function adaptArgument(item: JsonValue): readonly PromptArgument[] {
  const name = isJsonObject(item) ? textOf(item['name']) : undefined;
  if (!isJsonObject(item) || name === undefined) return [];
  const description = textOf(item['description']);
  return [{ name, description, required: item['required'] === true }];
}

function adaptMessage(item: JsonValue): PromptMessage {
  if (!isJsonObject(item)) return { role: 'user', content: [item] };
  const content = item['content'] ?? '';
  return {
    role: textOf(item['role']) ?? 'user',
    content: Array.isArray(content) ? content : [content],
  };
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
