/** What the commands about the tools of all servers share: starting those, their warnings, the exit code. */
import type { ExitCode } from '../base/exit.ts';
import type { Host, StartReport } from '../host/types.ts';
import { announceEvents } from './announce.ts';
import { serverWarnings } from './banner.ts';
import type { Context } from './context.ts';
import { exitWhenDown, throwIfFatal, withHost } from './house.ts';
import type { Target } from './target.ts';

/**
 * Starts the servers of the target, tells what is wrong with them, and runs `work`. 4 when every server is down, or
 * one with `--strict`; else what `work` says. A required or named server that is down throws ConnectError or AuthError.
 */
export function withTools(
  context: Context,
  { config, servers }: Target,
  surface: string,
  work: (host: Host, report: StartReport) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { options, log, signal } = context;
  const request = {
    config,
    servers,
    askUser: undefined,
    onEvent: announceEvents({ ...context, quiet: options.quiet }),
    preloadModel: false,
    surface,
  };
  return withHost(context, request, async (host) => {
    const report = await host.start(signal);
    const warnings = [...config.warnings, ...report.warnings];
    for (const { message, hint } of warnings) {
      if (message !== report.fatal?.message) log.warn(message, hint);
    }
    throwIfFatal(report, config);
    const known = warnings.map(({ message }) => message).join('\n');
    for (const { message, hint } of serverWarnings(report.servers, config)) {
      if (!known.includes(message)) log.warn(message, hint);
    }
    const exit = await work(host, report);
    return exitWhenDown(config, report.servers, options.strict) ?? exit;
  });
}
