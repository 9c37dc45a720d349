/** What a server is known by where its name is not enough: a grant of a person is bound to it. */
import { scrubSecrets } from '../base/redact.ts';
import type { RemoteEndpoint } from '../transport/create.ts';

/** Its address or command line, without secrets. */
export function identityOf(endpoint: RemoteEndpoint): string {
  return endpoint.kind === 'stdio'
    ? scrubSecrets(JSON.stringify([endpoint.command, ...endpoint.args]))
    : scrubSecrets(endpoint.url);
}
