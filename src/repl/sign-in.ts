/** `/mcp login NAME`: a sign-in in a session, as a conversation on the person's terminal. */
import { InterruptedError } from '../base/errors.ts';
import type { OpenUrl } from '../base/open-url.ts';
import type { Interaction, SignInOutcome } from '../host/sign-ins.ts';
import type { Dialogue, Talk } from '../host/talk.ts';
import type { Host } from '../host/types.ts';

export interface SignInDeps {
  readonly talk: Talk;
  /** `undefined`: no browser is opened. */
  readonly openUrl: OpenUrl | undefined;
}

/** What came of it, in lines. Rejects with what went wrong, or the signal's reason. */
export async function signIn(
  server: string,
  host: Host,
  { talk, openUrl }: SignInDeps,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const over = new AbortController();
  const outcome = await talk(
    async (dialogue) => {
      const interaction = interactionIn(dialogue, openUrl);
      const how = { kind: 'here', interaction, isByDevice: false } as const;
      return host.signIn(server, { how, scope: undefined }, signal);
    },
    AbortSignal.any([signal, over.signal]),
  ).finally(() => over.abort());
  return outcome.kind === 'address' ? [outcome.url] : outcomeLines(server, outcome);
}

function interactionIn(dialogue: Dialogue, openUrl: OpenUrl | undefined): Interaction {
  return {
    openUrl,
    tell: (lines) => dialogue.show(lines),
    async readPaste() {
      const typed = await dialogue.read('paste: ');
      if (typed.kind === 'line') return typed.text;
      // Ctrl-C, or the end of input: the person gives up.
      throw new InterruptedError();
    },
  };
}

function outcomeLines(
  server: string,
  { issuer, scope, trouble }: Extract<SignInOutcome, { kind: 'signed in' }>,
): readonly string[] {
  const scopes = scope === undefined ? '' : `, scope ${scope}`;
  const lines = [`Signed in to ${server} by ${issuer}${scopes}.`];
  return trouble === undefined ? lines : [...lines, `It is not ready: ${trouble.message}`];
}
