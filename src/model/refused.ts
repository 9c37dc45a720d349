/** Reads from a provider's 400 or 422 what part of the request it could do without. */
import { ProviderError } from '../base/errors.ts';
import type { ModelRequest, ModelTool } from './types.ts';

/** What to leave out of the next try. */
export type Refused =
  | { readonly kind: 'tool'; readonly tool: ModelTool }
  | { readonly kind: 'reasoning' }
  /** `stream_options`, by which we ask for usage. */
  | { readonly kind: 'usage' };

/** Where providers put the number of a tool: OpenAI, Anthropic and Gemini in turn. */
const TOOL_NUMBER = [
  /\btools\[(\d+)\]\.(?!function_declarations)/,
  /\btools\.(\d+)\./,
  /\bfunction_?declarations\[(\d+)\]/i,
];
const ABOUT_SCHEMA = /schema|parameter|propert|function|declaration|tool/i;

/**
 * The one tool a refusal complains about, by number or by name, or an extra of ours; undefined when it is
 * about something else or names several tools.
 */
export function findRefused(error: unknown, request: ModelRequest): Refused | undefined {
  if (!(error instanceof ProviderError)) return undefined;
  const { status } = error.details;
  if (status !== 400 && status !== 422) return undefined;
  const text = error.message;
  if (text.includes('stream_options')) return { kind: 'usage' };
  if (/reasoning|thinking/i.test(text) && request.messages.some(hasState))
    return { kind: 'reasoning' };
  for (const pattern of TOOL_NUMBER) {
    const number = pattern.exec(text)?.[1];
    const tool = number === undefined ? undefined : request.tools[Number(number)];
    if (tool !== undefined) return { kind: 'tool', tool };
  }
  if (!ABOUT_SCHEMA.test(text)) return undefined;
  const words = new Set(text.match(/[A-Za-z0-9_-]+/g) ?? []);
  const named = request.tools.filter((tool) => words.has(tool.name));
  const [only] = named;
  return named.length === 1 && only !== undefined ? { kind: 'tool', tool: only } : undefined;
}

function hasState(message: ModelRequest['messages'][number]): boolean {
  return message.role === 'assistant' && message.state !== undefined;
}
