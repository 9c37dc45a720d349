/** `usher run`: a script that calls tools; no model. Its calls follow the permission mode. */
import { raceAbort } from '../../base/abort.ts';
import { AuthError, ConnectError, toAppError, UsageError } from '../../base/errors.ts';
import { EXIT, type ExitCode } from '../../base/exit.ts';
import { fileReason, readBoundedOrPipe } from '../../base/files.ts';
import { escapeForTerminal } from '../../base/text.ts';
import type { Host } from '../../host/types.ts';
import { announceEvents } from '../announce.ts';
import { askAtTerminal } from '../ask.ts';
import { serverWarnings } from '../banner.ts';
import type { Context } from '../context.ts';
import { checkServerNames, loadConfig, throwIfFatal, withHost } from '../house.ts';
import { findPerson } from '../person.ts';
import { readInput, readStdin } from '../stdin.ts';
import { talkAtTerminal } from '../talk.ts';

const MAX_SCRIPT_BYTES = 4 * 1024 * 1024;

type ScriptReport = Awaited<ReturnType<Host['runScript']>>;

/** Runs the script and prints its outputs as they come, or one JSON document at the end. */
export async function runScriptFile(context: Context, words: readonly string[]): Promise<ExitCode> {
  const { options, log, signal, screen, clock, interrupts } = context;
  const { code, given } = await readScript(context, words);
  const config = await loadConfig(context);
  checkServerNames(config, options.servers ?? []);
  const person = findPerson({ ...context, ...options, stderrIsTerminal: screen.isTerminal });
  const asking = person && { person, screen, clock, takeSigint: interrupts.takeSigint };
  const request = {
    config,
    servers: options.servers,
    askUser: asking && askAtTerminal(asking),
    talk: asking && talkAtTerminal(asking),
    onEvent: announceEvents({ ...context, quiet: options.quiet }),
    preloadModel: false,
    usesKeptTools: true,
    surface: 'run',
  };
  try {
    return await withHost(withPatience(context, code), request, async (host) => {
      const report = await host.start(signal);
      for (const { message, hint } of [...config.warnings, ...report.warnings]) {
        if (message !== report.fatal?.message) log.warn(message, hint);
      }
      throwIfFatal(report, config);
      for (const { message, hint } of serverWarnings(report.servers, config))
        log.warn(message, hint);
      if (options.check) await check(context, host, code);
      return await run(context, host, { code, given });
    });
  } finally {
    person?.close();
  }
}

