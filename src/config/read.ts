/** The configuration as merged entries, with every decision about project files made. */
import { envValue } from '../base/env.ts';
import type { Located } from './entry.ts';
import { type Layer, mergeRoots, readLayers } from './layers.ts';
import { type Approval, type Merged, mergeEntries } from './merge.ts';
import type { RootBlock } from './root-block.ts';
import { signatureOf, toolsOf } from './signature.ts';
import type { SourceOptions } from './sources.ts';
import { readTrust, type TrustQuestion } from './trust.ts';
import type { ConfigWarning } from './types.ts';

export interface ReadConfig {
  readonly layers: readonly Layer[];
  readonly root: RootBlock;
  readonly merged: Merged;
  readonly warnings: readonly ConfigWarning[];
}

/** Reads and merges all files. Throws ConfigError for an own file that cannot be read or parsed. */
export async function readConfig(options: SourceOptions): Promise<ReadConfig> {
  const { layers, warnings } = await readLayers(options);
  const root = mergeRoots(layers, options.env);
  const needsTrust = layers.some(({ source }) => source.scope === 'project');
  const trust = needsTrust ? readTrust(options.env) : undefined;
  const granted = grantedNames(options);
  const merged = mergeEntries(
    layers.flatMap(({ entries }) => entries),
    {
      exposure: root.exposure,
      approvalOf(entry): Approval {
        const question = trustQuestion(entry);
        if (trust === undefined || question === undefined) return 'pending';
        const state = trust.stateOf(question);
        return state !== 'approved' && granted.has(question.name) ? 'granted' : state;
      },
    },
  );
  const doubt = trust?.problem;
  return {
    layers,
    root,
    merged,
    warnings: [...warnings, ...(doubt === undefined ? [] : [{ ...doubt, skipped: undefined }])],
  };
}

/** What a decision about an entry is bound to; `undefined` for one that is no mapping with a name. */
export function trustQuestion({ raw, name, source }: Located): TrustQuestion | undefined {
  if (typeof raw !== 'object' || raw === null || name === undefined) return undefined;
  return { file: source.path, name, signature: signatureOf(raw), tools: toolsOf(raw) };
}

/** `--approve` and `$USHER_MCP_ALLOWLIST`. */
function grantedNames({ approve = [], env }: SourceOptions): ReadonlySet<string> {
  const listed = (envValue(env, 'USHER_MCP_ALLOWLIST') ?? '').split(',').map((name) => name.trim());
  return new Set([...approve, ...listed].filter((name) => name !== ''));
}
