/** A conversation with a person: what a surface provides, and what the host says through it. */

export type Typed =
  | { readonly kind: 'line'; readonly text: string }
  /** Ctrl-C or the end of input. */
  | { readonly kind: 'end' }
  /** Nobody answered in time. */
  | { readonly kind: 'nobody' };

/** A terminal that belongs to one conversation. */
export interface Dialogue {
  readonly columns: number;
  /** Shows whole lines, escaped and wrapped to `columns` by the caller; the terminal breaks what is wider. */
  show(lines: readonly string[]): void;
  /** One typed line. After `end` or `nobody` nothing else comes. Rejects with the signal's reason. */
  read(prompt: string): Promise<Typed>;
  /** Makes a part of a line stand out where the terminal can. */
  strong(text: string): string;
}

/**
 * Holds the person's terminal while `conversation` runs; it is freed afterwards, whatever happens. Needs
 * to be queued by its owner: one conversation at a time. Rejects as the conversation does, and with the
 * signal's reason.
 */
export type Talk = <T>(
  conversation: (dialogue: Dialogue) => Promise<T>,
  signal: AbortSignal,
) => Promise<T>;
