/** The provider packages, each loaded only when chosen. */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { ModelConfig } from '../config/types.ts';
import type { ModelFamily } from './family.ts';

export type HostedProvider = Exclude<ModelConfig['provider'], 'offline'>;

/** What a provider is, apart from its package. */
export interface ProviderTraits {
  readonly family: ModelFamily;
  /** Undefined: the configuration must give it. */
  readonly baseUrl: string | undefined;
  /** Variables with the key, in the order they are looked at; empty: works without a key. */
  readonly keyNames: readonly string[];
  readonly maxTools: number | undefined;
}

/** Everything a package needs for one request. */
export interface ModelSettings {
  readonly name: string;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Ask for token usage where that is an extra field (chat completions). */
  readonly usage: boolean;
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
}

export type OpenModel = (settings: ModelSettings) => LanguageModelV4;

export const PROVIDERS: Readonly<Record<HostedProvider, ProviderTraits>> = {
  'openai-compatible': { family: 'chat', baseUrl: undefined, keyNames: [], maxTools: undefined },
  openai: {
    family: 'responses',
    baseUrl: 'https://api.openai.com/v1',
    keyNames: ['OPENAI_API_KEY'],
    maxTools: 128,
  },
  anthropic: {
    family: 'anthropic',
    baseUrl: 'https://api.anthropic.com/v1',
    keyNames: ['ANTHROPIC_API_KEY'],
    maxTools: undefined,
  },
  google: {
    family: 'google',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    keyNames: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'],
    maxTools: undefined,
  },
};

/** Imports the package; the second call costs nothing. */
export async function loadProvider(provider: HostedProvider): Promise<OpenModel> {
  switch (provider) {
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      return ({ name, baseUrl, usage, ...rest }) =>
        createOpenAICompatible({
          name: 'openaiCompatible',
          baseURL: baseUrl,
          includeUsage: usage,
          ...toSdk(rest),
        }).chatModel(name);
    }
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai');
      return ({ name, baseUrl, ...rest }) =>
        createOpenAI({ baseURL: baseUrl, ...toSdk(rest) }).responses(name);
    }
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return ({ name, baseUrl, ...rest }) =>
        createAnthropic({ baseURL: baseUrl, ...toSdk(rest) }).languageModel(name);
    }
    case 'google': {
      const { createGoogle } = await import('@ai-sdk/google');
      return ({ name, baseUrl, ...rest }) =>
        createGoogle({ baseURL: baseUrl, ...toSdk(rest) }).languageModel(name);
    }
  }
}

function toSdk({ apiKey, headers, fetch }: Pick<ModelSettings, 'apiKey' | 'headers' | 'fetch'>) {
  // The packages only call it; Bun's type also asks for `preconnect`.
  return { apiKey, headers: { ...headers }, fetch: fetch as typeof globalThis.fetch };
}