/** `tools.server.tool(`, in any spelling without a computed name. */
const DIRECT_CALL = /\btools(?:\s*\??\.\s*[\w$]+|\s*\[\s*(?:"[^"]*"|'[^']*')\s*\])+\s*\(/g;

/** A call waits for its own server; only who looks at tools, or checks them, waits for all servers. */
function withPatience(context: Context, code: string): Context {
  const { options } = context;
  const needsAll = options.check || /\bALL_TOOLS\b|\btools\b/.test(code.replace(DIRECT_CALL, ''));
  if (options.patienceMs !== undefined || needsAll) return context;
  return { ...context, options: { ...options, patienceMs: 1 } };
}

/**
 * Throws UsageError with every problem; where nothing is wrong but servers that are down ConnectError, or AuthError
 * when all of those need a sign-in; with
 * `--json` they are a document on stdout as well.
 */
async function check(context: Context, host: Host, code: string): Promise<void> {
  const { options, output, signal } = context;
  const problems = await host.checkScript(code, signal);
  if (problems.length === 0) return;
  const lines = problems.map(({ line, message }) =>
    line === undefined ? `  ${message}` : `  line ${line}: ${message}`,
  );
  const isDown = problems.every(({ server }) => server !== undefined);
  const message = `the script was not run:\n${lines.join('\n')}`;
  const servers = host
    .status()
    .filter(({ name }) => problems.some(({ server }) => server === name));
  const isUnsigned = isDown && servers.every(({ state }) => state === 'needs_auth');
  const Failure = isUnsigned ? AuthError : isDown ? ConnectError : UsageError;
  const error = new Failure(message);
  if (options.output === 'json') output.json({ exit: error.exit, problems });
  throw error;
}

interface ScriptText {
  readonly code: string;
  readonly given: { readonly args: readonly string[]; readonly input: string };
}

async function run(context: Context, host: Host, script: ScriptText): Promise<ExitCode> {
  const { options, output, log, signal, screen } = context;
  const isText = options.output === 'text';
  let partial: ScriptReport | undefined;
  const request = {
    ...script,
    onText(text: string) {
      if (isText) output.text(text.endsWith('\n') ? text : `${text}\n`);
    },
    onConsole(line: string) {
      // A script may hand on what a server said.
      if (isText) screen.line(escapeForTerminal(line));
    },
    onAborted(report: ScriptReport) {
      partial = report;
    },
  };
  let report: ScriptReport;
  try {
    report = await host.runScript(request, signal);
  } catch (thrown) {
    const failure = toAppError(thrown);
    const { exit } = failure;
    if (!isText) {
      output.json(partial === undefined ? failedDocument(failure) : documentOf(partial, exit));
    }
    throw thrown;
  }
  const exit = exitOf(context, report);
  if (isText) for (const note of notesOf(report)) log.warn(note);
  else output.json(documentOf(report, exit));
  if (report.error !== undefined) log.error(report.error.message);
  return exit;
}

/** The worst that happened counts; a person's no is no failure. */
function exitOf({ options }: Context, report: ScriptReport): ExitCode {
  if (report.unknownOutcome.length > 0) return EXIT.unknownOutcome;
  if (report.denied.length > 0 && options.onDenied === 'fail') return EXIT.permission;
  if (report.error === undefined) return EXIT.ok;
  return report.error.kind === 'limit' ? EXIT.limit : EXIT.failed;
}

/** Failed calls of a script that went well: nothing else tells of one that nobody awaited. */
function notesOf(report: ScriptReport): readonly string[] {
  const { dropped, unawaited, error, failedCalls, denied, unknownOutcome } = report;
  const told = [...denied.map(({ tool }) => tool), ...unknownOutcome];
  const untold = failedCalls.filter((one) => !told.some((tool) => one.startsWith(`${tool}: `)));
  const awaitless = `cancelled, because the script ended without awaiting: ${unawaited.join(', ')}`;
  return [
    ...(dropped === 0 ? [] : [`${dropped} outputs were over the limit and are lost`]),
    ...(unawaited.length === 0 ? [] : [awaitless]),
    ...(error === undefined ? untold.map((one) => `a call failed: ${one}`) : []),
  ];
}

function documentOf(report: ScriptReport, exit: ExitCode) {
  const { error, output, console, nestedCalls, denied, unknownOutcome, unawaited, wallMs } = report;
  return {
    exit,
    error: error ?? null,
    output,
    console,
    nestedCalls,
    denied,
    unknownOutcome,
    unawaited,
    dropped: report.dropped,
    wallMs: Math.round(wallMs),
  };
}

function failedDocument({ code, message, exit }: ReturnType<typeof toAppError>) {
  return { exit, error: { kind: code, message }, output: [], console: [] };
}

/** The script and what it is given: words behind the file, and stdin where the script reads `input`. */
async function readScript(context: Context, words: readonly string[]): Promise<ScriptText> {
  const { stdin, log, signal, options, clock } = context;
  const [file, ...args] = words;
  if (file === undefined) {
    throw new UsageError('which script?', { hint: 'usher run FILE, or - for stdin' });
  }
  const warn = (message: string, hint?: string) => log.warn(message, hint);
  if (file === '-') {
    const code = await raceAbort(readStdin(stdin, warn), signal);
    return { code: withoutHashbang(code), given: { args, input: '' } };
  }
  const code = withoutHashbang(await readFile(context, file));
  const wantsInput = /\binput\b/.test(code) && options.stdin !== 'off' && !stdin.isTerminal;
  const input = wantsInput
    ? await raceAbort(readInput({ mode: options.stdin, stdin, clock, warn }), signal)
    : '';
  return { code, given: { args, input } };
}

/** `#!/usr/bin/env -S usher run`: lines keep their numbers. */
function withoutHashbang(code: string): string {
  return code.replace(/^\ufeff/, '').replace(/^#!.*/, '');
}

async function readFile({ clock, signal, cwd }: Context, file: string): Promise<string> {
  const { resolve } = await import('node:path');
  try {
    const reading = readBoundedOrPipe(resolve(cwd, file), MAX_SCRIPT_BYTES, clock);
    return new TextDecoder().decode(await raceAbort(reading, signal));
  } catch (error) {
    signal.throwIfAborted();
    throw new UsageError(`${file} cannot be read: ${fileReason(error)}`, { cause: error });
  }
}
