/** Reads every file that counts: what each one says, and what of it holds. */
import type { Env } from '../base/env.ts';
import { ConfigError } from '../base/errors.ts';
import { isMapping, type Located, locateEntries } from './entry.ts';
import { mcpJsonEntries } from './mcp-json.ts';
import { openToOthers } from './open-file.ts';
import { childOf, renderProblems } from './problem.ts';
import { readSource } from './read-source.ts';
import { type RootBlock, readRoot } from './root-block.ts';
import { type ConfigSource, listSources, type SourceOptions } from './sources.ts';
import type { ConfigWarning } from './types.ts';
import { type ConfigFile, parseConfigText } from './yaml.ts';

/** A file that was read. */
export interface Layer {
  readonly source: ConfigSource;
  readonly file: ConfigFile;
  readonly entries: readonly Located[];
  /** Everything but the servers; of a project file nothing else counts. */
  readonly root: RootBlock | undefined;
}

export interface Layers {
  readonly layers: readonly Layer[];
  readonly warnings: readonly ConfigWarning[];
}

/**
 * All files, lowest first. A person's own file that cannot be read or parsed is a ConfigError; a project file
 * only costs itself. Problems of the roots are in the layers.
 */
export async function readLayers(options: SourceOptions): Promise<Layers> {
  const layers: Layer[] = [];
  const warnings: ConfigWarning[] = [];
  for (const source of listSources(options)) {
    const isProject = source.scope === 'project';
    try {
      const layer = await readLayer(source, options.env);
      if (layer === undefined) continue;
      layers.push(layer);
      warnings.push(...(isProject ? foreignKeys(layer) : openToOthers(source)));
    } catch (error) {
      if (!isProject || !(error instanceof ConfigError)) throw error;
      const hint = error.hint ?? 'nothing in this project file is used until it is mended';
      warnings.push({ message: error.message, hint, skipped: undefined });
    }
  }
  return { layers, warnings };
}

/**
 * The roots of all own files as one: `model` and other blocks of a higher file replace those of a lower one,
 * keys of `mcp` and `logins` one by one; rules and hooks of all files hold.
 */
export function mergeRoots(layers: readonly Layer[], env: Env): RootBlock {
  const own = layers.filter(({ root }) => root !== undefined);
  const top = own.at(-1);
  const [only] = own;
  if (only?.root !== undefined && own.length === 1) return only.root;
  if (top === undefined) return readRoot(EMPTY_FILE, env);
  const values = own.map(({ file }) => file.value).filter(isMapping);
  const merged = Object.assign({}, ...values.map(withoutServers), {
    mcp: Object.assign({}, ...values.map((value) => withoutServers(childOf(value, 'mcp')))),
    rules: [],
    hooks: {},
    logins: {},
  });
  return { ...readRoot({ ...top.file, value: merged }, env), ...joined(own) };
}

/**
 * Rules and hooks of all files, lower ones first, each with its own place: none may be lost to a higher file. A folder for
 * artifacts and the files of a login are relative to the file that names them; logins replace each other one by one.
 */
function joined(
  own: readonly Layer[],
): Pick<RootBlock, 'rules' | 'hooks' | 'artifacts' | 'logins' | 'loginNames'> {
  const roots = own.flatMap(({ root }) => (root === undefined ? [] : [root]));
  return {
    rules: roots.flatMap(({ rules }) => rules),
    hooks: {
      toolCall: roots.flatMap(({ hooks }) => hooks.toolCall),
      toolResult: roots.flatMap(({ hooks }) => hooks.toolResult),
    },
    logins: Object.assign({}, ...roots.map(({ logins }) => logins)),
    loginNames: [...new Set(roots.flatMap(({ loginNames }) => loginNames))],
    artifacts: roots.findLast(({ artifacts }) => artifacts !== undefined)?.artifacts,
  };
}

async function readLayer(source: ConfigSource, env: Env): Promise<Layer | undefined> {
  const text = await readSource(source);
  if (text === undefined) return undefined;
  const file = parseConfigText(text, source.label, source.path);
  if (file.problems.length > 0) throw new ConfigError(renderProblems(file.problems, file));
  if (source.form === 'mcp.json') {
    const entries = mcpJsonEntries(file.value);
    if (typeof entries === 'string') throw new ConfigError(`${source.label}: ${entries}`);
    return { source, file, entries: locateEntries(entries, file, source), root: undefined };
  }
  const isProject = source.scope === 'project';
  // Nothing of a project's model or rules may reach the environment, so only its list is read.
  const root = readRoot(isProject ? { ...file, value: serversAlone(file.value) } : file, env);
  if (isProject && root.problems.length > 0) {
    throw new ConfigError(renderProblems(root.problems, file));
  }
  const items = root.list.map((raw, index) => ({ raw, path: [...root.listPath, index] }));
  const entries = locateEntries(items, file, source);
  return { source, file, entries, root: isProject ? undefined : root };
}

function foreignKeys({ source, file }: Layer): readonly ConfigWarning[] {
  const known = source.form === 'mcp.json' ? ['mcpServers'] : ['servers'];
  const foreign = (isMapping(file.value) ? Object.keys(file.value) : []).filter(
    (key) => !known.includes(key) && !isOnlyServers(key, file.value),
  );
  // Other hosts keep blocks of their own in this file.
  if (foreign.length === 0 || source.form === 'mcp.json') return [];
  const shipped = source.isShipped === true ? ', as git has it under version control' : '';
  return [
    {
      message: `${source.label}: ${foreign.join(', ')} is not read from a project file${shipped}; only servers is`,
      hint: 'put it into your own file, see usher config path',
      skipped: undefined,
    },
  ];
}

/** `mcp: {servers: …}` is another place for the list. */
function isOnlyServers(key: string, root: unknown): boolean {
  const block = childOf(root, key);
  return (
    key === 'mcp' && isMapping(block) && Object.keys(block).every((name) => name === 'servers')
  );
}

function serversAlone(root: unknown): unknown {
  if (!isMapping(root)) return root;
  const nested = childOf(root['mcp'], 'servers');
  return {
    ...('servers' in root ? { servers: root['servers'] } : {}),
    ...(nested === undefined ? {} : { mcp: { servers: nested } }),
  };
}

function withoutServers(block: unknown): object {
  if (!isMapping(block)) return {};
  const { servers: _servers, ...rest } = block;
  return rest;
}

const EMPTY_FILE = parseConfigText('', '', '');
