/**
 * Changes of the map `mcpServers` of a JSON file, in the text itself: indentation, order and everything else
 * stay. Pure; the caller checks that the new text says what it should.
 */
import { isCollection, isMap, isScalar, type Pair, parseDocument, type YAMLMap } from 'yaml';
import type { JsonObject } from '../base/json.ts';

/** Puts an entry at the end of the map. `undefined`: not possible here. */
export function addPair(text: string, name: string, entry: JsonObject): string | undefined {
  const { body, mark, root } = openJson(text);
  if (root === undefined) {
    if (body.trim() !== '') return undefined;
    return `${mark}${JSON.stringify({ mcpServers: { [name]: entry } }, undefined, 2)}\n`;
  }
  const unit = indentOf(body);
  const servers = pairOf(root, 'mcpServers');
  if (servers === undefined) {
    return mark + insertPair(body, root, 'mcpServers', { [name]: entry }, unit, 1);
  }
  if (!isMap(servers.value)) return undefined;
  return mark + insertPair(body, servers.value, name, entry, unit, 2);
}

/** Takes an entry out of the map, with the comma that goes with it. */
export function removePair(text: string, name: string): string | undefined {
  const { body, mark, root } = openJson(text);
  const servers = root === undefined ? undefined : pairOf(root, 'mcpServers')?.value;
  if (!isMap(servers)) return undefined;
  const index = servers.items.findIndex((pair) => keyOf(pair) === name);
  const pair = servers.items[index];
  if (pair === undefined) return undefined;
  const before = servers.items[index - 1];
  const after = servers.items[index + 1];
  const [start, end] = rangeOf(pair);
  if (before !== undefined) return mark + body.slice(0, rangeOf(before)[1]) + body.slice(end);
  if (after !== undefined) return mark + body.slice(0, start) + body.slice(rangeOf(after)[0]);
  const [open = 0, close = 0] = servers.range ?? [];
  return `${mark}${body.slice(0, open)}{}${body.slice(close)}`;
}

function openJson(text: string) {
  const mark = text.startsWith('\ufeff') ? '\ufeff' : '';
  const body = text.slice(mark.length);
  const { contents } = parseDocument(body, { logLevel: 'error', uniqueKeys: false });
  return { body, mark, root: isMap(contents) ? contents : undefined };
}

function insertPair(
  body: string,
  map: YAMLMap,
  name: string,
  value: JsonObject,
  unit: string,
  depth: number,
): string {
  const newline = body.includes('\r\n') ? '\r\n' : '\n';
  const indent = newline + unit.repeat(depth);
  const json = JSON.stringify(value, undefined, unit).replace(/\n/g, indent);
  const pair = `${JSON.stringify(name)}: ${json}`;
  const last = map.items.at(-1);
  if (last !== undefined) {
    const [, end] = rangeOf(last);
    return `${body.slice(0, end)},${indent}${pair}${body.slice(end)}`;
  }
  const [open = 0, close = 0] = map.range ?? [];
  const outer = newline + unit.repeat(depth - 1);
  return `${body.slice(0, open)}{${indent}${pair}${outer}}${body.slice(close)}`;
}

/** White space in front of the first indented line; default two blanks. */
function indentOf(body: string): string {
  return /\n([ \t]+)\S/.exec(body)?.[1] ?? '  ';
}

function rangeOf(pair: Pair): readonly [start: number, end: number] {
  const { key, value } = pair;
  const start = isScalar(key) ? (key.range?.[0] ?? 0) : 0;
  const end = isScalar(value) || isCollection(value) ? value.range?.[1] : undefined;
  return [start, end ?? (isScalar(key) ? (key.range?.[1] ?? 0) : 0)];
}

function pairOf(map: YAMLMap, name: string): Pair | undefined {
  return map.items.find((pair) => keyOf(pair) === name);
}

function keyOf(pair: Pair): unknown {
  return isScalar(pair.key) ? pair.key.value : undefined;
}
