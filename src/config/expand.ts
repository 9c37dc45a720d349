/**
 * `${VAR}` and `${VAR:-default}` inside one parsed text. Knows nothing of files.
 * Grammar: NAME is a letter or _ first, then letters, digits, _. `$${` stands for `${`. A lone `$`
 * and `$NAME` stay as they are. Values are put in as they are, never expanded again.
 */
import type { Env } from '../base/env.ts';

export interface Expansion {
  readonly kind: 'expanded';
  readonly text: string;
  /** Variables whose value stands in `text`. */
  readonly used: readonly { readonly name: string; readonly value: string }[];
}

/** What keeps a text from being expanded: a spelling that is none, or variables without a value. */
export type ExpandFailure =
  | { readonly kind: 'bad'; readonly reference: string; readonly text: string }
  | { readonly kind: 'missing'; readonly variables: readonly string[] };

/**
 * Expands `text`. An empty variable takes the default as an unset one does; without a default an
 * unset variable is missing. `trimmed`, for headers and URLs: values lose the white space around them
 * (tokens from files end in a newline), and an empty one is missing.
 */
export function expand(text: string, env: Env, trimmed: boolean): Expansion | ExpandFailure {
  const missing: string[] = [];
  const used: { name: string; value: string }[] = [];
  let result = '';
  let at = 0;
  for (;;) {
    const start = text.indexOf(OPEN, at);
    if (start < 0) break;
    if (start > at && text[start - 1] === '$') {
      result += `${text.slice(at, start - 1)}\${`;
      at = start + 2;
      continue;
    }
    result += text.slice(at, start);
    const end = text.indexOf('}', start);
    const reference = end < 0 ? text.slice(start) : text.slice(start, end + 1);
    const match = REFERENCE.exec(reference);
    if (match === null) return { kind: 'bad', reference, text: badText(reference, end < 0) };
    const [, name = '', fallback] = match;
    const value = trimmed ? env[name]?.trim() : env[name];
    if (value !== undefined && value !== '') {
      used.push({ name, value });
      result += value;
    } else if (fallback !== undefined) result += fallback;
    else if (value === undefined || trimmed) missing.push(name);
    at = end + 1;
  }
  if (missing.length > 0) return { kind: 'missing', variables: [...new Set(missing)] };
  return { kind: 'expanded', text: result + text.slice(at), used };
}

/** The text that expands to `text` itself. */
export function escapeReferences(text: string): string {
  // A replacement text would read `$$` as one `$`.
  return text.replaceAll(OPEN, () => `$${OPEN}`);
}

/** True when the text holds at least one `${VAR}`. */
export function hasReference(text: string): boolean {
  return /(?<!\$)\$\{[A-Za-z_]\w*(?::-[^}]*)?\}/.test(text);
}

const OPEN = `\${`;
const REFERENCE = /^\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-((?:(?!\$\{)[^}])*))?\}$/;

function badText(reference: string, isUnclosed: boolean): string {
  if (isUnclosed) return `a \${ is never closed; write \${VAR}, or $\${ for the characters \${`;
  const prefixed = /^\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}$/.exec(reference);
  if (prefixed !== null)
    return `\${env:${prefixed[1]}} is not known here; write \${${prefixed[1]}}`;
  if (reference.slice(2).includes(OPEN)) return `a default cannot hold another \${VAR}`;
  return `only \${VAR} and \${VAR:-default} are known; write $\${ for the characters \${`;
}
