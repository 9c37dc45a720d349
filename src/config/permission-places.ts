/** Where the lines stand that decide on permission, so that every decision can name its line. */
import { isMapping } from './entry.ts';
import type { MergedServer } from './merge.ts';
import { childOf, type PathItem } from './problem.ts';

const KEYS = ['permissions', 'trustAnnotations', 'toolPermissions'] as const;

/** `NAME.permissions` or `NAME.toolPermissions.PATTERN` → `config.yaml:12`, of the file whose word holds. */
export function permissionPlaces(servers: readonly MergedServer[]): ReadonlyMap<string, string> {
  return new Map(servers.flatMap(placesOf));
}

function placesOf({
  name,
  raw,
  base,
  changes,
}: MergedServer): readonly (readonly [string, string])[] {
  return KEYS.flatMap((key) => {
    const value = childOf(raw, key);
    if (value === undefined || value === null) return [];
    const { file, source, path } =
      changes.findLast(({ keys }) => keys.includes(key))?.entry ?? base;
    const items: readonly (readonly PathItem[])[] = isMapping(value)
      ? Object.keys(value).map((item) => [key, item])
      : [[key]];
    return items.map((item) => {
      const { line } = file.lineAt(file.offsetOf([...path, ...item]));
      return [`${name}.${item.join('.')}`, `${source.label}:${line}`] as const;
    });
  });
}
