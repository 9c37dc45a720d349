/** Joins what is kept of results to the rest: the tools that read on, and the retention of files. */
import type { Clock } from '../base/clock.ts';
import { type ArtifactOptions, artifactsFolder } from '../results/artifacts.ts';
import type { KeptResults } from '../results/kept.ts';
import { DEFAULT_RETENTION, pruneArtifacts, type Retention } from '../results/prune.ts';
import { createReadingSource, READING_NAME, READING_TOOLS } from '../results/reading-tools.ts';
import { keyOf } from '../tools/naming.ts';
import type { Registry } from '../tools/registry.ts';

/** Public names kept from the tools of servers. */
export const READING_NAMES: ReadonlyMap<string, string> = new Map(
  READING_TOOLS.map(({ name }) => [name, keyOf({ server: READING_NAME, name })]),
);

/** Offers the tools as soon as there is a result that was cut. */
export function declareReading(registry: Registry, kept: KeptResults): void {
  kept.onFirst(() => {
    const rules = { tools: undefined, exposure: 'direct', binary: 'drop' } as const;
    registry.setSource(READING_NAME, createReadingSource(kept), READING_TOOLS, rules);
  });
}

/** In the background; the next start goes on where this one ended. */
export function startPruning(
  place: Pick<ArtifactOptions, 'artifacts' | 'stateDir' | 'dir'>,
  retention: Partial<Retention> | undefined,
  clock: Clock,
  signal: AbortSignal,
): void {
  const folder = artifactsFolder(place);
  if (folder === undefined || place.artifacts === 'off') return;
  void pruneArtifacts(
    folder,
    { ...DEFAULT_RETENTION, ...retention },
    clock.date().getTime(),
    signal,
  );
}
