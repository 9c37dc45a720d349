/**
 * Answers sampling/createMessage with text. Reads what is wanted, has the port do it; tools, images and
 * audio are refused plainly. Source: MCP 2025-11-25, client features, sampling.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { INVALID_PARAMS, RefusedRequest } from './refusal.ts';

/** What a server wants a model to answer. All texts are the server's, raw, at most 200,000 characters together. */
export interface SamplingRequest {
  readonly server: string;
  readonly system: string;
  readonly messages: readonly {
    readonly role: 'user' | 'assistant';
    readonly text: string;
  }[];
  /** As the server asks; bounded by who answers. */
  readonly maxTokens: number | undefined;
}

export interface SamplingAnswer {
  /** `provider/name`. */
  readonly model: string;
  readonly text: string;
  readonly stopReason: 'endTurn' | 'maxTokens';
}

/** Throws RefusedRequest: the person said no, nobody is there, no model can do it. */
export type SampleModel = (
  request: SamplingRequest,
  signal: AbortSignal,
) => Promise<SamplingAnswer>;

const MAX_CHARACTERS = 200_000;
const MAX_MESSAGES = 200;

export async function answerSampling(
  sample: SampleModel,
  server: string,
  params: JsonObject,
  signal: AbortSignal,
): Promise<JsonValue> {
  const { model, text, stopReason } = await sample(readSampling(server, params), signal);
  return { role: 'assistant', content: { type: 'text', text }, model, stopReason };
}

/** Throws RefusedRequest (invalid params) with the reason. */
export function readSampling(server: string, params: JsonObject): SamplingRequest {
  const { messages, systemPrompt, maxTokens, tools, toolChoice } = params;
  if ((Array.isArray(tools) && tools.length > 0) || toolChoice !== undefined) {
    throw invalid('sampling with tools is not supported');
  }
  if (!Array.isArray(messages) || messages.length === 0) throw invalid('messages are missing');
  if (messages.length > MAX_MESSAGES) throw invalid(`more than ${MAX_MESSAGES} messages`);
  const list: readonly JsonValue[] = messages;
  const read = list.map(readMessage);
  const system = typeof systemPrompt === 'string' ? systemPrompt : '';
  const length = read.reduce((sum, { text }) => sum + text.length, system.length);
  if (length > MAX_CHARACTERS) throw invalid(`more than ${MAX_CHARACTERS} characters of text`);
  return {
    server,
    system,
    messages: read,
    maxTokens: typeof maxTokens === 'number' && maxTokens >= 1 ? Math.floor(maxTokens) : undefined,
  };
}

function readMessage(message: JsonValue): SamplingRequest['messages'][number] {
  if (!isJsonObject(message)) throw invalid('a message is no object');
  const { role, content } = message;
  if (role !== 'user' && role !== 'assistant') throw invalid('a message has no role');
  const list: readonly JsonValue[] = Array.isArray(content) ? content : [content ?? null];
  return { role, text: list.map(readText).join('\n') };
}

function readText(block: JsonValue): string {
  if (typeof block === 'string') return block;
  if (isJsonObject(block) && typeof block['text'] === 'string') return block['text'];
  const type = isJsonObject(block) ? block['type'] : undefined;
  throw invalid(`only text is supported, not ${typeof type === 'string' ? type : 'this content'}`);
}

function invalid(reason: string): RefusedRequest {
  return new RefusedRequest(INVALID_PARAMS, reason);
}
