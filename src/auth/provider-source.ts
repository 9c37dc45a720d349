/** `auth: {type: provider}`: the token of a login that is kept elsewhere, read anew for every request. */
import { raceAbort } from '../base/abort.ts';
import { discardBody, type Fetch } from '../base/http.ts';
import type { HeaderSource } from './header-source.ts';

/**
 * `read` gives the token to send; `used` is one that was just refused. A request is repeated once after a 401, when
 * another token comes. What `read` rejects with goes to the one who sends.
 */
export function createProviderSource(
  read: (used: string | undefined, signal: AbortSignal) => Promise<string>,
): HeaderSource {
  return {
    // Nothing is kept here.
    reset: () => undefined,
    wrap(fetch) {
      const dressed: Fetch = async (url, init) => {
        const { signal } = init;
        const own = Object.entries(init.headers).filter(
          ([name]) => name.toLowerCase() !== 'authorization',
        );
        const send = (token: string) =>
          fetch(url, {
            ...init,
            headers: { ...Object.fromEntries(own), authorization: `Bearer ${token}` },
          });
        const token = await raceAbort(read(undefined, signal), signal);
        const response = await send(token);
        if (response.status !== 401) return response;
        let next: string;
        try {
          next = await raceAbort(read(token, signal), signal);
        } catch (error) {
          await discardBody(response);
          throw error;
        }
        if (next === token) return response;
        await discardBody(response);
        return send(next);
      };
      return Object.assign(dressed, fetch);
    },
  };
}
