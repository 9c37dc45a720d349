/** Waiting for one server alone, up to its own limits. */
import { raceAbort } from '../base/abort.ts';
import type { Connection, ServerStatus } from '../mcp/types.ts';

/** True while a server may still bring tools. */
export function isPending({ state }: Pick<ServerStatus, 'state'>): boolean {
  return ['idle', 'connecting', 'discovering', 'retrying'].includes(state);
}

/** Resolves when the server is ready or has failed; rejects with the signal's reason only. */
export async function awaitServer(connection: Connection, signal: AbortSignal): Promise<void> {
  if (!isPending(connection.status())) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = connection.onChange(() => {
    if (!isPending(connection.status())) resolve();
  });
  try {
    await raceAbort(promise, signal);
  } finally {
    stop();
  }
}
