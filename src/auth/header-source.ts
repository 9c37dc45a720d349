/** The headers of one server that a command gives: asked for once per connection, and once more after a 401. */
import { raceAbort } from '../base/abort.ts';
import { discardBody, type Fetch } from '../base/http.ts';

export interface HeaderSource {
  /** Adds the command's headers to every request; they win over others of the same name. */
  wrap(fetch: Fetch): Fetch;
  /** A new connection begins: the command is run anew. */
  reset(): void;
}

type Headers = Readonly<Record<string, string>>;

/** `run` gives headers with names in lower case. It is not stopped when one of those who wait gives up. */
export function createHeaderSource(run: () => Promise<Headers>): HeaderSource {
  let current: Promise<Headers> | undefined;
  /** The headers of the last run were refused: another run would not help. */
  let isRefused = false;

  const ask = () => {
    const asked = run();
    current = asked;
    asked.catch(() => {
      if (current === asked) current = undefined;
    });
    return asked;
  };

  return {
    reset() {
      current = undefined;
      isRefused = false;
    },
    wrap(fetch) {
      const dressed: Fetch = async (url, init) => {
        const used = current ?? ask();
        const send = async (headers: Headers) =>
          fetch(url, { ...init, headers: overlaid(init.headers, headers) });
        const response = await send(await raceAbort(used, init.signal));
        if (response.status !== 401) {
          isRefused = false;
          return response;
        }
        // Another request may have renewed them meanwhile.
        if (used === current && isRefused) return response;
        await discardBody(response);
        const fresh = used === current || current === undefined ? ask() : current;
        const second = await send(await raceAbort(fresh, init.signal));
        isRefused = second.status === 401;
        return second;
      };
      return Object.assign(dressed, fetch);
    },
  };
}

function overlaid(headers: Headers, over: Headers): Record<string, string> {
  const own = Object.entries(headers).filter(([name]) => over[name.toLowerCase()] === undefined);
  return { ...Object.fromEntries(own), ...over };
}
