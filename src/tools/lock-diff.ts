/** A difference between two states of a server's tools, as lines for a person: `-` was, `+` is. */
import { isDeeperThan } from '../base/depth.ts';
import { isJsonObject, type JsonValue, stableStringify } from '../base/json.ts';
import { escapeForTerminal, shorten } from '../base/text.ts';
import { diffLock, type LockedServer, lockTool } from './lock.ts';
import type { ToolDefinition } from './types.ts';

const MAX_LINE_CHARACTERS = 2000;
const MAX_LINES = 400;

/** Empty when nothing differs. What hides in texts is made visible; at most 400 lines for one tool. */
export function lockDiffLines(
  definitions: readonly ToolDefinition[],
  locked: LockedServer,
): readonly string[] {
  const { changed, added, gone } = diffLock(definitions, locked);
  const now = new Map(definitions.map((definition) => [definition.name, definition]));
  const partsNow = (name: string) => {
    const definition = now.get(name);
    return definition === undefined ? {} : lockTool(definition).parts;
  };
  return [
    ...changed.flatMap((name) => {
      const lines = partLines(locked[name]?.parts ?? {}, partsNow(name));
      const isMasked = lines.length === 0;
      return [line('~ ', `${name} changed${isMasked ? ', in what is masked here' : ''}`), ...lines];
    }),
    ...added.flatMap((name) => [line('+ ', `${name} is new`), ...partLines({}, partsNow(name))]),
    ...gone.map((name) => line('- ', `${name} is gone`)),
  ];
}

function partLines(before: JsonValue, after: JsonValue): readonly string[] {
  const was = leaves(before);
  const is = leaves(after);
  const paths = [...new Set([...was.keys(), ...is.keys()])].filter(
    (path) => was.get(path) !== is.get(path),
  );
  const lines = paths.flatMap((path) => [
    ...sideLines('    - ', path, was.get(path)),
    ...sideLines('    + ', path, is.get(path)),
  ]);
  if (lines.length <= MAX_LINES) return lines;
  return [...lines.slice(0, MAX_LINES), `    … ${lines.length - MAX_LINES} more lines`];
}

function sideLines(mark: string, path: string, value: string | undefined): readonly string[] {
  return value === undefined ? [] : [line(mark, `${path}: ${value}`)];
}

/** One line whatever is in it. */
function line(mark: string, text: string): string {
  const shown = escapeForTerminal(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t');
  return mark + shorten(shown, MAX_LINE_CHARACTERS);
}

/** By path, each value as JSON; empty objects and arrays are values. */
function leaves(value: JsonValue): Map<string, string> {
  const found = new Map<string, string>();
  const walk = (part: JsonValue | undefined, path: string): void => {
    if (part === undefined) return;
    const children = isJsonObject(part)
      ? Object.entries(part).map(([key, child]) => [join(path, key), child] as const)
      : Array.isArray(part)
        ? part.map((child: JsonValue, index) => [`${path}[${index}]`, child] as const)
        : [];
    if (children.length === 0 && path !== '') found.set(path, stableStringify(part));
    else for (const [at, child] of children) walk(child, at);
  };
  if (isDeeperThan(value)) found.set('(all)', 'nested too deeply to be shown');
  else walk(value, '');
  return found;
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}
