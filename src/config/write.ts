/**
 * Writes servers into configuration files: one change, checked against what the file then says, and the file
 * replaced whole or not at all. Connects to nothing.
 */
import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { sleep, systemClock } from '../base/clock.ts';
import { ConfigError, FailedError } from '../base/errors.ts';
import { takeLock } from '../base/file-lock.ts';
import { systemFiles } from '../base/file-ops.ts';
import { type AtomicOps, fileReason, systemAtomicOps, writeAtomic } from '../base/files.ts';
import { type JsonObject, type JsonValue, stableStringify } from '../base/json.ts';
import { addPair, removePair } from './edit-json.ts';
import { addItem, removeItem, setFlag } from './edit-yaml.ts';
import { isMapping, type Located, locateEntries } from './entry.ts';
import { mcpJsonEntries, toForeign } from './mcp-json.ts';
import { childOf, type PathItem, renderProblems } from './problem.ts';
import { readSource } from './read-source.ts';
import { plainValue } from './signature.ts';
import type { ConfigSource } from './sources.ts';
import { type ConfigFile, parseConfigText } from './yaml.ts';

/** A change of one file. */
export type Edit =
  | { readonly kind: 'add'; readonly entry: JsonObject & { readonly name: string } }
  | { readonly kind: 'remove'; readonly name: string }
  | { readonly kind: 'enable'; readonly name: string; readonly enabled: boolean };

export interface Written {
  /** Absolute. */
  readonly file: string;
  readonly label: string;
  /** Where the entry stands; where it stood, when it was removed. */
  readonly line: number;
  /** The entry as the file has it now; `undefined` when it was removed. */
  readonly entry: Located | undefined;
}

/** How often a change is begun anew because another process changed the file meanwhile. */
const MAX_TRIES = 200;
const RETRY_MS = 10;

/**
 * Makes the change; what other processes write into the file meanwhile stays. `enable` adds an entry that only says so where the file has none of that name. The file's
 * mode stays; a new one is private, except a project's. Throws ConfigError for a file that cannot be read or
 * parsed, FailedError when the change cannot be made without touching more than the entry.
 */
export async function editFile(
  source: ConfigSource,
  edit: Edit,
  ops: AtomicOps = systemAtomicOps,
): Promise<Written> {
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const written = await tryEdit(source, edit, ops);
    if (written !== undefined) return written;
    await sleep(systemClock, RETRY_MS);
  }
  throw new FailedError(`${source.label} is being changed by another process`, {
    hint: 'try again when that has ended',
  });
}

/** `undefined`: somebody else writes the file, or has written it since it was read. */
async function tryEdit(
  source: ConfigSource,
  edit: Edit,
  ops: AtomicOps,
): Promise<Written | undefined> {
  const text = (await readSource({ ...source, namedBy: undefined })) ?? '';
  const before = parseSheet(text, source);
  const next = source.form === 'mcp.json' ? editJson(text, edit) : editYaml(text, before, edit);
  const after = next === undefined ? undefined : tryParse(next, source);
  if (next === undefined || after === undefined || !saysSo(before, after, edit, source)) {
    throw new FailedError(`${source.label} cannot be changed without rewriting more of it`, {
      hint: handHint(edit),
    });
  }
  const old = before.entries.find(({ name }) => name === nameOf(edit));
  if (!(await replace(source, text, next, ops))) return undefined;
  const entry = after.entries.find(({ name }) => name === nameOf(edit));
  const shown = entry ?? old;
  const offset = shown?.file.offsetOf(shown.path) ?? 0;
  return {
    file: source.path,
    label: source.label,
    line: shown?.file.lineAt(offset).line ?? 1,
    entry,
  };
}

interface Sheet {
  readonly file: ConfigFile;
  readonly listPath: readonly PathItem[];
  readonly entries: readonly Located[];
}

function parseSheet(text: string, source: ConfigSource): Sheet {
  const file = parseConfigText(text, source.label, source.path);
  if (file.problems.length > 0) throw new ConfigError(renderProblems(file.problems, file));
  if (source.form === 'mcp.json') {
    const entries = mcpJsonEntries(file.value);
    if (typeof entries === 'string') throw new ConfigError(`${source.label}: ${entries}`);
    return {
      file,
      listPath: ['mcpServers'],
      entries: locateEntries(entries, file, source),
    };
  }
  const { value } = file;
  if (value !== null && !isMapping(value)) {
    throw new ConfigError(`${source.label}: expected a mapping with servers: and model:`);
  }
  const nested = childOf(childOf(value, 'mcp'), 'servers');
  const isNested = (childOf(value, 'servers') ?? null) === null && Array.isArray(nested);
  const listPath = isNested ? ['mcp', 'servers'] : ['servers'];
  const list = isNested ? nested : (childOf(value, 'servers') ?? []);
  if (!Array.isArray(list)) throw new ConfigError(`${source.label}: servers is no list`);
  const items = list.map((raw: unknown, index) => ({ raw, path: [...listPath, index] }));
  return { file, listPath, entries: locateEntries(items, file, source) };
}

