/** What a person is told who signs in to a server that has no sign-in. */
import { UsageError } from '../base/errors.ts';
import type { ServerAuth, ServerConfig } from '../config/types.ts';

/** Says where its credentials come from instead. */
export function noSignIn({ name, endpoint }: ServerConfig): UsageError {
  const refused = (why: string, hint?: string) =>
    new UsageError(
      `server ${name} is not signed in to: ${why}`,
      hint === undefined ? {} : { hint },
    );
  switch (endpoint.kind) {
    case 'builtin':
      return refused('it is a part of usher');
    case 'stdio':
      return refused('it is a program on this machine', 'what it needs goes in by env or envPass');
    case 'ws':
      return refused('it is spoken to over a WebSocket', 'auth: bearer or headers go with that');
    case 'http':
    case 'sse':
      return refused(...insteadOf(endpoint.auth));
  }
}

function insteadOf(auth: ServerAuth | undefined): readonly [why: string, hint: string] {
  switch (auth?.type) {
    case 'provider':
      return [`it uses the login ${auth.provider}`, `usher login ${auth.provider}`];
    case 'bearer':
    case 'apiKey':
      return [`its token stands in the variable ${auth.tokenEnv}`, OAUTH];
    case 'command':
      return ['its token comes from auth.command', OAUTH];
    case 'oauth':
    case undefined:
      return ['its headers hold a credential, or headersCommand gives one', OAUTH];
  }
}

const OAUTH = 'auth: { type: oauth } in place of that makes it so';
