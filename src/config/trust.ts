/**
 * What a person decided about servers of project files: kept in the state directory, bound to the file, the
 * server's name and a signature. No choice, or one for another signature: the server is pending.
 */
import { lstatSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import type { Env } from '../base/env.ts';
import { FailedError } from '../base/errors.ts';
import { changeAlone } from '../base/file-lock.ts';
import {
  type AtomicOps,
  fileReason,
  isMissing,
  readBounded,
  systemAtomicOps,
  writeAtomic,
} from '../base/files.ts';
import { tryParseJson } from '../base/json.ts';
import { stateDirectory } from '../base/paths.ts';
import { isNarrower } from './signature.ts';

/** What is asked about: an entry of a project file as it is now. */
export interface TrustQuestion {
  /** Absolute path of the file. */
  readonly file: string;
  readonly name: string;
  readonly signature: string;
  /** The allowlist as written; `undefined` = all. */
  readonly tools: readonly string[] | undefined;
}

/** `changed`: decided on, but the entry is another one now. */
export type TrustState = 'approved' | 'rejected' | 'changed' | 'pending';

export interface Trust {
  stateOf(question: TrustQuestion): TrustState;
  /** Why the file of decisions is not believed, with the remedy. */
  readonly problem: { readonly message: string; readonly hint: string } | undefined;
}

/** The decisions as they stand. Never throws: without a file that can be believed, nothing is approved. */
export function readTrust(env: Env): Trust {
  const path = trustFile(env);
  if (path === undefined) return { stateOf: () => 'pending', problem: undefined };
  const problem = distrust(path);
  const choices = problem === undefined ? readChoices(path) : [];
  return {
    problem,
    stateOf(question) {
      const found = choices.find((choice) => isAbout(choice, question));
      if (found === undefined) return 'pending';
      const isSame =
        found.signature === question.signature &&
        (found.choice === 'rejected' || isNarrower(question.tools, found.tools ?? undefined));
      return isSame ? found.choice : 'changed';
    },
  };
}

/** Keeps a decision; an earlier one about the same server goes. Throws FailedError where nothing can be kept. */
export function recordChoice(
  env: Env,
  question: TrustQuestion,
  choice: 'approved' | 'rejected',
  ops: AtomicOps = systemAtomicOps,
): void {
  const { file, name, signature, tools } = question;
  const made = {
    file: realPath(file),
    server: name,
    signature,
    tools: tools?.slice() ?? null,
    choice,
  };
  const edit = (choices: readonly Choice[]) => [
    ...choices.filter((other) => !isAbout(other, question)),
    made,
  ];
  change(env, edit, ops);
}

/** Forgets decisions about servers of these files. Returns how many there were. */
export function forgetChoices(env: Env, files: readonly string[]): number {
  const real = new Set(files.map(realPath));
  let count = 0;
  change(env, (choices) => {
    const kept = choices.filter(({ file }) => !real.has(file));
    count = choices.length - kept.length;
    return kept;
  });
  return count;
}

const choiceSchema = v.object({
  file: v.string(),
  server: v.string(),
  signature: v.string(),
  tools: v.nullable(v.array(v.string())),
  choice: v.picklist(['approved', 'rejected']),
});
const fileSchema = v.object({ version: v.literal(1), choices: v.array(choiceSchema) });
type Choice = v.InferOutput<typeof choiceSchema>;

const MAX_BYTES = 4 * 1024 ** 2;

function change(
  env: Env,
  edit: (choices: readonly Choice[]) => readonly Choice[],
  ops: AtomicOps = systemAtomicOps,
): void {
  const path = trustFile(env);
  if (path === undefined) {
    throw new FailedError('there is no place to keep decisions: HOME is not set', {
      hint: '--approve NAME allows a server for one run',
    });
  }
  const problem = distrust(path);
  if (problem !== undefined) throw new FailedError(problem.message, { hint: problem.hint });
  try {
    changeAlone(path, () => {
      const before = readChoices(path);
      const choices = edit(before);
      if (choices.length === 0 && before.length === 0) return;
      writeAtomic(path, `${JSON.stringify({ version: 1, choices }, undefined, 2)}\n`, 0o600, ops);
    });
  } catch (error) {
    if (error instanceof FailedError) throw error;
    throw new FailedError(`${path} cannot be written: ${fileReason(error)}`, { cause: error });
  }
}

function trustFile(env: Env): string | undefined {
  const folder = stateDirectory(env);
  return folder === undefined ? undefined : join(folder, 'approvals.json');
}

/** A file that others could have written grants nothing. */
function distrust(path: string): Trust['problem'] {
  try {
    const found = lstatSync(path);
    if (!found.isFile()) {
      return { message: `${path} is not a regular file; no approval counts`, hint: 'remove it' };
    }
    if (process.getuid !== undefined && found.uid !== process.getuid()) {
      return { message: `${path} belongs to somebody else; no approval counts`, hint: 'remove it' };
    }
    if ((found.mode & 0o077) === 0) return undefined;
    return {
      message: `${path} is open to others; no approval counts`,
      hint: `chmod 600 ${path}`,
    };
  } catch (error) {
    if (isMissing(error)) return undefined;
    return {
      message: `${path}: ${fileReason(error)}; no approval counts`,
      hint: 'mend or remove it',
    };
  }
}

/** An unreadable or damaged file holds no decision. */
function readChoices(path: string): readonly Choice[] {
  let bytes: Uint8Array;
  try {
    bytes = readBounded(path, MAX_BYTES);
  } catch {
    // Missing, unreadable or far too large: everything is asked about anew, which is safe.
    return [];
  }
  const parsed = v.safeParse(fileSchema, tryParseJson(new TextDecoder().decode(bytes)));
  return parsed.success ? parsed.output.choices : [];
}

function isAbout(choice: Choice, { file, name }: TrustQuestion): boolean {
  return choice.server === name && choice.file === realPath(file);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (isMissing(error)) return path;
    throw error;
  }
}
