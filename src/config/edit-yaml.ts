/**
 * Changes of a YAML list of servers, in the text itself: every byte that is not concerned stays, with its
 * comments, order, quotes and line ends. Pure; the caller checks that the new text says what it should.
 */
import {
  Document,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import type { JsonObject } from '../base/json.ts';
import { childOf, type PathItem } from './problem.ts';

/** Puts an entry at the end of the list at `listPath`; the list is made when it is not there. `undefined`: not possible here. */
export function addItem(
  text: string,
  listPath: readonly PathItem[],
  entry: JsonObject,
): string | undefined {
  const sheet = openSheet(text);
  const { document } = sheet;
  if (document.contents === null) return appended(sheet, `servers:\n${rendered(entry, 2)}`);
  const pair = pairAt(document.contents, listPath);
  if (pair === undefined) {
    const { contents } = document;
    if (listPath.length !== 1 || !isMap(contents) || contents.flow === true) return undefined;
    return appended(sheet, `servers:\n${rendered(entry, 2)}`);
  }
  const list = pair.value;
  if (isSeq(list)) {
    if (list.flow === true) return addToFlow(sheet, list, JSON.stringify(entry));
    const last = list.items.at(-1);
    const column = columnOf(sheet, dashOffset(list, list.items.length - 1));
    if (!isNode(last) || column === undefined) return undefined;
    return insertLines(sheet, lineEnd(sheet.body, deepEnd(last)), rendered(entry, column));
  }
  if (list !== null && !(isScalar(list) && list.value === null && list.source === '')) {
    return undefined;
  }
  const key = isNode(pair.key) ? pair.key.range?.[1] : undefined;
  const indent = isNode(pair.key) ? columnOf(sheet, pair.key.range?.[0]) : undefined;
  if (key === undefined || indent === undefined) return undefined;
  return insertLines(sheet, lineEnd(sheet.body, key), rendered(entry, indent + 2));
}

/** Takes the item at `index` out of the list; comments above it stay. */
export function removeItem(
  text: string,
  listPath: readonly PathItem[],
  index: number,
): string | undefined {
  const sheet = openSheet(text);
  const list = pairAt(sheet.document.contents, listPath)?.value;
  const item = isSeq(list) ? list.items[index] : undefined;
  if (!isSeq(list) || !isNode(item)) return undefined;
  if (list.flow === true) return removeFromFlow(sheet, list.items, index);
  const dash = dashOffset(list, index);
  if (dash === undefined) return undefined;
  const start = lineStart(sheet.body, dash);
  if (sheet.body.slice(start, dash).trim() !== '') return undefined;
  const end = lineEnd(sheet.body, deepEnd(item));
  return sheet.mark + sheet.body.slice(0, start) + sheet.body.slice(end);
}

/** Sets a boolean of the mapping at `path`; a new key stands behind `name`. */
export function setFlag(
  text: string,
  path: readonly PathItem[],
  key: string,
  value: boolean,
): string | undefined {
  const sheet = openSheet(text);
  const map = nodeAt(sheet.document.contents, path);
  if (!isMap(map)) return undefined;
  const own = pairOf(map, key);
  if (own !== undefined) {
    const range = isScalar(own.value) ? own.value.range : undefined;
    if (range === undefined || range === null || own.value === null) return undefined;
    const filler = range[0] === range[1] ? ' ' : '';
    return splice(sheet, range[0], range[1], `${filler}${value}`);
  }
  const first = pairOf(map, 'name') ?? map.items[0];
  const keyNode = first?.key;
  if (first === undefined || !isNode(keyNode)) return undefined;
  const end = isNode(first.value) ? deepEnd(first.value) : keyNode.range?.[1];
  if (end === undefined) return undefined;
  if (map.flow === true) return splice(sheet, end, end, `, ${key}: ${value}`);
  const column = columnOf(sheet, keyNode.range?.[0]);
  if (column === undefined) return undefined;
  return insertLines(sheet, lineEnd(sheet.body, end), `${' '.repeat(column)}${key}: ${value}\n`);
}

interface Sheet {
  readonly document: ReturnType<typeof parseDocument>;
  /** A byte order mark, or nothing. */
  readonly mark: string;
  readonly body: string;
  readonly newline: string;
  readonly lines: LineCounter;
}

function openSheet(text: string): Sheet {
  const mark = text.startsWith('\ufeff') ? '\ufeff' : '';
  const body = text.slice(mark.length);
  const lines = new LineCounter();
  const document = parseDocument(body, {
    version: '1.2',
    lineCounter: lines,
    keepSourceTokens: true,
    uniqueKeys: false,
    logLevel: 'error',
  });
  return { document, mark, body, newline: /\r\n/.test(body) ? '\r\n' : '\n', lines };
}

/** The entry as lines of a block list whose dashes stand in `column`. */
function rendered(entry: JsonObject, column: number): string {
  const document = new Document([entry], { compat: 'yaml-1.1' });
  const item = isSeq(document.contents) ? document.contents.items[0] : undefined;
  const args = isMap(item) ? item.get('args') : undefined;
  if (isCollection(args)) args.flow = true;
  const text = document.toString({ lineWidth: 0, flowCollectionPadding: false });
  return text.replace(/^(?=.)/gm, ' '.repeat(column));
}

function appended(sheet: Sheet, block: string): string | undefined {
  const { body } = sheet;
  // An end marker: what stands behind it belongs to no document.
  if (/(^|\n)\.\.\.\s*$/.test(body)) return undefined;
  return insertLines(sheet, body.length, block);
}

function addToFlow(sheet: Sheet, list: YAMLSeq, item: string): string | undefined {
  const last = list.items.at(-1);
  if (isNode(last)) {
    const end = deepEnd(last);
    return splice(sheet, end, end, `, ${item}`);
  }
  const end = list.range?.[1];
  if (end === undefined || sheet.body[end - 1] !== ']') return undefined;
  return splice(sheet, end - 1, end - 1, item);
}

/** One item of a flow list, or one pair of a flow map, with the comma that goes with it. */
function removeFromFlow(
  sheet: Sheet,
  items: readonly unknown[],
  index: number,
): string | undefined {
  const before = items[index - 1];
  const item = items[index];
  const after = items[index + 1];
  if (!isNode(item)) return undefined;
  if (isNode(before)) return splice(sheet, deepEnd(before), deepEnd(item), '');
  const start = item.range?.[0];
  if (start === undefined) return undefined;
  const end = isNode(after) ? after.range?.[0] : deepEnd(item);
  return end === undefined ? undefined : splice(sheet, start, end, '');
}

function insertLines(sheet: Sheet, at: number, lines: string): string {
  const { body, newline } = sheet;
  const isMidLine = at > 0 && body[at - 1] !== '\n';
  return splice(sheet, at, at, `${isMidLine ? newline : ''}${lines.replace(/\n/g, newline)}`);
}

function splice({ mark, body }: Sheet, start: number, end: number, text: string): string {
  return mark + body.slice(0, start) + text + body.slice(end);
}

/** Behind the last character that belongs to the node, comments and blank lines not counted. */
function deepEnd(node: Node): number {
  if (isCollection(node) && node.flow !== true) {
    const last: unknown = node.items.at(-1);
    if (isNode(last)) return deepEnd(last);
    const pair = last;
    const value = childOf(pair, 'value');
    const key = childOf(pair, 'key');
    if (isNode(value) && !(isScalar(value) && value.source === '')) return deepEnd(value);
    if (isNode(key)) return (key.range?.[1] ?? 0) + 1;
  }
  return node.range?.[1] ?? 0;
}

/** Behind the line break of the line that `offset` is in; a node that ends with one is not looked beyond. */
function lineEnd(body: string, offset: number): number {
  if (offset > 0 && body[offset - 1] === '\n') return offset;
  const end = body.indexOf('\n', offset);
  return end === -1 ? body.length : end + 1;
}

function lineStart(body: string, offset: number): number {
  return body.lastIndexOf('\n', offset - 1) + 1;
}

function columnOf({ lines }: Sheet, offset: number | undefined): number | undefined {
  return offset === undefined ? undefined : lines.linePos(offset).col - 1;
}

/** Where the dash of an item stands: the parser's tokens know, its nodes do not. */
function dashOffset(list: YAMLSeq, index: number): number | undefined {
  const token: unknown = list.srcToken;
  const start = childOf(childOf(childOf(token, 'items'), index), 'start');
  if (!Array.isArray(start)) return undefined;
  const dash: unknown = start.find((part: unknown) => childOf(part, 'type') === 'seq-item-ind');
  const offset = childOf(dash, 'offset');
  return typeof offset === 'number' ? offset : undefined;
}

function pairAt(root: unknown, path: readonly PathItem[]): Pair | undefined {
  const holder = nodeAt(root, path.slice(0, -1));
  return isMap(holder) ? pairOf(holder, String(path.at(-1))) : undefined;
}

function nodeAt(root: unknown, path: readonly PathItem[]): unknown {
  return path.reduce<unknown>((node, item) => {
    if (isMap(node)) return pairOf(node, String(item))?.value;
    return isSeq(node) && typeof item === 'number' ? node.items[item] : undefined;
  }, root);
}

function pairOf(map: YAMLMap, key: string): Pair | undefined {
  return map.items.find((pair) => isScalar(pair.key) && pair.key.value === key);
}

function isNode(value: unknown): value is Node {
  return isScalar(value) || isCollection(value);
}
