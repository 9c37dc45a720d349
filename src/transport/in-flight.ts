/** The exchanges of one transport that are under way, so that `close` can end them all. */

export interface Control {
  readonly signal: AbortSignal;
  /** Ends this exchange alone. */
  abort(reason: unknown): void;
  /** The exchange is over: nothing refers to it any more. */
  release(): void;
}

export class InFlight {
  readonly #controllers = new Set<AbortController>();

  /** One signal for the caller's, for `abortAll` and for ourselves. */
  begin(caller: AbortSignal): Control {
    const controller = new AbortController();
    const onAbort = () => controller.abort(caller.reason);
    caller.addEventListener('abort', onAbort, { once: true });
    this.#controllers.add(controller);
    return {
      signal: controller.signal,
      abort: (reason) => controller.abort(reason),
      release: () => {
        caller.removeEventListener('abort', onAbort);
        this.#controllers.delete(controller);
      },
    };
  }

  abortAll(reason: unknown): void {
    for (const controller of this.#controllers) controller.abort(reason);
  }
}
