/** The credentials that a program of the user's gives: `headersCommand`, `auth: {type: command}`. */
import { createHeaderSource, type HeaderSource } from '../auth/header-source.ts';
import { authHeader } from '../auth/headers.ts';
import { runHeadersCommand } from '../auth/headers-command.ts';
import { createTokenCommandSource, runTokenCommand } from '../auth/token-command.ts';
import { AuthError } from '../base/errors.ts';
import type { ServerAuth } from '../config/types.ts';
import type { RemoteEndpoint } from '../transport/create.ts';
import { serverEnv } from '../transport/stdio-env.ts';
import type { ConnectionPorts } from './ports.ts';

/** `closing` ends a command that runs. Nothing is started yet. */
export function commandHeaders(
  server: string,
  endpoint: RemoteEndpoint,
  ports: Pick<ConnectionPorts, 'clock' | 'env' | 'spawn'>,
  closing: AbortSignal,
): HeaderSource | undefined {
  if (endpoint.kind === 'stdio' || endpoint.headersCommand === undefined) return undefined;
  const { argv, envPass, cwd } = endpoint.headersCommand;
  const { auth } = endpoint;
  return createHeaderSource(async () => {
    const env = serverEnv(ports.env, {}, envPass);
    const headers = await runHeadersCommand({ server, argv, env, cwd }, ports, closing);
    const rival = auth === undefined ? undefined : authHeader(auth);
    if (rival === undefined || headers[rival.toLowerCase()] === undefined) return headers;
    throw new AuthError(`server "${server}": headersCommand and auth both set ${rival}`, {
      hint: 'keep one of them',
      details: { sent: false },
    });
  });
}

/** The token of `auth: {type: command}`. `closing` ends a command that runs. Nothing is started yet. */
export function commandToken(
  server: string,
  { command: argv, envPass, cwd }: Extract<ServerAuth, { readonly type: 'command' }>,
  ports: Pick<ConnectionPorts, 'clock' | 'env' | 'spawn'>,
  closing: AbortSignal,
): HeaderSource {
  const env = serverEnv(ports.env, {}, envPass);
  const run = () => runTokenCommand({ server, argv, env, cwd }, ports, closing);
  return createTokenCommandSource(run, ports.clock);
}
