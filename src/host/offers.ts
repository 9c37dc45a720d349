/** What all servers offer beside tools, in step with their states and notifications. */
import type { Clock } from '../base/clock.ts';
import type { Connection } from '../mcp/types.ts';
import { type OfferKind, ServerOffers } from './server-offers.ts';

export interface Offers {
  /** In the order of the configuration; built-ins offer nothing. */
  readonly servers: readonly ServerOffers[];
  find(server: string): ServerOffers | undefined;
  /** True as soon as a server whose tools are not hidden was ready and had them, and from then on. */
  has(kind: OfferKind): boolean;
  /** A server changed its state. */
  changed(connection: Connection): void;
  /** A server notified us. */
  notified(server: string, method: string): void;
}

/** Asks nothing by itself. */
export function createOffers(connections: readonly Connection[], clock: Clock): Offers {
  const servers = connections
    .filter(({ kind }) => kind !== 'builtin')
    .map((connection) => new ServerOffers(connection, clock));
  const had = new Set<OfferKind>();
  const find = (name: string) => servers.find((server) => server.name === name);
  return {
    servers,
    find,
    has: (kind) => had.has(kind),
    changed({ name }) {
      const server = find(name);
      if (server === undefined) return;
      const { connection } = server;
      if (connection.status().state !== 'ready') server.forget();
      if (connection.config.exposure === 'hidden') return;
      for (const kind of ['resources', 'prompts', 'skills'] as const) {
        if (server.offers(kind)) had.add(kind);
      }
    },
    notified(server, method) {
      if (method === 'notifications/resources/list_changed') find(server)?.forget('resources');
      if (method === 'notifications/prompts/list_changed') find(server)?.forget('prompts');
    },
  };
}
