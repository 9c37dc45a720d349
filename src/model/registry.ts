/** Makes the model a configuration asks for. Keys are read here, once, and registered as secrets. */
import { hostKind } from '../base/address.ts';
import type { Clock } from '../base/clock.ts';
import { type Env, envValue } from '../base/env.ts';
import { AuthError, ConfigError } from '../base/errors.ts';
import type { Fetch } from '../base/http.ts';
import { registerSecret } from '../base/redact.ts';
import type { ModelConfig } from '../config/types.ts';
import type { RegistrySnapshot } from '../tools/types.ts';
import { createAiSdkModel } from './ai-sdk.ts';
import { NO_KEY } from './model-fetch.ts';
import type { OfflineOptions } from './offline.ts';
import { loadProvider, PROVIDERS, type ProviderTraits } from './providers.ts';
import type { Random } from './retry.ts';
import type { ModelProvider } from './types.ts';

export interface ModelOptions {
  /** Undefined or provider `offline`: the router answers, no language model. */
  readonly model: ModelConfig | undefined;
  readonly env: Env;
  readonly clock: Clock;
  readonly random: Random;
  /** Default: Bun's fetch. */
  readonly fetch?: Fetch;
  /** What the router may call, as of this turn. */
  readonly snapshot: () => RegistrySnapshot;
  /** How the router ranks tools; absent: by what they say of themselves. */
  readonly openRank?: OfflineOptions['openRank'];
  /** Why a server that the router is told to call has no tools. */
  readonly problemOf?: OfflineOptions['problemOf'];
}

/**
 * The model, ready to answer; nothing is sent yet. Throws ConfigError (no name, no or a refused baseUrl)
 * and AuthError (the variable of the key is not set).
 */
export async function createModel(options: ModelOptions): Promise<ModelProvider> {
  const { model, env } = options;
  if (model === undefined || model.provider === 'offline') {
    const { createOfflineModel } = await import('./offline.ts');
    return createOfflineModel({
      snapshot: options.snapshot,
      date: () => options.clock.date(),
      openRank: options.openRank,
      problemOf: options.problemOf,
    });
  }
  const traits = PROVIDERS[model.provider];
  const label = `${model.provider}/${model.name ?? ''}`;
  if (model.name === undefined)
    throw new ConfigError(`model.name is missing for ${model.provider}`);
  const url = checkBaseUrl(model, traits);
  const key = readKey(model, traits, env);
  return createAiSdkModel({
    label,
    family: traits.family,
    open: await loadProvider(model.provider),
    name: model.name,
    baseUrl: (url.origin + url.pathname).replace(/\/+$/, ''),
    query: url.search,
    apiKey: key?.value ?? (traits.keyNames.length === 0 ? '' : NO_KEY),
    keyName: key?.name,
    headers: model.headers ?? {},
    maxTokens: model.maxTokens,
    temperature: model.temperature,
    maxTools: traits.maxTools,
    limits: model.timeout,
    clock: options.clock,
    random: options.random,
    fetch: options.fetch ?? globalThis.fetch,
  });
}

/** Starts loading the provider's package, so that it overlaps with connecting. Rejections are for `createModel` to show. */
export function preloadModel(model: ModelConfig | undefined): Promise<void> {
  const loading =
    model === undefined || model.provider === 'offline'
      ? import('./offline.ts')
      : loadProvider(model.provider);
  return loading.then(
    () => undefined,
    () => undefined,
  );
}

function checkBaseUrl(model: ModelConfig, traits: ProviderTraits): URL {
  const given = model.baseUrl ?? traits.baseUrl;
  if (given === undefined) {
    throw new ConfigError(`model.baseUrl is missing for ${model.provider}`, {
      hint: 'for example baseUrl: http://localhost:11434/v1',
    });
  }
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new ConfigError('model.baseUrl: expected an http or https URL');
  }
  if (url.username !== '' || url.password !== '' || url.hash !== '') {
    throw new ConfigError('model.baseUrl: user, password and fragment are not allowed', {
      hint: 'put the key into a variable and name it in model.apiKeyEnv',
    });
  }
  const kind = hostKind(url.hostname);
  const isGuarded = kind === 'private' || (kind !== 'loopback' && url.protocol === 'http:');
  if (isGuarded && model.allowPrivate !== true) {
    const what = kind === 'private' ? 'a private address' : 'plain http beyond this machine';
    throw new ConfigError(`model.baseUrl: ${what} needs model.allowPrivate: true`);
  }
  return url;
}

interface ApiKey {
  readonly name: string;
  readonly value: string;
}

/** Trimmed; a key of white space counts as missing. */
function readKey(model: ModelConfig, traits: ProviderTraits, env: Env): ApiKey | undefined {
  const names = model.apiKeyEnv === undefined ? traits.keyNames : [model.apiKeyEnv];
  for (const name of names) {
    const value = envValue(env, name)?.trim() ?? '';
    if (value === '') continue;
    registerSecret(value);
    return { name, value };
  }
  // A gateway of one's own often needs none.
  const [first] = names;
  if (first === undefined || (model.apiKeyEnv === undefined && model.baseUrl !== undefined)) {
    return undefined;
  }
  throw new AuthError(`${first} is not set: ${model.provider} needs a key`, {
    hint: `set ${first}, or name another variable in model.apiKeyEnv`,
  });
}
