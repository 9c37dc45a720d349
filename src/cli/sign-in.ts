/** How a sign-in reaches the person at the command line: a browser, lines on stderr, the terminal for a paste. */
import { envValue } from '../base/env.ts';
import { createOpenUrl } from '../base/open-url.ts';
import type { Interaction } from '../host/sign-ins.ts';
import type { Context } from './context.ts';
import { findPerson, type Person } from './person.ts';

export interface CommandInteraction extends Interaction {
  close(): void;
}

/**
 * For a login command, which the person asked for: whatever is there. A browser is tried unless
 * `--no-browser` is set.
 */
export function interactionOf(context: Context): CommandInteraction {
  const { options, env, clock } = context;
  return interactionWith(
    context,
    options.login.noBrowser ? undefined : createOpenUrl(env, clock),
    findPerson({ ...context, ...options, stderrIsTerminal: context.screen.isTerminal }),
  );
}

/**
 * For a bare URL, which may start a login by itself: only where a person is at the terminal or `$BROWSER`
 * is set. `undefined`: neither.
 */
export function interactionForUrl(context: Context): CommandInteraction | undefined {
  const { options, env, clock, screen } = context;
  if (options.noInput) return undefined;
  const person = findPerson({ ...context, ...options, stderrIsTerminal: screen.isTerminal });
  if (person === undefined && envValue(env, 'BROWSER') === undefined) return undefined;
  return interactionWith(context, createOpenUrl(env, clock), person);
}

function interactionWith(
  { screen }: Context,
  openUrl: Interaction['openUrl'],
  person: Person | undefined,
): CommandInteraction {
  return {
    openUrl,
    tell: (lines) => {
      for (const line of lines) screen.line(line);
    },
    readPaste:
      person &&
      (async (signal) => {
        const line = await person.readLine(signal);
        if (line !== undefined) return line;
        // The end of input is no answer; the callback may still come.
        return new Promise<never>((_resolve, reject) => {
          const onAbort = () => reject(signal.reason);
          if (signal.aborted) onAbort();
          signal.addEventListener('abort', onAbort, { once: true });
        });
      }),
    close: () => person?.close(),
  };
}
