/** The `model:` block. */
import * as v from 'valibot';
import {
  bool,
  decimal,
  duration,
  nonEmptyText,
  properText,
  text,
  variableName,
  wholeNumber,
} from './atoms.ts';

export const providerNames = [
  'openai-compatible',
  'openai',
  'anthropic',
  'google',
  'offline',
] as const;

export const modelSchema = v.strictObject({
  provider: v.pipe(
    v.picklist(providerNames, `one of ${providerNames.join(', ')}`),
    v.description(
      'openai-compatible, openai, anthropic, google; or offline: a router by rules, no language model',
    ),
  ),
  name: v.optional(v.pipe(nonEmptyText(), v.description('model name as the provider spells it'))),
  baseUrl: v.optional(
    v.pipe(properText('a URL'), v.description('API root, e.g. http://localhost:11434/v1')),
  ),
  apiKeyEnv: v.optional(
    v.pipe(
      variableName(),
      v.description('NAME of the variable with the key; never the key itself'),
    ),
  ),
  maxTokens: v.optional(v.pipe(wholeNumber(1), v.description('limit of one reply'))),
  temperature: v.optional(v.pipe(decimal(0, 2), v.description('0 to 2'))),
  headers: v.optional(
    v.pipe(v.record(v.string(), text()), v.description(`sent with every request; \${VAR} expands`)),
  ),
  contextTokens: v.optional(
    v.pipe(wholeNumber(1024), v.description('beyond it the oldest tool results shrink')),
  ),
  system: v.optional(v.pipe(text(), v.description('added to the system prompt'))),
  allowPrivate: v.optional(
    v.pipe(bool(), v.description('allow http and private addresses; default false')),
  ),
  timeout: v.optional(
    v.pipe(
      v.strictObject({
        firstByte: v.optional(
          v.pipe(duration(), v.description('until the reply starts; default 300s')),
        ),
        idle: v.optional(v.pipe(duration(), v.description('silence within a reply; default 120s'))),
      }),
      v.description('clocks of one request'),
    ),
  ),
});

export type ModelEntry = v.InferOutput<typeof modelSchema>;
