/** The tools of one server as they were last read, and when to read them again. */
import { anySignal, startLimit } from '../base/abort.ts';
import { LimitError } from '../base/errors.ts';
import type { JsonObject, JsonValue } from '../base/json.ts';
import type { ServerConfig } from '../config/types.ts';
import { listTools, type ToolListing } from './discover.ts';
import { durationText } from './errors.ts';
import type { Link } from './link.ts';
import { pageReader } from './list-pages.ts';
import type { ConnectionPorts } from './ports.ts';
import type { ServerMemory } from './server-memory.ts';
import type { StatusBoard } from './states.ts';

export interface ToolListOptions {
  readonly config: ServerConfig;
  readonly ports: ConnectionPorts;
  readonly board: StatusBoard;
  readonly memory: ServerMemory;
}

export class ToolList {
  /** The server said that it changed, or may have changed it unseen. */
  isDirty = false;
  readonly #options: ToolListOptions;
  #refreshing: Promise<void> | undefined;

  constructor(options: ToolListOptions) {
    this.#options = options;
  }

  /** Reads all pages, shows and remembers them. Rejects as the first page does. */
  async read(link: Link, signal: AbortSignal): Promise<void> {
    const { config, memory, ports } = this.#options;
    this.isDirty = false;
    const readPage = pageReader(config.name, ports, link, signal);
    memory.listed(await this.#show(link, readPage, signal));
  }

  /** Shows the items of an earlier run. */
  async showKept(link: Link, items: readonly JsonObject[], signal: AbortSignal): Promise<void> {
    await this.#show(link, async () => ({ tools: items }), signal);
  }

  /** Reads it again, under the limit of a connect. Never rejects: the last good one stays. */
  refresh(link: Link, signal: AbortSignal): Promise<void> {
    this.#refreshing ??= this.#refreshOnce(link, signal).finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #refreshOnce(link: Link, signal: AbortSignal): Promise<void> {
    const { config, ports } = this.#options;
    const { connectMs } = config.timeout;
    const limit = startLimit(
      ports.clock,
      connectMs,
      () => new LimitError(`no answer to tools/list within ${durationText(connectMs)}`),
    );
    try {
      await this.read(link, anySignal(signal, limit.signal));
    } catch (error) {
      this.isDirty = true;
      const reason = error instanceof Error ? error.message : String(error);
      ports.log('warn', `server "${config.name}": the tool list stays as it was: ${reason}`);
    } finally {
      limit.dispose();
    }
  }

  async #show(
    link: Link,
    readPage: (params: JsonObject) => Promise<JsonValue>,
    signal: AbortSignal,
  ): Promise<ToolListing> {
    const { board, config } = this.#options;
    const checkHeaders = board.current.era === 'modern' && link.transport.kind === 'http';
    const listing = await listTools(readPage, signal, checkHeaders);
    board.update({ tools: listing.tools, dropped: listing.dropped });
    board.notice(listing.notices.map((notice) => `server "${config.name}": ${notice}`));
    return listing;
  }
}
