/** Collects the SDK's stream parts into a whole reply. Nothing counts before `finish`. */
import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider';
import { readArguments } from './arguments.ts';
import type { ModelFamily } from './family.ts';
import { type StatePart, toState } from './state.ts';
import type { ModelListener, ModelReply, ModelToolCall, TokenUsage } from './types.ts';

/** Why a stream gave no reply; `error` is what the package reported, if anything. */
export class NoReply extends Error {
  readonly error: unknown;
  constructor(error: unknown) {
    super('the stream gave no whole reply', { cause: error });
    this.error = error;
  }
}

/** Reads the stream to its end. Throws NoReply, or whatever the stream throws. */
export async function collectReply(
  family: ModelFamily,
  stream: ReadableStream<LanguageModelV4StreamPart>,
  listener: Pick<ModelListener, 'onText'>,
): Promise<ModelReply> {
  const parts: MutablePart[] = [];
  const open = new Map<string, MutablePart>();
  const toolCalls: ModelToolCall[] = [];
  let finish: { reason: LanguageModelV4FinishReason; usage: TokenUsage } | undefined;
  const partOf = (type: 'text' | 'reasoning', id: string): MutablePart => {
    const key = `${type} ${id}`;
    const known = open.get(key);
    if (known !== undefined) return known;
    const part: MutablePart = { type, text: '', id, metadata: undefined };
    open.set(key, part);
    parts.push(part);
    return part;
  };

  for await (const part of stream) {
    switch (part.type) {
      case 'text-start':
        open.delete(`text ${part.id}`);
        addMetadata(partOf('text', part.id), part.providerMetadata);
        break;
      case 'text-delta': {
        const target = partOf('text', part.id);
        target.text += part.delta;
        addMetadata(target, part.providerMetadata);
        if (part.delta !== '') listener.onText(part.delta);
        break;
      }
      case 'text-end':
        addMetadata(partOf('text', part.id), part.providerMetadata);
        break;
      case 'reasoning-start':
        open.delete(`reasoning ${part.id}`);
        addMetadata(partOf('reasoning', part.id), part.providerMetadata);
        break;
      case 'reasoning-delta': {
        const target = partOf('reasoning', part.id);
        target.text += part.delta;
        addMetadata(target, part.providerMetadata);
        break;
      }
      case 'reasoning-end':
        addMetadata(partOf('reasoning', part.id), part.providerMetadata);
        break;
      case 'tool-call': {
        const call: MutablePart = {
          type: 'call',
          text: '',
          id: part.toolCallId,
          metadata: undefined,
        };
        addMetadata(call, part.providerMetadata);
        parts.push(call);
        toolCalls.push({
          id: part.toolCallId,
          name: part.toolName,
          argumentsText: readArguments(part.input),
        });
        break;
      }
      case 'error':
        throw new NoReply(part.error);
      case 'finish':
        finish = {
          reason: part.finishReason,
          usage: {
            inputTokens: part.usage.inputTokens.total ?? 0,
            outputTokens: part.usage.outputTokens.total ?? 0,
          },
        };
        break;
      default:
        // Sources, files and the beginnings of tool inputs tell nothing that counts.
        break;
    }
  }
  if (finish === undefined) throw new NoReply(undefined);
  const reason = finish.reason.unified;
  if (reason === 'error' || reason === 'interrupted') throw new NoReply(undefined);
  return {
    text: parts.map((part) => (part.type === 'text' ? part.text : '')).join(''),
    toolCalls,
    finish: toFinish(reason, toolCalls.length > 0),
    origin: 'model',
    usage: finish.usage,
    state: toolCalls.length > 0 ? toState(family, parts.map(toStatePart)) : undefined,
  };
}

interface MutablePart {
  readonly type: 'text' | 'reasoning' | 'call';
  readonly id: string;
  text: string;
  metadata: SharedV4ProviderMetadata | undefined;
}

function addMetadata(part: MutablePart, more: SharedV4ProviderMetadata | undefined): void {
  if (more === undefined) return;
  const merged: SharedV4ProviderMetadata = { ...part.metadata };
  for (const [provider, fields] of Object.entries(more)) {
    merged[provider] = { ...merged[provider], ...fields };
  }
  part.metadata = merged;
}

function toStatePart(part: MutablePart): StatePart {
  const { type, text, id, metadata } = part;
  return type === 'call' ? { type, id, metadata } : { type, text, metadata };
}

/** Servers that say stop beside calls mean the calls; calls that got lost are no answer. */
function toFinish(
  reason: 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'other',
  hasCalls: boolean,
): ModelReply['finish'] {
  switch (reason) {
    case 'stop':
      return hasCalls ? 'tool_calls' : 'stop';
    case 'tool-calls':
      return hasCalls ? 'tool_calls' : 'other';
    case 'content-filter':
      return 'content_filter';
    case 'length':
    case 'other':
      return reason;
  }
}
