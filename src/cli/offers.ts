/** What the commands about resources, prompts and skills share: starting servers, listing, reading. */
import { type AppError, toAppError } from '../base/errors.ts';
import { EXIT, type ExitCode } from '../base/exit.ts';
import type { CallOutcome } from '../calls/types.ts';
import type { OfferRequest } from '../host/offer-call.ts';
import type { OfferKind, ServerOffers } from '../host/server-offers.ts';
import type { Host, HostEvent } from '../host/types.ts';
import { announceEvents } from './announce.ts';
import { serverWarnings } from './banner.ts';
import type { Context } from './context.ts';
import { exitWhenDown, throwIfFatal, withHost } from './house.ts';
import { tellError, tellFailure } from './outcome.ts';
import { findServer, type Target } from './target.ts';
import { oneWord } from './words.ts';

/** What one server has of the kind, with what was left out and why. */
export interface Listed<T> {
  readonly server: string;
  readonly items: readonly T[];
  readonly dropped: readonly { readonly name: string; readonly problem: string }[];
  readonly notices: readonly string[];
}

/**
 * Starts the servers, lists of each what it offers, and prints. 4 when every server is down, or one with
 * `--strict`. A server whose list fails is a warning; the only one, or all of them: its error.
 */
export async function runListing<T>(
  context: Context,
  command: OfferKind,
  words: readonly string[],
  read: (server: ServerOffers, signal: AbortSignal) => Promise<Omit<Listed<T>, 'server'>>,
  print: (listed: readonly Listed<T>[]) => void,
): Promise<ExitCode> {
  const { options, log, signal } = context;
  const target = await findServer(context, oneWord(words, command));
  return withOffers(context, target, async (host) => {
    const offering = host.offers().filter((server) => server.offers(command));
    if (offering.length === 0) log.info(`no server offers ${command}`);
    const lists = await Promise.allSettled(
      offering.map(async (server) => ({ server: server.name, ...(await read(server, signal)) })),
    );
    signal.throwIfAborted();
    const listed: Listed<T>[] = [];
    const errors: AppError[] = [];
    for (const list of lists) {
      if (list.status === 'fulfilled') listed.push(list.value);
      else errors.push(toAppError(list.reason));
    }
    const [first] = errors;
    if (first !== undefined && listed.length === 0) return tellError(context, first);
    for (const { message, hint } of errors) log.warn(message, hint);
    for (const list of listed) tellLeftOut(context, list);
    print(listed);
    if (listed.length > 0 && listed.every(({ items }) => items.length === 0)) {
      log.info(`no ${command} are listed`);
    }
    return exitWhenDown(target.config, host.status(), options.strict) ?? EXIT.ok;
  });
}

/** Reads one thing of one server. Returns the exit code of a failure, which has been told. */
export async function readOffer(
  context: Context,
  host: Host,
  request: OfferRequest,
): Promise<Extract<CallOutcome, { kind: 'result' }> | ExitCode> {
  const outcome = await host.read(request, context.signal);
  return outcome.kind === 'result' ? outcome : tellFailure(context, outcome);
}

/** The only server of a target that names one. */
export function serverOf({ config, servers }: Target): string {
  return servers?.[0] ?? config.servers[0]?.name ?? '';
}

/** Runs `work` with the servers of `target` started; a required or named one that is down ends it. */
export function withOffers(
  context: Context,
  { config, servers }: Target,
  work: (host: Host) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { options, log, screen, signal } = context;
  const announce = announceEvents({ ...context, quiet: options.quiet });
  const request = {
    config,
    servers,
    askUser: undefined,
    // The outcome is told once, by the command.
    onEvent: (event: HostEvent) =>
      event.type === 'call_done' ? screen.live(undefined) : announce(event),
    preloadModel: false,
    // Tools do not matter here, so no list of them is asked for where one is known.
    usesKeptTools: true,
  };
  return withHost(context, request, async (host) => {
    const report = await host.start(signal);
    for (const { message, hint } of report.warnings) log.debug(`${message} ${hint ?? ''}`);
    throwIfFatal(report, config);
    if (servers === undefined) {
      for (const { message, hint } of [
        ...config.warnings,
        ...serverWarnings(report.servers, config),
      ]) {
        log.warn(message, hint);
      }
    }
    return work(host);
  });
}

function tellLeftOut({ log }: Context, { server, dropped, notices }: Listed<unknown>): void {
  for (const { name, problem } of dropped) log.warn(`${server}: ${name} was left out: ${problem}`);
  for (const notice of notices) log.warn(`${server}: ${notice}`);
}
