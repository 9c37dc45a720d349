/** One adapter for every provider: a request goes out through its AI SDK package, a whole reply comes back. */
import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { raceAbort } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { AppError, InternalError, ProviderError } from '../base/errors.ts';
import { excerpt, type Fetch } from '../base/http.ts';
import { collectReply, NoReply } from './collect.ts';
import type { ModelFamily } from './family.ts';
import { Exchange } from './model-fetch.ts';
import { toPrompt, toTools } from './prompt.ts';
import type { ModelSettings, OpenModel } from './providers.ts';
import { findRefused } from './refused.ts';
import { type Random, withModelRetries } from './retry.ts';
import type { ModelListener, ModelProvider, ModelReply, ModelRequest } from './types.ts';

export interface AiSdkOptions {
  /** `provider/name`. */
  readonly label: string;
  readonly family: ModelFamily;
  readonly open: OpenModel;
  readonly name: string;
  readonly baseUrl: string;
  /** Parameters of the configured URL, `?a=b` or empty; sent with every request. */
  readonly query: string;
  readonly apiKey: string;
  /** The variable the key came from; undefined = no key. */
  readonly keyName: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly maxTokens: number | undefined;
  readonly temperature: number | undefined;
  readonly maxTools: number | undefined;
  readonly limits: { readonly firstByteMs: number; readonly idleMs: number };
  readonly clock: Clock;
  readonly random: Random;
  readonly fetch: Fetch;
}

/** Parts given up for one provider that refuses them, over the life of the model. */
const MAX_REFUSALS = 16;

/** A model behind HTTP. Errors: see `ModelProvider.reply`. */
export function createAiSdkModel(options: AiSdkOptions): ModelProvider {
  const { label, maxTools, clock, random } = options;
  const refusedTools = new Set<string>();
  const extras = { reasoning: true, usage: true };
  const line = createLine(options);
  let refusals = 0;

  /** Remembers what the provider refused; false when the request cannot do without it. */
  function giveUp(error: unknown, request: ModelRequest, listener: ModelListener): boolean {
    const refused = refusals < MAX_REFUSALS ? findRefused(error, request) : undefined;
    if (refused === undefined || !(error instanceof Error)) return false;
    refusals += 1;
    if (refused.kind === 'tool') refusedTools.add(refused.tool.name);
    else if (!extras[refused.kind]) return false;
    else extras[refused.kind] = false;
    const what = refused.kind === 'tool' ? `the tool ${refused.tool.name}` : refused.kind;
    listener.onRetry(`${error.message}; asking again without ${what}`);
    return true;
  }

  return {
    label,
    maxTools,
    async reply(whole, listener, signal) {
      for (;;) {
        const tools = whole.tools.filter((tool) => !refusedTools.has(tool.name));
        const request = { ...whole, tools };
        const call = toCall(options, request, extras.reasoning);
        try {
          return await withModelRetries({ clock, random, listener, signal }, (attemptListener) =>
            askOnce(options, line, extras.usage, call, attemptListener, signal),
          );
        } catch (error) {
          if (signal.aborted || !giveUp(error, request, listener)) throw error;
        }
      }
    },
  };
}

function toCall(
  options: AiSdkOptions,
  request: ModelRequest,
  withReasoning: boolean,
): LanguageModelV4CallOptions {
  const { family, maxTokens, temperature } = options;
  const tools = toTools(family, request.tools);
  return {
    prompt: toPrompt(family, request, withReasoning),
    ...(tools.length === 0 ? {} : { tools }),
    ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...PROVIDER_OPTIONS[family],
  };
}

/** OpenAI keeps nothing of a conversation; Anthropic streams arguments only once they are valid JSON. */
const PROVIDER_OPTIONS: Readonly<
  Record<ModelFamily, Pick<LanguageModelV4CallOptions, 'providerOptions'>>
> = {
  chat: {},
  responses: { providerOptions: { openai: { store: false } } },
  anthropic: { providerOptions: { anthropic: { toolStreaming: false } } },
  google: {},
};

/** The package's model, made once: it builds its schemas anew each time. */
interface Line {
  /** `usage`: whether to ask for token counts. */
  model(usage: boolean): LanguageModelV4;
  /** Requests that carry `tag` go through this exchange. Returns the way to stop. */
  assign(tag: AbortSignal, exchange: Exchange): () => void;
}

function createLine({ open, name, baseUrl, apiKey, headers }: AiSdkOptions): Line {
  /** By the signal that a package hands from its call to its fetch. */
  const exchanges = new Map<unknown, Exchange>();
  const models = new Map<boolean, LanguageModelV4>();
  const fetch: ModelSettings['fetch'] = (input, init) => {
    const exchange = exchanges.get(init?.signal);
    if (exchange === undefined) throw new InternalError('a model request belongs to no exchange');
    return exchange.fetch(input, init);
  };
  return {
    model(usage) {
      const known = models.get(usage);
      if (known !== undefined) return known;
      const made = open({ name, baseUrl, apiKey, headers, usage, fetch });
      models.set(usage, made);
      return made;
    },
    assign(tag, exchange) {
      exchanges.set(tag, exchange);
      return () => exchanges.delete(tag);
    },
  };
}

async function askOnce(
  options: AiSdkOptions,
  line: Line,
  usage: boolean,
  call: LanguageModelV4CallOptions,
  listener: Pick<ModelListener, 'onText'>,
  signal: AbortSignal,
): Promise<ModelReply> {
  const { family, clock, limits, fetch, keyName, name, baseUrl, query } = options;
  const who = `model ${name} at ${baseUrl}`;
  const exchange = new Exchange({
    family,
    who,
    fetch,
    clock,
    limits,
    signal,
    keyName,
    query,
  });
  const tag = new AbortController().signal;
  const release = line.assign(tag, exchange);
  try {
    const asked = line.model(usage).doStream({ ...call, abortSignal: tag });
    const { stream } = await raceAbort(Promise.resolve(asked), signal);
    return await collectReply(family, stream, listener);
  } catch (error) {
    throw toFailure(exchange, who, signal, error);
  } finally {
    release();
    exchange.close();
  }
}

/** Our own account of what went wrong goes first; a package's is worded for programmers. */
function toFailure(exchange: Exchange, who: string, signal: AbortSignal, thrown: unknown): unknown {
  if (signal.aborted) return signal.reason;
  if (exchange.failure !== undefined) return exchange.failure;
  const error = thrown instanceof NoReply ? thrown.error : thrown;
  if (error instanceof AppError) return error;
  const text = error instanceof Error ? error.message : 'the reply ended without saying how';
  return new ProviderError(`${who}: ${excerpt(text)}`, {
    // What arrived could not be read: broken on the way as often as by the provider.
    retryable: exchange.isComplete || thrown instanceof NoReply,
    cause: thrown,
  });
}
