/**
 * What a provider wants back with a later request: its reasoning, signatures and the order of its
 * parts. Kept only for replies with tool calls, and only handed to the family it came from.
 */
import type { SharedV4ProviderOptions } from '@ai-sdk/provider';
import { isJsonObject, type JsonValue } from '../base/json.ts';
import type { ModelFamily } from './family.ts';
import type { ProviderState } from './types.ts';

export type StatePart =
  | { readonly type: 'reasoning'; readonly text: string; readonly metadata: Metadata }
  | { readonly type: 'text'; readonly text: string; readonly metadata: Metadata }
  | { readonly type: 'call'; readonly id: string; readonly metadata: Metadata };

/** By provider key, as the SDK gives and takes it. */
type Metadata = SharedV4ProviderOptions | undefined;

/** The state of a reply; undefined when there is nothing but text and calls in the usual order. */
export function toState(
  family: ModelFamily,
  parts: readonly StatePart[],
): ProviderState | undefined {
  const isPlain = parts.every((part) => part.type !== 'reasoning' && part.metadata === undefined);
  if (isPlain) return undefined;
  return { family, parts: parts.map(toJson) };
}

/** The parts of a state of this family; none of another's, or of a shape we do not know. */
export function readState(
  family: ModelFamily,
  state: ProviderState | undefined,
): readonly StatePart[] {
  const parts = state?.['parts'];
  if (state?.['family'] !== family || !Array.isArray(parts)) return [];
  return parts.map(fromJson).filter((part) => part !== undefined);
}

function toJson(part: StatePart): ProviderState {
  const { metadata, ...rest } = part;
  // The SDK's metadata is JSON by its own type; undefined entries vanish when written.
  return metadata === undefined ? rest : { ...rest, metadata: metadata as ProviderState };
}

function fromJson(value: JsonValue): StatePart | undefined {
  if (!isJsonObject(value)) return undefined;
  const { type, text, id } = value;
  const metadata = toMetadata(value['metadata']);
  if (type === 'call') return typeof id === 'string' ? { type, id, metadata } : undefined;
  if (type !== 'reasoning' && type !== 'text') return undefined;
  return typeof text === 'string' ? { type, text, metadata } : undefined;
}

function toMetadata(value: JsonValue | undefined): Metadata {
  if (!isJsonObject(value) || !Object.values(value).every(isJsonObject)) return undefined;
  // Checked: an object of objects, all JSON.
  return value as SharedV4ProviderOptions;
}
