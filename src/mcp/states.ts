/** The status of one server and who wants to hear of its changes. */
import type { ServerConfig } from '../config/types.ts';
import type { ServerStatus } from './types.ts';

export class StatusBoard {
  #status: ServerStatus;
  readonly #listeners = new Set<() => void>();

  constructor(config: ServerConfig) {
    this.#status = {
      name: config.name,
      kind: config.endpoint.kind,
      state: config.enabled ? 'idle' : 'disabled',
      era: undefined,
      protocolVersion: undefined,
      serverInfo: undefined,
      instructions: undefined,
      capabilities: {},
      tools: [],
      dropped: [],
      notices: [],
      error: undefined,
      readyMs: undefined,
    };
  }

  get current(): ServerStatus {
    return this.#status;
  }

  /** Changes what is named; everybody who listens is told afterwards. */
  update(change: Partial<ServerStatus>): void {
    this.#status = { ...this.#status, ...change };
    for (const listener of [...this.#listeners]) listener();
  }

  /** Adds lines that are not there yet. */
  notice(notices: readonly string[]): void {
    const known = this.#status.notices;
    const fresh = notices.filter((notice) => !known.includes(notice));
    if (fresh.length > 0) this.update({ notices: [...known, ...fresh] });
  }

  /** Returns the way to stop. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
