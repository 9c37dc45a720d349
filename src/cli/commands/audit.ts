/** `usher audit`: checks the records of tool calls, or prints one. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { FailedError, UsageError } from '../../base/errors.ts';
import { EXIT, type ExitCode } from '../../base/exit.ts';
import { systemFiles } from '../../base/file-ops.ts';
import { isMissing } from '../../base/files.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { stateDirectory } from '../../base/paths.ts';
import { escapeForTerminal } from '../../base/text.ts';
import { type ChainReading, readChain } from '../../session/chain.ts';
import { MAX_JOURNAL_BYTES } from '../../session/journal.ts';
import { journalFolder } from '../../session/places.ts';
import type { Context } from '../context.ts';
import { noMoreWords } from '../words.ts';

/** Verifies one record or all; prints one record, by default the newest. */
export function runAudit(context: Context, words: readonly string[]): Promise<ExitCode> {
  const [verb, name, ...rest] = words;
  noMoreWords(rest, 'audit');
  if (verb === 'verify') return Promise.resolve(verify(context, name));
  if (verb === 'show') return Promise.resolve(show(context, name));
  throw new UsageError(
    `usher audit ${verb === undefined ? 'needs' : `has no "${verb}", only`} verify or show`,
  );
}

interface Verdict {
  readonly file: string;
  readonly ok: boolean;
  readonly lines: number;
  /** Hash of the last line that fits: kept elsewhere, it shows later whether lines were cut off. */
  readonly lastHash: string;
  readonly problem: string | undefined;
  /** Calls that were sent and have no outcome. */
  readonly open: number;
  /** False: the run was killed, is still going on, or its last lines were cut off. */
  readonly closed: boolean;
}

function verify(context: Context, name: string | undefined): ExitCode {
  const { options, output, log } = context;
  const files = name === undefined ? allFiles(context) : [fileOf(context, name)];
  const verdicts = files.map((file) => judge(file, readFile(file)));
  if (options.output === 'json') output.json({ records: verdicts });
  else output.text(verdicts.map(verdictLine).join(''));
  if (files.length === 0) log.info('there is no record yet');
  const broken = verdicts.filter(({ ok }) => !ok);
  if (broken.length === 0) return EXIT.ok;
  log.error(`${broken.length} of ${verdicts.length} records do not hold`);
  return EXIT.failed;
}

function judge(file: string, { lines, hash, broken, tornBytes }: ChainReading): Verdict {
  const outcomes = new Set(lines.map(({ intent }) => intent));
  const open = lines.filter(({ kind, seq }) => kind === 'intent' && !outcomes.has(seq)).length;
  const problem = broken === undefined ? undefined : `line ${broken.line}: ${broken.reason}`;
  return {
    file,
    ok: broken === undefined,
    lines: lines.length,
    lastHash: hash,
    problem,
    open,
    closed: tornBytes === 0 && lines.at(-1)?.['kind'] === 'close',
  };
}

function verdictLine({ file, ok, lines, lastHash, problem, open, closed }: Verdict): string {
  const name = escapeForTerminal(basename(file));
  if (!ok) return `✗ ${name}: ${problem}\n`;
  const end = closed ? '' : ', not closed (killed, still going on, or cut off at the end)';
  const unsure = open === 0 ? '' : `, ${open} without outcome`;
  return `✓ ${name}: ${lines} lines${unsure}${end}, last ${lastHash.slice(0, 16)}\n`;
}

function show(context: Context, name: string | undefined): ExitCode {
  const { options, output, log } = context;
  const file = name === undefined ? newestFile(context) : fileOf(context, name);
  const { lines, broken } = readFile(file);
  if (options.output === 'json') output.json({ file, entries: lines });
  else output.text(lines.map(entryLine).join(''));
  if (broken === undefined) return EXIT.ok;
  log.error(`${file}:${broken.line}: ${broken.reason}`, 'what follows is not shown');
  return EXIT.failed;
}

function entryLine(line: JsonObject): string {
  const { at, kind, seq } = line;
  const time = textOf(at).slice(0, 19).replace('T', ' ');
  const rest = detailOf(line)
    .filter((part) => part !== '')
    .join('  ');
  return `${escapeForTerminal(`${time}  ${textOf(seq)}  ${textOf(kind)}  ${rest}`).trimEnd()}\n`;
}

function detailOf(line: JsonObject): readonly string[] {
  const who = [textOf(line['effect']), textOf(line['answer']), textOf(line['why'])];
  const why = who.filter((part) => part !== '').join(', ');
  const path = `${textOf(line['server'])}/${textOf(line['tool'])}`;
  switch (line['kind']) {
    case 'intent':
      return [path, why, `args ${textOf(line['argsHash']).slice(0, 16)}`, textOf(line['era'])];
    case 'outcome': {
      const ms = line['ms'] === undefined ? '' : `${textOf(line['ms'])} ms`;
      const hash = textOf(line['resultHash']).slice(0, 16);
      const of = `of ${textOf(line['intent'])}`;
      return [of, textOf(line['outcome']), ms, hash === '' ? why : `result ${hash}`];
    }
    case 'changed':
      return [`by hook ${textOf(line['hook'])}`, path];
    case 'refused':
      return [path, `by ${textOf(line['by'])}`, why];
    default:
      return [textOf(line['session']), textOf(line['cwd'])];
  }
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function readFile(file: string): ChainReading {
  const bytes = systemFiles.read(file, MAX_JOURNAL_BYTES);
  if (bytes === undefined) throw new UsageError(`${file} does not exist`);
  return readChain(bytes);
}

/** A session's record by its id, else a file. */
function fileOf(context: Context, name: string): string {
  const file = join(folderOf(context), `${name}.jsonl`);
  if (!name.includes('/') && existsSync(file)) return file;
  const path = resolve(context.cwd, name);
  if (existsSync(path)) return path;
  throw new UsageError(`there is no record of ${JSON.stringify(name)}`, {
    hint: 'usher audit verify lists all records',
  });
}

function newestFile(context: Context): string {
  const files = allFiles(context).map((file) => ({ file, time: statSync(file).mtimeMs }));
  const [newest] = files.sort((a, b) => b.time - a.time);
  if (newest !== undefined) return newest.file;
  throw new UsageError('there is no record yet: no tool was called');
}

function allFiles(context: Context): readonly string[] {
  const folder = folderOf(context);
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
    return names.sort().map((name) => join(folder, name));
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function folderOf({ env }: Context): string {
  const stateDir = stateDirectory(env);
  if (stateDir !== undefined) return journalFolder(stateDir);
  throw new FailedError('there is no place for records: neither HOME nor XDG_STATE_HOME is set');
}
