/**
 * Keeps secrets out of what is shown of a configuration file. Names decide: what stands under a
 * secret-like key is masked, as are userinfo and query values of URLs and well-known token shapes.
 */
import { isMap, isScalar, isSeq, visit } from 'yaml';
import {
  isOnlyReferences,
  isPlausibleVariable,
  isSecretName,
  TOKEN_SHAPE,
} from './secret-names.ts';

/** Offsets in the file's text. */
export interface SecretRange {
  readonly start: number;
  readonly end: number;
}

const MASK = '***';

/** Where secrets stand in a parsed file. */
export function secretRanges(root: unknown): readonly SecretRange[] {
  const ranges: SecretRange[] = [];
  if (!isMap(root) && !isSeq(root)) return ranges;
  visit(root, {
    Pair(_, pair) {
      if (!isScalar(pair.key)) return;
      const name = String(pair.key.value);
      const isVariableName = /Env$/.test(name);
      // The keys of an auth block are judged one by one.
      const isBlock = name === 'auth' && isMap(pair.value);
      if (isBlock || !(isSecretName(name) || isVariableName)) return;
      visit(isMap(pair.value) || isSeq(pair.value) || isScalar(pair.value) ? pair.value : null, {
        Scalar(key, node) {
          if (key === 'key' || !node.range || typeof node.value !== 'string') return;
          if (isVariableName && isPlausibleVariable(node.value)) return;
          if (isOnlyReferences(node.value)) return;
          ranges.push({ start: node.range[0], end: node.range[1] });
        },
      });
    },
  });
  return ranges;
}

/** A line with secrets replaced; `start` is the line's offset in the file. */
export function maskLine(line: string, start: number, ranges: readonly SecretRange[]): string {
  const indent = /^\s*/.exec(line)?.[0].length ?? 0;
  let masked = '';
  let at = 0;
  for (const range of [...ranges].sort((a, b) => a.start - b.start)) {
    const from = Math.max(at, range.start < start ? indent : range.start - start);
    const to = Math.min(range.end - start, line.length);
    if (to <= from) continue;
    masked += line.slice(at, from) + MASK;
    at = to;
  }
  return maskText(masked + line.slice(at));
}

/** Free text with what is secret by its looks replaced: for values and lines that no parser understood. */
export function maskText(text: string): string {
  return text
    .replace(/(\/\/)[^/\s"']*@/g, `$1${MASK}@`)
    .replace(/([?&][^=&\s"'#]*=)(?!\$\{)[^&\s"'#]+/g, `$1${MASK}`)
    .replace(/(:\/\/[^\s"'#]*#)[^\s"']+/g, `$1${MASK}`)
    .replace(/([\w-]+)(["']?\s*[:=]\s*)(["']?)([^\s"'[\]{},][^"'{}[\],]*)/g, maskPair)
    .replace(new RegExp(TOKEN_SHAPE, 'g'), MASK);
}

function maskPair(whole: string, key: string, colon: string, quote: string, value: string): string {
  const isReference = /^(?:\w+ )?\$$/.test(value) || value.startsWith(MASK);
  if (!isSecretName(key) || isReference) return whole;
  return `${key}${colon}${quote}${MASK}`;
}
