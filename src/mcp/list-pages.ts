/** One page of a list over a link, with what may be tried again. */
import { raceAbort } from '../base/abort.ts';
import type { JsonObject, JsonValue } from '../base/json.ts';
import { isMethodNotFound } from './errors.ts';
import type { Link } from './link.ts';
import type { ConnectionPorts } from './ports.ts';
import { isRetryable, retryConnecting } from './retry.ts';

/** For `listTools`. Rejects as `Link.request` does, after the retries of a connect. */
export function pageReader(
  name: string,
  ports: ConnectionPorts,
  link: Link,
  signal: AbortSignal,
): (params: JsonObject) => Promise<JsonValue> {
  const rules = { name, ports, signal, isWorthIt: isRetryable };
  return (params) => retryConnecting(rules, () => readPage(link, params, signal));
}

/** A list that overtook `initialized` is refused by some servers; it is asked for once more after it. */
async function readPage(link: Link, params: JsonObject, signal: AbortSignal): Promise<JsonValue> {
  const read = () => link.request('tools/list', params, { signal });
  try {
    return await read();
  } catch (error) {
    if (link.acknowledging === undefined || isMethodNotFound(error)) throw error;
    await raceAbort(link.acknowledging, signal);
    return read();
  }
}
