/** What a scene of the conformance driver is given, and how it reads what the commands print. */

export interface Outcome {
  readonly code: number;
  /** The document on stdout, where it is one. */
  readonly json: unknown;
}

export type Act = (words: readonly string[], wanted?: 'success' | 'refusal') => Promise<Outcome>;

export interface Stage {
  readonly url: string;
  /** Runs one command; rejects when it does not end as wanted (default: success). */
  readonly act: Act;
  /** The data of the scenario, `undefined` without any. */
  readonly context: unknown;
  /** Writes a private file; returns its path. */
  readonly keep: (name: string, text: string) => string;
  /** Name of the variable with the scenario's client secret, set for every command. */
  readonly secretEnv: string;
}

export type Scene = (stage: Stage) => Promise<void>;

export function items({ json }: Pick<Outcome, 'json'>, key: string): readonly unknown[] {
  const list = fieldOf(json, key);
  return Array.isArray(list) ? list : [];
}

export function textOf(value: unknown, key: string): string {
  const text = fieldOf(value, key);
  if (typeof text !== 'string') throw new Error(`there is no ${key} to go on with`);
  return text;
}

export function fieldOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Commands that refuse print no document.
    return undefined;
  }
}
