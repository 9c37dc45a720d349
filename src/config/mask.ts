/**
 * Keeps secrets out of what is shown of a configuration file. Names decide: what stands under a
 * secret-like key is masked, as are userinfo and query values of URLs and well-known token shapes.
 */
import { isMap, isScalar, isSeq } from 'yaml';
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

/** Where secrets stand in a parsed file. Aliases are judged where their anchor stands. */
export function secretRanges(root: unknown): readonly SecretRange[] {
  const ranges: SecretRange[] = [];
  const open: { readonly node: unknown; readonly name: string | undefined }[] = [
    { node: root, name: undefined },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, name } = next;
    if (isMap(node)) {
      for (const { key, value } of node.items) {
        const own = isScalar(key) ? String(key.value) : '';
        // The keys of an auth block are judged one by one.
        const isBlock = own === 'auth' && isMap(value);
        const isLost = own === 'headers' && !isMap(value);
        const holds = !isBlock && (isLost || holdsSecret(own));
        open.push({ node: value, name: holds ? own : name });
      }
    } else if (isSeq(node)) {
      let flag: string | undefined;
      for (const child of node.items) {
        open.push({ node: child, name: flag ?? name });
        flag = isScalar(child) && isSecretFlag(child.value) ? String(child.value) : undefined;
      }
    } else if (
      name !== undefined &&
      isScalar(node) &&
      node.range &&
      !isHarmless(name, node.value)
    ) {
      ranges.push({ start: node.range[0], end: node.range[1] });
    }
  }
  return ranges.sort((a, b) => a.start - b.start);
}

/** Text of one line with secrets replaced; `start` is its offset in the file, `ranges` are in order. */
export function maskLine(line: string, start: number, ranges: readonly SecretRange[]): string {
  const indent = /^\s*/.exec(line)?.[0].length ?? 0;
  let masked = '';
  let at = 0;
  for (const range of ranges) {
    const from = Math.max(at, range.start < start ? indent : range.start - start);
    const to = Math.min(range.end - start, line.length);
    if (to <= from) continue;
    masked += line.slice(at, from) + MASK;
    at = to;
  }
  return maskText(masked + line.slice(at));
}

/** Free text with what is secret by its looks replaced: for values and lines that no parser understood. Cut long text before: the cost may grow with its square. */
export function maskText(text: string): string {
  const urls = text
    .replace(/(\/\/)[^/\s"']*@/g, `$1${MASK}@`)
    .replace(/([?&][^=&\s"'#]*=)(?!\$\{)[^&\s"'#]+/g, `$1${MASK}`)
    .replace(/(:\/\/[^\s"'#]*#)[^\s"']+/g, `$1${MASK}`);
  return maskPairs(urls)
    .replace(/(--?[\w-]{1,64})(["']?(?:\s*,\s*|\s+|=)["']?)([^\s"',[\]{}]+)/g, maskFlag)
    .replace(new RegExp(TOKEN_SHAPE, 'g'), MASK);
}

/**
 * Words that somebody decides on, with secrets replaced. Of a value only letters, digits and `._~+/%=-` are
 * masked: what a shell or a program would run is never hidden behind a word such as `token=`.
 */
export function maskWords(text: string): string {
  return text
    .replace(/(\/\/)[\w.~%:+-]+@/g, `$1${MASK}@`)
    .replace(/([?&][\w.~%-]*=|:\/\/[^\s"'#]*#)[\w.~%+/=-]+/g, `$1${MASK}`)
    .replace(
      /([\w-]{1,64})(["']?\s*[:=]\s*["']?(?:Bearer |Basic )?)(?!Bearer |Basic )[\w.~%+/=-]+/g,
      (whole, name: string, gap: string) => (isSecretName(name) ? `${name}${gap}${MASK}` : whole),
    )
    .replace(
      /(--?[\w-]{1,64})(["']?(?:\s*,\s*|\s+|=)["']?)[\w.~%+/=-]+/g,
      (whole, flag: string, gap: string) => (isSecretFlag(flag) ? `${flag}${gap}${MASK}` : whole),
    )
    .replace(new RegExp(TOKEN_SHAPE, 'g'), MASK);
}

/** `--api-key`: what follows it in a list of arguments is a credential. */
function isSecretFlag(value: unknown): boolean {
  return (
    typeof value === 'string' && /^--?[\w-]+$/.test(value) && isSecretName(value.replace(/^-+/, ''))
  );
}

function maskFlag(whole: string, flag: string, gap: string, value: string): string {
  return isSecretFlag(flag) && !value.startsWith('$') ? `${flag}${gap}${MASK}` : whole;
}

/** True for a key whose value is a credential, or becomes one when somebody pastes it there. */
function holdsSecret(key: string): boolean {
  return isSecretName(key) || key.endsWith('Env');
}

function isHarmless(name: string, value: unknown): boolean {
  if (typeof value !== 'string') return value === null || typeof value === 'boolean';
  return isOnlyReferences(value) || (name.endsWith('Env') && isPlausibleVariable(value));
}

/** `key: value` and `key=value` where the key is secret-like; references stay readable. */
function maskPairs(text: string): string {
  let masked = '';
  let at = 0;
  for (const match of text.matchAll(/([\w-]{1,64})["']?\s*[:=]\s*["']?/g)) {
    const start = match.index + match[0].length;
    if (match.index < at || !isSecretName(match[1] ?? '')) continue;
    const value = /^[^"'{}[\],]*/.exec(text.slice(start))?.[0].trimEnd() ?? '';
    if (value === '' || /^(?:\w+ )?\$$/.test(value) || value.startsWith(MASK)) continue;
    masked += text.slice(at, start) + MASK;
    at = start + value.length;
  }
  return masked + text.slice(at);
}
