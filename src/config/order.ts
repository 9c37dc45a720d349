/** The order in which problems are told: as a reader of the files meets them. */
import type { Layer } from './layers.ts';
import type { Finding } from './merge.ts';
import { renderProblems } from './problem.ts';
import type { ConfigWarning } from './types.ts';

/**
 * What stands in no file, then file by file, lowest first, by line and column, as the messages begin; what is
 * about a whole file comes before its lines.
 */
export function orderWarnings(
  warnings: readonly ConfigWarning[],
  layers: readonly Layer[],
): readonly ConfigWarning[] {
  const labels = layers.map(({ source }) => source.label);
  const placed = warnings.map((warning) => ({ warning, place: placeOf(warning, labels) }));
  placed.sort(({ place: a }, { place: b }) => {
    const at = a.findIndex((part, index) => part !== b[index]);
    return (a[at] ?? 0) - (b[at] ?? 0);
  });
  return placed.map(({ warning }) => warning);
}

/** All problems of the roots and of the entries, file by file, one below the other. */
export function renderAll(layers: readonly Layer[], findings: readonly Finding[]): string {
  return layers
    .flatMap(({ root, file }) => {
      const own = findings.filter(({ entry }) => entry.file === file);
      const all = [...(root?.problems ?? []), ...own.flatMap(({ problems }) => problems)];
      return all.length === 0 ? [] : [renderProblems(all, file)];
    })
    .join('\n');
}

/** `[file, line, column]`, as numbers to sort by. */
function placeOf({ message }: ConfigWarning, labels: readonly string[]): readonly number[] {
  const index = labels.findIndex((label) => message.startsWith(`${label}:`));
  if (index === -1) return [index];
  const rest = message.slice(labels[index]?.length);
  const [, line = 0, column = 0] = /^:(\d+)(?::(\d+))?/.exec(rest) ?? [];
  return [index, Number(line), Number(column)];
}
