/** Collects the SDK's stream parts into a whole reply. Nothing counts before `finish`. */
import type {
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider';
import { readArguments } from './arguments.ts';
import type { ModelFamily } from './family.ts';
import { type StatePart, toState } from './state.ts';
import type { ModelListener, ModelReply, ModelToolCall } from './types.ts';

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
  const collector = new Collector();
  for await (const part of stream) {
    collector.add(part);
    if (part.type === 'text-delta' && part.delta !== '') listener.onText(part.delta);
  }
  return collector.toReply(family);
}

/** The parts of one reply as they come. */
class Collector {
  readonly #parts: MutablePart[] = [];
  /** Parts that further deltas may still belong to, by type and id. */
  readonly #open = new Map<string, MutablePart>();
  readonly #toolCalls: ModelToolCall[] = [];
  #finish: Extract<LanguageModelV4StreamPart, { type: 'finish' }> | undefined;

  add(part: LanguageModelV4StreamPart): void {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start': {
        const type = part.type === 'text-start' ? 'text' : 'reasoning';
        // Some packages use one id again for a later part.
        this.#open.delete(`${type} ${part.id}`);
        addMetadata(this.#partOf(type, part.id), part.providerMetadata);
        return;
      }
      case 'text-delta':
      case 'reasoning-delta': {
        const target = this.#partOf(part.type === 'text-delta' ? 'text' : 'reasoning', part.id);
        target.text += part.delta;
        addMetadata(target, part.providerMetadata);
        return;
      }
      case 'text-end':
        addMetadata(this.#partOf('text', part.id), part.providerMetadata);
        return;
      case 'reasoning-end':
        addMetadata(this.#partOf('reasoning', part.id), part.providerMetadata);
        return;
      case 'tool-call':
        this.#addCall(part);
        return;
      case 'error':
        throw new NoReply(part.error);
      case 'finish':
        this.#finish = part;
        return;
      default:
        // Sources, files and the beginnings of tool inputs tell nothing that counts.
        return;
    }
  }

  toReply(family: ModelFamily): ModelReply {
    const reason = this.#finish?.finishReason.unified;
    if (this.#finish === undefined || reason === undefined) throw new NoReply(undefined);
    if (reason === 'error' || reason === 'interrupted') throw new NoReply(undefined);
    const { inputTokens, outputTokens } = this.#finish.usage;
    const hasCalls = this.#toolCalls.length > 0;
    return {
      text: this.#parts.map((part) => (part.type === 'text' ? part.text : '')).join(''),
      toolCalls: this.#toolCalls,
      finish: toFinish(reason, hasCalls),
      origin: 'model',
      usage: { inputTokens: inputTokens.total ?? 0, outputTokens: outputTokens.total ?? 0 },
      state: hasCalls ? toState(family, this.#parts.map(toStatePart)) : undefined,
    };
  }

  #addCall(part: LanguageModelV4ToolCall): void {
    const id = part.toolCallId;
    const call: MutablePart = { type: 'call', text: '', id, metadata: undefined };
    addMetadata(call, part.providerMetadata);
    this.#parts.push(call);
    this.#toolCalls.push({ id, name: part.toolName, argumentsText: readArguments(part.input) });
  }

  #partOf(type: 'text' | 'reasoning', id: string): MutablePart {
    const key = `${type} ${id}`;
    const known = this.#open.get(key);
    if (known !== undefined) return known;
    const part: MutablePart = { type, text: '', id, metadata: undefined };
    this.#open.set(key, part);
    this.#parts.push(part);
    return part;
  }
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
