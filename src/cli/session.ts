/** The interactive session: joins the host to the line editor. Loaded only when there is a terminal. */
import type { ExitCode } from '../base/exit.ts';
import type { Context } from './context.ts';
import { checkServerNames, tellStart, throwIfFatal, withHost } from './house.ts';
import { openSaved } from './saving.ts';
import { loadTrusted } from './trust.ts';

/** Runs until the person leaves. Throws what keeps it from starting. */
export async function runSession(context: Context): Promise<ExitCode> {
  const { options, parts, env, interrupts, screen, signal } = context;
  const config = await loadTrusted(context);
  checkServerNames(config, options.servers ?? []);
  const repl = await parts.createRepl(env, !options.ephemeral);
  const saved = await openSaved(context, true);
  if (saved !== undefined && !options.quiet) {
    const count = saved.saving.history.length;
    const said = count === 0 ? '' : `, ${count} messages so far`;
    screen.line(`saved as session ${saved.id}${said}; usher --session ${saved.id} goes on with it`);
  }
  const request = {
    config,
    servers: options.servers,
    askUser: options.noInput ? undefined : repl.askUser,
    talk: options.noInput ? undefined : repl.talk,
    onEvent: repl.onEvent,
    surface: 'session',
    preloadModel: true,
    saved,
  };
  const withPatience = {
    ...context,
    options: { ...options, patienceMs: options.patienceMs ?? config.mcp.patienceMs },
  };
  return withHost(withPatience, request, async (host) => {
    const report = await host.start(signal);
    tellStart(context, { host, config, report });
    throwIfFatal(report, config);
    // From here the session owns the terminal and the signals.
    interrupts.dispose();
    screen.divert(repl.note);
    return repl.run(host, signal);
  });
}
