/**
 * Servers that were still connecting when the banner was shown: each is told once, when it is ready or
 * has failed. One that had failed is told when it is ready after all. Source: design 3.7.
 */
import type { HostEvent } from '../host/types.ts';
import type { ServerStatus } from '../mcp/types.ts';

export interface Stragglers {
  onEvent(event: HostEvent): void;
}

/**
 * `shown`: how the servers stood in the banner; `now`: how they stand, for what changed in between.
 * `tell` gets each of them at most once as ready, failed or without its token.
 */
export function watchStragglers(
  shown: readonly ServerStatus[],
  now: readonly ServerStatus[],
  tell: (status: ServerStatus) => void,
): Stragglers {
  const waiting = new Set(shown.filter((status) => !isSettled(status)).map(({ name }) => name));
  const failed = new Set(shown.filter(({ state }) => state === 'failed').map(({ name }) => name));
  const look = (status: ServerStatus) => {
    const { name, state } = status;
    const isNews = isSettled(status) && waiting.delete(name);
    if (isNews && state === 'failed') failed.add(name);
    const isRescued = state === 'ready' && failed.delete(name);
    if (isNews || isRescued) tell(status);
  };
  for (const status of now) look(status);
  return {
    onEvent(event) {
      if (event.type === 'server') look(event.status);
    },
  };
}

/** What a close ends is told by nobody: the run is over. */
function isSettled({ state }: ServerStatus): boolean {
  return state !== 'idle' && state !== 'connecting' && state !== 'discovering';
}
