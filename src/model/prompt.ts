/**
 * Turns a request into the AI SDK's prompt. Never passes images. Reasoning goes back only on messages
 * with tool calls: some providers demand it there, others refuse it elsewhere.
 */
import type {
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4ToolCallPart,
} from '@ai-sdk/provider';
import { historyArguments, wellFormed } from './arguments.ts';
import type { ModelFamily } from './family.ts';
import { toProviderTool } from './provider-schema.ts';
import { readState, type StatePart } from './state.ts';
import type { ModelMessage, ModelRequest, ModelTool, ModelToolCall } from './types.ts';

/**
 * The messages in the SDK's shape; empty texts, which providers refuse, are left out.
 * `withReasoning` false leaves out what a provider gave for itself, for servers that refuse it.
 */
export function toPrompt(
  family: ModelFamily,
  request: ModelRequest,
  withReasoning: boolean,
): LanguageModelV4Message[] {
  const prompt: LanguageModelV4Message[] = [];
  if (request.system.trim() !== '') {
    prompt.push({ role: 'system', content: wellFormed(request.system) });
  }
  const known = conversionsFor(family, withReasoning);
  for (const message of request.messages) {
    let converted = known.get(message);
    if (converted === undefined) {
      const isPlain = message.role !== 'assistant' || withReasoning;
      converted = toMessage(family, isPlain ? message : { ...message, state: undefined }) ?? 'none';
      known.set(message, converted);
    }
    if (converted !== 'none') prompt.push(converted);
  }
  return prompt;
}

/** `none`: the message has nothing to send. */
type Conversions = WeakMap<ModelMessage, LanguageModelV4Message | 'none'>;

/** A history is sent again with every turn; its messages never change. One map for each way to convert. */
const conversions = new Map<string, Conversions>();

function conversionsFor(family: ModelFamily, withReasoning: boolean): Conversions {
  const key = `${family} ${withReasoning}`;
  const known = conversions.get(key);
  if (known !== undefined) return known;
  const made: Conversions = new WeakMap();
  conversions.set(key, made);
  return made;
}

/** The tools as the provider takes them. Non-strict: most schemas do not fit the strict subset. */
export function toTools(
  family: ModelFamily,
  tools: readonly ModelTool[],
): LanguageModelV4FunctionTool[] {
  return tools.map((tool) => {
    const known = sentTools.get(tool);
    if (known?.family === family) return known.sent;
    const sent = toTool(family, tool);
    sentTools.set(tool, { family, sent });
    return sent;
  });
}

/** Declarations are sent again with every turn; one never changes, nor does the family within a run. */
const sentTools = new WeakMap<
  ModelTool,
  { readonly family: ModelFamily; readonly sent: LanguageModelV4FunctionTool }
>();

function toTool(family: ModelFamily, tool: ModelTool): LanguageModelV4FunctionTool {
  const { description, inputSchema } = toProviderTool(family, tool);
  return {
    type: 'function',
    name: tool.name,
    ...(description === '' ? {} : { description }),
    // Checked by toProviderTool: a plain JSON Schema object.
    inputSchema: inputSchema as LanguageModelV4FunctionTool['inputSchema'],
  };
}

/** Providers refuse texts of nothing or white space. */
function nonEmpty(text: string): string {
  return text.trim() === '' ? '(empty)' : wellFormed(text);
}

function toMessage(family: ModelFamily, message: ModelMessage): LanguageModelV4Message | undefined {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: [{ type: 'text', text: nonEmpty(message.text) }] };
    case 'assistant': {
      const content = toAssistantContent(family, message);
      return content.length === 0 ? undefined : { role: 'assistant', content };
    }
    case 'tool':
      return {
        role: 'tool',
        content: message.results.map((result) => ({
          type: 'tool-result',
          toolCallId: cleanId(result.callId),
          toolName: cleanName(result.name),
          output: {
            // The package for OpenAI would wrap an error's text in JSON.
            type: result.status === 'ok' || family === 'responses' ? 'text' : 'error-text',
            value: nonEmpty(result.text),
          },
        })),
      };
  }
}

type AssistantMessage = Extract<ModelMessage, { role: 'assistant' }>;
type AssistantContent = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'];

/** In the order the provider gave its parts, where it is the same provider; else text, then calls. */
function toAssistantContent(family: ModelFamily, message: AssistantMessage): AssistantContent {
  const text = wellFormed(message.text);
  const textPart: AssistantContent = text.trim() === '' ? [] : [{ type: 'text', text }];
  if (message.toolCalls.length === 0) return textPart;
  const parts = readState(family, message.state);
  const calls = new Map(message.toolCalls.map((call) => [call.id, call]));
  const content: AssistantContent = [];
  for (const part of parts) content.push(...toPart(part, calls));
  if (!content.some((part) => part.type === 'text')) {
    const at = content.findIndex((part) => part.type === 'tool-call');
    content.splice(at === -1 ? content.length : at, 0, ...textPart);
  }
  for (const call of calls.values()) content.push(toCallPart(call, undefined));
  return content;
}

/** Takes the call it uses out of `calls`. */
function toPart(part: StatePart, calls: Map<string, ModelToolCall>): AssistantContent {
  const options = part.metadata === undefined ? {} : { providerOptions: part.metadata };
  switch (part.type) {
    case 'reasoning':
      return [{ type: 'reasoning', text: wellFormed(part.text), ...options }];
    case 'text':
      return part.text.trim() === ''
        ? []
        : [{ type: 'text', text: wellFormed(part.text), ...options }];
    case 'call': {
      const call = calls.get(part.id);
      calls.delete(part.id);
      return call === undefined ? [] : [toCallPart(call, part.metadata)];
    }
  }
}

function toCallPart(
  call: ModelToolCall,
  metadata: StatePart['metadata'],
): LanguageModelV4ToolCallPart {
  return {
    type: 'tool-call',
    toolCallId: cleanId(call.id),
    toolName: cleanName(call.name),
    input: historyArguments(call.argumentsText),
    ...(metadata === undefined ? {} : { providerOptions: metadata }),
  };
}

/** A model may invent names that its own provider refuses in history. */
function cleanName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || '_';
}

function cleanId(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, '_') || '_';
}
