/** The interactive session: joins the host to the line editor. Loaded only when there is a terminal. */
import type { ExitCode } from '../base/exit.ts';
import type { Context } from './context.ts';
import { checkServerNames, loadConfig, tellStart, throwIfFatal, withHost } from './house.ts';

/** Runs until the person leaves. Throws what keeps it from starting. */
export async function runSession(context: Context): Promise<ExitCode> {
  const { options, parts, env, interrupts, screen, signal } = context;
  const config = await loadConfig(context);
  checkServerNames(config, options.servers ?? []);
  const repl = await parts.createRepl(env);
  const request = {
    config,
    servers: options.servers,
    askUser: options.noInput ? undefined : repl.askUser,
    talk: options.noInput ? undefined : repl.talk,
    onEvent: repl.onEvent,
    preloadModel: true,
  };
  const withPatience = {
    ...context,
    options: { ...options, patienceMs: options.patienceMs ?? config.mcp.patienceMs },
  };
  return withHost(withPatience, request, async (host) => {
    const report = await host.start(signal);
    tellStart(context, { host, config, report });
    throwIfFatal(report);
    // From here the session owns the terminal and the signals.
    interrupts.dispose();
    screen.divert(repl.note);
    return repl.run(host, signal);
  });
}
