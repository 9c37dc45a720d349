/** `usher mcp doctor`: what every step to a server took, what was agreed on, and what mends a failure. */
import { EXIT, type ExitCode } from '../../base/exit.ts';
import { createPool } from '../../base/pool.ts';
import { shorten } from '../../base/text.ts';
import type { Config } from '../../config/types.ts';
import type { Examination } from '../../host/doctor.ts';
import type { Context } from '../context.ts';
import { findServer } from '../target.ts';
import { oneWord } from '../words.ts';

/** Servers examined at once: more of them would disturb each other's times. */
const PLACES = 4;

/** 4 when an enabled server fails; 6 when the one that was named only lacks a token; 3 for a bad entry. */
export async function runDoctor(context: Context, words: readonly string[]): Promise<ExitCode> {
  const { options, output, log, parts, cwd, signal } = context;
  const word = oneWord(words, 'mcp doctor');
  const { config, servers: named } = await findServer(context, word);
  const wanted = config.servers.filter(
    ({ name, enabled }) => enabled && (named?.includes(name) ?? true),
  );
  const pool = createPool(PLACES);
  const examinations = await Promise.all(
    wanted.map(async (server) => {
      const release = await pool.take(signal);
      try {
        return await parts.examineServer(server, { cwd, config }, context, signal);
      } finally {
        release();
      }
    }),
  );
  if (word === undefined) {
    for (const { message, hint } of config.warnings) log.warn(message, hint);
  }
  if (options.output === 'json') output.json({ servers: examinations, skipped: config.skipped });
  else output.text(examinations.map(examinationText).join('\n'));
  return exitOf(examinations, config, word !== undefined);
}

function exitOf(examinations: readonly Examination[], config: Config, isNamed: boolean): ExitCode {
  const failures = examinations.flatMap(({ failure }) => (failure === undefined ? [] : [failure]));
  if (failures.length === 0) {
    return !isNamed && config.skipped.length > 0 ? EXIT.config : EXIT.ok;
  }
  return isNamed && failures.every(({ isAuth }) => isAuth) ? EXIT.auth : EXIT.connect;
}

function examinationText(one: Examination): string {
  const rows: readonly (readonly [string, string])[] = [
    ...one.steps.map(
      ({ name, ms, ok, text }) =>
        [
          name,
          `${ms === undefined ? '-' : `${ms.toFixed(1)} ms`}${ok ? '' : ' ✗'}  ${text}`,
        ] as const,
    ),
    ['state', stateText(one)],
    ...factRows(one),
    ...one.notes.map((note) => ['note', note] as const),
    ...one.tools.leftOut.map((text) => ['left out', text] as const),
    ...failureRows(one),
  ];
  const lines = rows.map(([name, text]) => `  ${name.padEnd(INDENT - 2)}${text}`.trimEnd());
  return `${one.name} (${one.transport})\n${lines.join('\n')}\n`;
}

const INDENT = 28;
/** Servers choose their names themselves. */
const MAX_FACT = 2000;

/** What the command said stands once, also where the failure quotes it at its end. */
function failureRows({ failure, stderr }: Examination): readonly (readonly [string, string])[] {
  if (failure === undefined) return [];
  const { message, remedy } = failure;
  const isQuoted = stderr !== '' && message.endsWith(stderr);
  const reason = isQuoted ? message.slice(0, -stderr.length).trimEnd() : message;
  return [
    ['failure', indented(reason)],
    ...(stderr === '' ? [] : [['stderr', indented(stderr)] as const]),
    ['remedy', remedy],
  ];
}

function indented(text: string): string {
  return text.replaceAll('\n', `\n${' '.repeat(INDENT)}`);
}

function stateText({ state, ms, tools }: Examination): string {
  if (state !== 'ready') return state.replace('_', ' ');
  const time = ms === undefined ? '' : ` in ${ms.toFixed(0)} ms`;
  return `ready${time}, ${tools.listed} ${tools.listed === 1 ? 'tool' : 'tools'}`;
}

/** What is not known is left out. */
function factRows(one: Examination): readonly (readonly [string, string])[] {
  const { era, protocol, server, headers } = one;
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['era', era],
    ['versions offered', protocol.offered.join(', ')],
    ['version chosen', protocol.chosen],
    ['server', server === undefined ? undefined : `${server.name} ${server.version}`],
    ['capabilities', Object.keys(one.capabilities).join(', ')],
    ['session', one.session ? 'issued by the server' : undefined],
    ['lists may be kept', Object.keys(one.ttl).length === 0 ? undefined : JSON.stringify(one.ttl)],
    ['headers sent', headerText(headers.sent)],
    ['headers received', headerText(headers.received)],
    ['proxy', one.proxy],
  ];
  return rows.flatMap(([name, text]) =>
    text === undefined || text === '' ? [] : [[name, shorten(text, MAX_FACT)]],
  );
}

function headerText(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('; ');
}
