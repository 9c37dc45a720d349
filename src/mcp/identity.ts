/** What a server is known by where its name is not enough: a grant of a person is bound to it. */
import { existsSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { scrubSecrets } from '../base/redact.ts';
import type { RemoteEndpoint } from '../transport/create.ts';

/**
 * Its address or command line, without secrets. A command line that means something else in another
 * directory (`node server.js`, `server-filesystem .`) is known by its working directory as well.
 */
export function identityOf(endpoint: RemoteEndpoint): string {
  if (endpoint.kind !== 'stdio') return scrubSecrets(endpoint.url);
  const { command, args, cwd } = endpoint;
  const isBound =
    (command.includes('/') && !isAbsolute(command)) || args.some((arg) => leadsInto(arg, cwd));
  return scrubSecrets(JSON.stringify([command, ...args, ...(isBound ? [{ cwd }] : [])]));
}

/** A relative path by its spelling, or because something of that name is there. */
function leadsInto(arg: string, cwd: string): boolean {
  if (arg === '' || isAbsolute(arg)) return false;
  // `--root=.` and `--root=./data`
  if (arg.startsWith('-')) return /=\.\.?(\/|$)/.test(arg);
  return /^\.\.?(\/|$)/.test(arg) || existsSync(resolve(cwd, arg));
}