function tryParse(text: string, source: ConfigSource): Sheet | undefined {
  try {
    return parseSheet(text, source);
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

function editYaml(text: string, sheet: Sheet, edit: Edit): string | undefined {
  const { listPath, entries } = sheet;
  const index = entries.findIndex(({ name }) => name === nameOf(edit));
  switch (edit.kind) {
    case 'add':
      return addItem(text, listPath, edit.entry);
    case 'remove':
      return removeItem(text, listPath, index);
    case 'enable':
      return index === -1
        ? addItem(text, listPath, { name: edit.name, enabled: edit.enabled })
        : setFlag(text, [...listPath, index], 'enabled', edit.enabled);
  }
}

function editJson(text: string, edit: Edit): string | undefined {
  switch (edit.kind) {
    case 'add':
      return addPair(text, edit.entry.name, toForeign(edit.entry));
    case 'remove':
      return removePair(text, edit.name);
    case 'enable':
      // Shared files are never switched; the private one is.
      return undefined;
  }
}

/** True when the new file differs from the old one in that entry alone, and says there what was wanted. */
function saysSo(before: Sheet, after: Sheet, edit: Edit, source: ConfigSource): boolean {
  const name = nameOf(edit);
  const rest = ({ file, listPath, entries }: Sheet) =>
    stableStringify([
      restOf(file.value, listPath),
      entries.filter((entry) => entry.name !== name).map(({ raw }) => plainValue(raw)),
    ]);
  if (rest(before) !== rest(after)) return false;
  const found = after.entries.filter((entry) => entry.name === name).map(({ raw }) => raw);
  switch (edit.kind) {
    case 'add': {
      const wanted = source.form === 'mcp.json' ? toForeign(edit.entry) : edit.entry;
      const raw = source.form === 'mcp.json' ? writtenValue(after, name) : found[0];
      return found.length === 1 && asText(raw) === asText(wanted);
    }
    case 'remove':
      return found.length === 0;
    case 'enable':
      return found.length === 1 && asText(childOf(found[0], 'enabled')) === `"${edit.enabled}"`;
  }
}

/** The file without its list of servers, empty blocks left out. */
function restOf(root: unknown, listPath: readonly PathItem[]): JsonValue {
  if (!isMapping(root)) return {};
  const [first, second] = listPath;
  const entries = Object.entries(root).flatMap(([key, value]): [string, JsonValue][] => {
    if (key !== first) return [[key, plainValue(value)]];
    return second === undefined ? [] : [[key, restOf(value, [second])]];
  });
  return Object.fromEntries(entries);
}

function writtenValue({ file }: Sheet, name: string): unknown {
  return childOf(childOf(file.value, 'mcpServers'), name);
}

/** A parsed value and a JSON value in one spelling: scalars as their text. */
function asText(value: unknown): string {
  return stableStringify(scalarsAsText(value));
}

function scalarsAsText(value: unknown): JsonValue {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return value.map(scalarsAsText);
  if (!isMapping(value)) return plainValue(value);
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, scalarsAsText(child)]),
  );
}

/** Writes `next` where the file still says `text`, under a lock beside it. False: it was not written. */
async function replace(
  source: ConfigSource,
  text: string,
  next: string,
  ops: AtomicOps,
): Promise<boolean> {
  const { scope, path } = source;
  try {
    if (scope === 'local') hideFromGit(dirname(path), ops);
    const now = () => systemClock.date().getTime();
    const lock = takeLock(join(dirname(path), `.${basename(path)}.lock`), systemFiles, now);
    if (lock.kind === 'busy') return false;
    try {
      if (((await readSource({ ...source, namedBy: undefined })) ?? '') !== text) return false;
      const created = scope === 'project' ? 0o644 : 0o600;
      const mode = existsSync(path) ? statSync(path).mode & 0o777 : created;
      writeAtomic(path, next, mode, ops);
      return true;
    } finally {
      lock.release();
    }
  } catch (error) {
    if (error instanceof FailedError) throw error;
    throw new FailedError(`${path} cannot be written: ${fileReason(error)}`, { cause: error });
  }
}

/** The local file is private to the checkout: git is told so in a folder that is made for it. */
function hideFromGit(folder: string, ops: AtomicOps): void {
  if (existsSync(folder)) return;
  writeAtomic(join(folder, '.gitignore'), '*\n', 0o644, ops);
}

function nameOf(edit: Edit): string {
  return edit.kind === 'add' ? edit.entry.name : edit.name;
}

function handHint(edit: Edit): string {
  switch (edit.kind) {
    case 'add':
      return `put this into its list by hand: ${JSON.stringify(edit.entry)}`;
    case 'remove':
      return `remove the entry of ${edit.name} by hand`;
    case 'enable':
      return `write enabled: ${edit.enabled} into the entry of ${edit.name} by hand`;
  }
}
