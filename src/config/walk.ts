/**
 * From YAML nodes to plain values, and from a path back to a place in the text. Anchors, aliases,
 * merge keys and repeated keys are handled here, each with a bound or a problem.
 */
import { type Document, isAlias, isMap, isScalar, isSeq, type Pair, type YAMLMap } from 'yaml';
import type { PathItem, Problem } from './problem.ts';
import { PlainScalar } from './schema/atoms.ts';
import { TOO_DEEP } from './syntax.ts';

/** Turns nodes into values, in document order, so that every alias finds its anchor. */
export class Walk {
  readonly problems: Problem[] = [];
  private readonly anchors = new Map<
    string,
    { node: unknown; value: unknown; size: number; open: boolean }
  >();
  private readonly aliasTargets = new Map<unknown, unknown>();
  private readonly path: PathItem[] = [];
  private isTooDeep = false;
  private converted = 0;
  private aliased = 0;

  convert(node: unknown): unknown {
    this.converted += 1;
    if (this.path.length > MAX_DEPTH) return this.refuseDepth(node);
    if (isAlias(node)) return this.resolve(node);
    const anchor = this.openAnchor(node);
    const before = this.converted;
    const value = this.convertPlain(node);
    if (anchor !== undefined) {
      anchor.value = value;
      anchor.size = this.converted - before + 1;
      anchor.open = false;
    }
    return value;
  }

  /** Offset of a path; aliases are followed to what they stand for. */
  locate(document: Document, path: readonly PathItem[], part: 'key' | 'value'): number {
    let node: unknown = document.contents;
    let offset = startOf(node) ?? 0;
    for (const [depth, item] of path.entries()) {
      const target = this.aliasTargets.get(node) ?? node;
      const isLast = depth === path.length - 1;
      if (isMap(target)) {
        const pair = this.pairOf(target, String(item));
        if (pair === undefined) return offset;
        const keyOffset = startOf(pair.key) ?? offset;
        node = pair.value;
        offset = isLast && part === 'key' ? keyOffset : (startOfFilled(node) ?? keyOffset);
      } else if (isSeq(target)) {
        if (typeof item !== 'number' || item >= target.items.length) return offset;
        node = target.items[item];
        offset = startOf(node) ?? offset;
      } else return offset;
    }
    return offset;
  }

  private convertPlain(node: unknown): unknown {
    if (isMap(node)) return this.convertMap(node);
    if (isSeq(node)) {
      return node.items.map((item, index) => this.below(index, () => this.convert(item)));
    }
    if (!isScalar(node)) return null;
    const { value, source = '' } = node;
    if (typeof value === 'string' || value === null) return value;
    if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') {
      return new PlainScalar(value, source);
    }
    this.report(startOf(node), `the tag ${node.tag ?? ''} is not supported here`);
    return null;
  }

  private refuseDepth(node: unknown): null {
    if (!this.isTooDeep)
      this.problems.push({ offset: startOf(node) ?? 0, path: [], text: TOO_DEEP });
    this.isTooDeep = true;
    return null;
  }

  private convertMap(map: YAMLMap): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    const seen = new Set<string>();
    const merged: unknown[] = [];
    for (const pair of map.items) {
      const key = keyText(pair.key);
      if (key === undefined) {
        this.report(startOf(pair.key), 'expected a plain word as key');
        continue;
      }
      this.below(key, () => {
        if (seen.has(key)) this.report(startOf(pair.key), 'this key stands here a second time');
        else if (FORBIDDEN_KEYS.has(key)) this.report(startOf(pair.key), 'this key is not allowed');
        else if (isMergeKey(pair)) merged.push(...this.mergeSources(pair.value));
        else result[key] = this.convert(pair.value);
      });
      seen.add(key);
    }
    for (const source of merged) {
      if (typeof source !== 'object' || source === null) continue;
      for (const [key, value] of Object.entries(source)) if (!(key in result)) result[key] = value;
    }
    return result;
  }

  private mergeSources(node: unknown): readonly unknown[] {
    const before = this.problems.length;
    const value = this.convert(node);
    if (this.problems.length > before) return [];
    const sources = Array.isArray(value) ? value : [value];
    const areMaps = sources.every(
      (source) =>
        typeof source === 'object' &&
        source !== null &&
        !Array.isArray(source) &&
        !(source instanceof PlainScalar),
    );
    if (!areMaps) this.report(startOf(node), 'expected a mapping, or a list of them, to merge');
    return areMaps ? sources : [];
  }

  private resolve(alias: { readonly source: string }): unknown {
    const anchor = this.anchors.get(alias.source);
    if (anchor === undefined) {
      this.report(startOf(alias), `the anchor &${alias.source} does not exist above this line`);
      return null;
    }
    if (anchor.open) {
      this.report(startOf(alias), `the anchor &${alias.source} contains itself`);
      return null;
    }
    const wasWithin = this.aliased <= MAX_ALIASED_VALUES;
    this.aliased += anchor.size;
    this.converted += anchor.size;
    if (this.aliased > MAX_ALIASED_VALUES) {
      if (wasWithin) {
        this.report(
          startOf(alias),
          `aliases add more than ${MAX_ALIASED_VALUES} values to this file`,
        );
      }
      return null;
    }
    this.aliasTargets.set(alias, anchor.node);
    return anchor.value;
  }

  private openAnchor(node: unknown) {
    if (!(isMap(node) || isSeq(node) || isScalar(node)) || node.anchor === undefined)
      return undefined;
    const anchor = { node, value: null as unknown, size: 1, open: true };
    this.anchors.set(node.anchor, anchor);
    return anchor;
  }

  private pairOf(map: YAMLMap, key: string): Pair | undefined {
    const own = map.items.find((pair) => keyText(pair.key) === key);
    if (own !== undefined) return own;
    for (const pair of map.items) {
      if (!isMergeKey(pair)) continue;
      const sources = isSeq(pair.value) ? pair.value.items : [pair.value];
      for (const source of sources) {
        const target = this.aliasTargets.get(source) ?? source;
        const found = isMap(target) ? this.pairOf(target, key) : undefined;
        if (found !== undefined) return found;
      }
    }
    return undefined;
  }

  private below<T>(item: PathItem, work: () => T): T {
    this.path.push(item);
    try {
      return work();
    } finally {
      this.path.pop();
    }
  }

  private report(offset: number | undefined, text: string): void {
    this.problems.push({ offset: offset ?? 0, path: [...this.path], text });
  }
}

/** Values that aliases may add in all: a bound against files that multiply themselves. */
const MAX_ALIASED_VALUES = 10_000;
/** Levels of lists and mappings; ours need eight. */
const MAX_DEPTH = 100;
/** Keys that would reach the prototype of an object. */
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'prototype', 'constructor']);

/** A key's text as written; `undefined` for keys that are lists, mappings, aliases or empty. */
function keyText(key: unknown): string | undefined {
  if (!isScalar(key)) return undefined;
  if (typeof key.value === 'string') return key.value;
  return key.value === null || key.source === undefined ? undefined : key.source;
}

function isMergeKey(pair: Pair): boolean {
  return isScalar(pair.key) && pair.key.value === '<<' && pair.key.type === 'PLAIN';
}

function startOf(node: unknown): number | undefined {
  if (typeof node !== 'object' || node === null || !('range' in node)) return undefined;
  const { range } = node;
  return Array.isArray(range) && typeof range[0] === 'number' ? range[0] : undefined;
}

/** The start of a node with text of its own: an empty value has none, its key stands for it. */
function startOfFilled(node: unknown): number | undefined {
  return isScalar(node) && node.value === null && node.source === '' ? undefined : startOf(node);
}
