/** Expands the texts of one block; what keeps a text from being used is collected, what is secret registered. */
import type { Env } from '../base/env.ts';
import { registerSecret } from '../base/redact.ts';
import { expand } from './expand.ts';
import { sentHeaderProblem } from './header-rules.ts';
import type { PathItem, RuleBreak } from './problem.ts';
import { isSecretName, looksLikeSecret } from './secret-names.ts';
import { urlProblem } from './url-rules.ts';

/** A shorter literal would mask ordinary words in every log. */
export const MIN_LITERAL_SECRET = 8;

/** Expands texts of one block and collects what keeps them from it. */
export class Fill {
  private readonly env: Env;
  private readonly breaks: RuleBreak[];
  private readonly reportMissing: boolean;

  constructor(env: Env, breaks: RuleBreak[], reportMissing = true) {
    this.env = env;
    this.breaks = breaks;
    this.reportMissing = reportMissing;
  }

  /**
   * The expanded text; the text as written where that fails. `name` is the header, variable or key
   * it stands under: a secret-like one makes the value a registered secret.
   */
  text(text: string, path: readonly PathItem[], name: string, trimmed = false): string {
    const result = expand(text, this.env, trimmed);
    if (result.kind === 'bad') {
      this.break(path, result.text);
      return text;
    }
    if (result.kind === 'missing') {
      if (this.reportMissing) this.break(path, missingText(result.variables, this.env));
      return text;
    }
    const isSecret = isSecretName(name);
    for (const used of result.used) {
      if (isSecret || isSecretName(used.name) || looksLikeSecret(used.value)) {
        registerSecret(used.value);
      }
    }
    if (isSecret && result.used.length === 0 && result.text.length >= MIN_LITERAL_SECRET)
      registerSecret(result.text);
    return result.text;
  }

  break(path: readonly PathItem[], text: string): void {
    this.breaks.push({ path, text, part: 'value' });
  }

  /** Headers as they are sent: trimmed, checked. */
  headers(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    const filled: Record<string, string> = {};
    for (const [name, written] of Object.entries(headers)) {
      const before = this.breaks.length;
      const value = this.text(written, ['headers', name], name, true).trim();
      const problem = this.breaks.length === before ? sentHeaderProblem(name, value) : undefined;
      if (problem !== undefined) this.break(['headers', name], problem);
      filled[name] = value;
    }
    return filled;
  }

  /** A URL that may be used; anything wrong with it is reported. */
  url(
    written: string,
    path: readonly PathItem[],
    allowPrivate: boolean,
    transport?: 'http' | 'sse' | 'ws',
  ): string {
    const before = this.breaks.length;
    const url = this.checked(written, path, 'url', (text) =>
      urlProblem(text, allowPrivate, transport),
    );
    if (this.breaks.length === before) registerQuerySecrets(url);
    return url;
  }

  /** Expanded and trimmed; what `problemOf` says about it is reported. A text that stays as written is not judged. */
  checked(
    written: string,
    path: readonly PathItem[],
    name: string,
    problemOf: (text: string) => string | undefined,
  ): string {
    const before = this.breaks.length;
    const text = this.text(written, path, name, true).trim();
    const isRaw = text === written.trim() && text.includes(`\${`);
    const problem = this.breaks.length === before && !isRaw ? problemOf(text) : undefined;
    if (problem !== undefined) this.break(path, problem);
    return text;
  }
}

function registerQuerySecrets(url: string): void {
  if (!URL.canParse(url)) return;
  for (const [name, value] of new URL(url).searchParams) {
    if (isSecretName(name) && value.length >= MIN_LITERAL_SECRET) registerSecret(value);
  }
}

/** The value after a secret-like flag (`--api-key X`, `--token=X`) is registered as a secret. */
export function fillArgs(
  args: readonly string[],
  fill: Fill,
  base: readonly PathItem[] = ['args'],
): readonly string[] {
  return args.map((arg, index) => {
    const [flag = '', ...rest] = arg.split('=');
    const value = rest.join('=');
    if (flag.startsWith('-') && isSecretName(flag.replace(/^-+/, '')) && value !== '') {
      return `${flag}=${fill.text(value, [...base, index], flag.replace(/^-+/, ''))}`;
    }
    const before = args[index - 1] ?? '';
    const name = /^--?[\w-]+$/.test(before) ? before.replace(/^-+/, '') : '';
    return fill.text(arg, [...base, index], name);
  });
}

function missingText(variables: readonly string[], env: Env): string {
  const named = variables.map(
    (name) => `$${name} is ${env[name] === undefined ? 'not set' : 'empty'}`,
  );
  const [first = ''] = variables;
  return `${named.join(', ')}; set it, or write a default: \${${first}:-…}`;
}
