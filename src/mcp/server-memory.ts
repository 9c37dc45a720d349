/** What is remembered of one server between runs, as far as its own cache hints and our credentials let us. */

import type { SignIn } from '../auth/sign-in.ts';
import type { JsonObject } from '../base/json.ts';
import type { ServerConfig } from '../config/types.ts';
import type { RemoteEndpoint } from '../transport/create.ts';
import type { ToolListing } from './discover.ts';
import { memoryKey, type Remembered } from './era-memory.ts';
import { type Agreement, agreeModern } from './negotiate.ts';
import type { ConnectionPorts } from './ports.ts';

export class ServerMemory {
  readonly #ports: ConnectionPorts;
  readonly #protocol: ServerConfig['protocol'];
  readonly #key: string;
  readonly #hasCredentials: () => boolean;
  #agreement: Agreement | undefined;

  /** `signIn`: of a server that may be signed in to; what counts is whether it is. */
  constructor(
    config: ServerConfig,
    endpoint: RemoteEndpoint,
    ports: ConnectionPorts,
    signIn: Pick<SignIn, 'isSignedIn'> | undefined,
  ) {
    this.#ports = ports;
    this.#protocol = config.protocol;
    this.#key = memoryKey(endpoint);
    const isGiven = hasCredentials(endpoint);
    this.#hasCredentials = () => isGiven || signIn?.isSignedIn === true;
  }

  /** A pinned server is as its entry says. */
  isKnownLegacy(): boolean {
    return this.#protocol === 'auto' && this.#recall()?.era === 'legacy';
  }

  /** The agreement to go on from without asking again. */
  modern(): Agreement | undefined {
    const found = this.#recall();
    return found?.era === 'modern' && this.#protocol !== 'legacy' ? agreeModern(found) : undefined;
  }

  /** The items of tools/list, while the server lets them be kept. */
  tools(): readonly JsonObject[] | undefined {
    const found = this.#recall();
    const tools =
      found?.era === 'modern' && this.#ports.usesKeptTools === true ? found.tools : undefined;
    return tools !== undefined && tools.until > this.#now() ? tools.items : undefined;
  }

  agreed(agreement: Agreement): void {
    this.#agreement = agreement;
  }

  /** The list was read; what was agreed on before holds. */
  listed(listing: ToolListing): void {
    const { memory } = this.#ports;
    const agreement = this.#agreement;
    if (memory === undefined || agreement === undefined) return;
    if (agreement.era === 'legacy') {
      if (this.#protocol === 'auto' && agreement.isFirm)
        memory.remember(this.#key, { era: 'legacy' });
      return;
    }
    const { ttlMs, isPublic } = listing;
    const mayKeep = ttlMs > 0 && (isPublic || !this.#hasCredentials());
    memory.remember(this.#key, {
      era: 'modern',
      version: agreement.protocolVersion,
      discovery: agreement.discovery,
      ...(mayKeep
        ? { tools: { items: listing.tools.map(({ raw }) => raw), until: this.#now() + ttlMs } }
        : {}),
    });
  }

  forget(): void {
    this.#ports.memory?.forget(this.#key);
  }

  #recall(): Remembered | undefined {
    return this.#ports.memory?.recall(this.#key);
  }

  #now(): number {
    return this.#ports.clock.date().getTime();
  }
}

/** What only these credentials may see must not be shown to others, nor to nobody. */
function hasCredentials(endpoint: RemoteEndpoint): boolean {
  if (endpoint.kind === 'stdio') {
    return Object.keys(endpoint.env).length > 0 || endpoint.envPass.length > 0;
  }
  if (endpoint.headersCommand !== undefined) return true;
  const { auth, headers } = endpoint;
  return (auth !== undefined && auth.type !== 'oauth') || Object.keys(headers).length > 0;
}
