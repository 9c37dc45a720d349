/** How tools are shown to a model, and how they are searched: `exposure`, `toolExposure`, `search`. */
import * as v from 'valibot';
import { nonEmptyText, properText, variableName } from './atoms.ts';

const EXPOSURES = ['direct', 'deferred', 'codemode', 'hidden', 'auto'] as const;

export const exposureSchema = v.picklist(EXPOSURES, 'direct, deferred, codemode, hidden or auto');

export const toolExposureSchema = v.pipe(v.record(v.string(), exposureSchema));

export const searchSchema = v.strictObject({
  embeddings: v.optional(
    v.pipe(
      v.strictObject({
        baseUrl: v.pipe(
          properText('a URL'),
          v.description('API root of an OpenAI-compatible endpoint'),
        ),
        model: v.pipe(nonEmptyText(), v.description('model name as the endpoint spells it')),
        apiKeyEnv: v.optional(
          v.pipe(variableName(), v.description('NAME of the variable with the key')),
        ),
      }),
      v.description('ranks by meaning too; without it searching needs no network'),
    ),
  ),
});

export type Exposures = v.InferOutput<typeof exposureSchema>;
export type SearchEntry = v.InferOutput<typeof searchSchema>;
