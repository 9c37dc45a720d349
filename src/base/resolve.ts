/** Names to addresses, as a port: the system's own resolver in the binary, a table in tests. */

/**
 * All addresses of a host name, in the order to try them; never empty. Rejects with an Error that has a
 * `code`, as `fetch` does (ENOTFOUND, EAI_AGAIN).
 */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** As the system resolves, hosts file included. `node:dns` is loaded only where a name has to be resolved. */
export const systemResolve: Resolve = async (host) => {
  const { lookup } = await import('node:dns/promises');
  const found = await lookup(host, { all: true });
  return [...new Set(found.map(({ address }) => address))];
};
