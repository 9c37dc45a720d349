/** The file's root, `mcp:` and `model:`. A problem here stops usher: it may be a safety rule that would be lost. */
import { dirname, resolve } from 'node:path';
import type { CallRule } from '../base/call-rules.ts';
import type { Env } from '../base/env.ts';
import { Fill } from './fill.ts';
import { writtenHeaderProblem } from './header-rules.ts';
import { checkBlock, showValue } from './issues.ts';
import { readLogins } from './logins.ts';
import { childOf, MAX_PROBLEMS, type PathItem, type Problem, type RuleBreak } from './problem.ts';
import { buildHooks, buildRules } from './rules.ts';
import type { ArtifactsEntry } from './schema/artifacts.ts';
import { PlainScalar } from './schema/atoms.ts';
import type { Exposures } from './schema/exposure.ts';
import { modelSchema, providerNames } from './schema/model.ts';
import { type McpEntry, mcpSchema, rootSchema } from './schema/root.ts';
import type {
  ArtifactsConfig,
  DefaultTools,
  HooksConfig,
  LoginConfig,
  McpConfig,
  ModelConfig,
  SearchConfig,
} from './types.ts';
import { literalSecretParameters } from './url-rules.ts';
import type { ConfigFile } from './yaml.ts';

export const DEFAULT_FIRST_BYTE_MS = 300_000;
export const DEFAULT_MODEL_IDLE_MS = 120_000;
export const DEFAULT_PATIENCE_MS = 2_000;
export const DEFAULT_MCP: McpConfig = {
  permissions: 'ask',
  naming: 'server_tool',
  patienceMs: DEFAULT_PATIENCE_MS,
};

export const DEFAULT_TOOLS: DefaultTools = { hasMeta: false, without: [] };

/** Entries of the server list. */
const MAX_SERVERS = 500;

export interface RootBlock {
  readonly model: ModelConfig | undefined;
  readonly mcp: McpConfig;
  readonly defaultTools: DefaultTools;
  readonly rules: readonly CallRule[];
  readonly hooks: HooksConfig;
  readonly artifacts: ArtifactsConfig | undefined;
  readonly search?: SearchConfig;
  readonly logins: Readonly<Record<string, LoginConfig | undefined>>;
  /** Those that cannot be used are among them. */
  readonly loginNames: readonly string[];
  readonly exposure: Exposures;
  readonly list: readonly unknown[];
  readonly listPath: readonly PathItem[];
  readonly problems: readonly Problem[];
}

/** Reads everything but the entries of the server list; these are only found. */
export function readRoot(file: ConfigFile, env: Env): RootBlock {
  const root = file.value ?? {};
  if (!isMapping(root)) {
    const text = `expected a mapping with servers: and model:, got ${showValue(root, [])}`;
    return { ...EMPTY, problems: [{ offset: file.offsetOf([]), path: [], text }] };
  }
  const shell = checkBlock(rootSchema, shellOf(root), [], 'root', file);
  const mcp = readMcp(root, file);
  const model = readModel(root, file, env);
  const list = findList(root, file);
  const rules = buildRules(shell.value?.rules ?? [], file);
  const logins = readLogins(root, file, env);
  return {
    model: model.model,
    mcp: {
      permissions: mcp.entry.permissions ?? DEFAULT_MCP.permissions,
      naming: mcp.entry.naming ?? DEFAULT_MCP.naming,
      patienceMs: mcp.entry.patience ?? DEFAULT_MCP.patienceMs,
    },
    defaultTools: readDefaultTools(shell.value?.defaultTools ?? []),
    rules: rules.rules,
    hooks: buildHooks(shell.value?.hooks ?? {}, file),
    artifacts: readArtifacts(shell.value?.artifacts, file),
    ...(shell.value?.search === undefined ? {} : { search: shell.value.search }),
    logins: logins.logins,
    loginNames: logins.names,
    exposure: mcp.entry.exposure ?? 'direct',
    list: list.list,
    listPath: list.path,
    problems: [
      ...shell.problems,
      ...mcp.problems,
      ...model.problems,
      ...list.problems,
      ...rules.problems,
      ...logins.problems,
    ],
  };
}

const EMPTY: Omit<RootBlock, 'problems'> = {
  model: undefined,
  mcp: DEFAULT_MCP,
  defaultTools: DEFAULT_TOOLS,
  rules: [],
  hooks: { toolCall: [], toolResult: [] },
  artifacts: undefined,
  logins: {},
  loginNames: [],
  exposure: 'direct',
  list: [],
  listPath: ['servers'],
};

function readDefaultTools(entries: readonly string[]): DefaultTools {
  const without = entries.filter((entry) => entry.startsWith('-')).map((entry) => entry.slice(1));
  const scripts = entries.includes('+codemode') ? { hasScripts: true } : {};
  return { hasMeta: entries.includes('+mcp_meta'), without, ...scripts };
}

function readArtifacts(
  entry: ArtifactsEntry | undefined,
  file: ConfigFile,
): ArtifactsConfig | undefined {
  if (entry === undefined) return undefined;
  const { dir, keep } = entry;
  return {
    dir: dir === undefined ? undefined : resolve(dirname(file.path), dir),
    ...(keep === undefined ? {} : { retention: keep }),
  };
}

/** The root with its known blocks emptied: they are checked on their own. */
function shellOf(root: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { model: _model, mcp: _mcp, servers: _servers, logins: _logins, ...rest } = root;
  return rest;
}

function readMcp(root: Readonly<Record<string, unknown>>, file: ConfigFile) {
  const raw = root['mcp'] ?? {};
  const { servers: _servers, ...own } = isMapping(raw) ? raw : {};
  const checked = checkBlock(mcpSchema, isMapping(raw) ? own : raw, ['mcp'], 'mcp', file);
  const entry: McpEntry = checked.value ?? {};
  return { entry, problems: checked.problems };
}

function readModel(root: Readonly<Record<string, unknown>>, file: ConfigFile, env: Env) {
  const raw = root['model'] ?? undefined;
  if (raw === undefined) return { model: undefined, problems: [] };
  const { value, problems } = checkBlock(
    modelSchema,
    withoutEmptyBlocks(raw),
    ['model'],
    'model',
    file,
  );
  const breaks: RuleBreak[] = [...modelBreaks(raw)];
  let model: ModelConfig | undefined;
  if (value !== undefined && breaks.length === 0) {
    const { timeout, baseUrl, headers, ...rest } = value;
    const fill = new Fill(env, breaks);
    model = {
      ...rest,
      ...(baseUrl === undefined
        ? {}
        : { baseUrl: fill.url(baseUrl, ['baseUrl'], value.allowPrivate ?? false) }),
      ...(headers === undefined ? {} : { headers: fill.headers(headers) }),
      timeout: {
        firstByteMs: timeout?.firstByte ?? DEFAULT_FIRST_BYTE_MS,
        idleMs: timeout?.idle ?? DEFAULT_MODEL_IDLE_MS,
      },
    };
  }
  const broken = breaks.slice(0, MAX_PROBLEMS).map((rule): Problem => {
    const path = ['model', ...rule.path];
    return { offset: file.offsetOf(path, rule.part), path, text: rule.text };
  });
  return { model, problems: [...problems, ...broken] };
}

function modelBreaks(raw: unknown): readonly RuleBreak[] {
  const headers = childOf(raw, 'headers');
  const names = isMapping(headers) ? Object.keys(headers) : [];
  const inHeaders = names.flatMap((name): readonly RuleBreak[] => {
    const text = writtenHeaderProblem(name, childOf(headers, name), 'MODEL_API_KEY');
    return text === undefined ? [] : [{ path: ['headers', name], text, part: 'value' }];
  });
  const url = childOf(raw, 'baseUrl');
  const inUrl = literalSecretParameters(typeof url === 'string' ? url : '').map(
    (name): RuleBreak => ({
      path: ['baseUrl'],
      text: `a secret never stands in the file; write ${name}=\${MODEL_API_KEY}`,
      part: 'value',
    }),
  );
  return [...inHeaders, ...inUrl, ...providerBreaks(raw)];
}

/** A provider other than offline needs a model name; a compatible one also says where it is. */
function providerBreaks(raw: unknown): readonly RuleBreak[] {
  const provider = childOf(raw, 'provider');
  const needs = provider === 'openai-compatible' ? ['name', 'baseUrl'] : ['name'];
  const isKnown = providerNames.some((name) => name === provider);
  if (!isKnown || provider === 'offline') return [];
  return needs
    .filter((key) => childOf(raw, key) === undefined)
    .map((key) => ({
      path: [key],
      text: `is missing; provider ${provider} needs it`,
      part: 'value',
    }));
}

function findList(root: Readonly<Record<string, unknown>>, file: ConfigFile) {
  const own = root['servers'] ?? undefined;
  const nested = childOf(root['mcp'], 'servers') ?? undefined;
  const path = own === undefined && nested !== undefined ? ['mcp', 'servers'] : ['servers'];
  const value = own ?? nested ?? [];
  const problems: Problem[] = [];
  if (own !== undefined && nested !== undefined) {
    const both = ['mcp', 'servers'];
    const text = 'servers stands at the top level as well; keep one of the two lists';
    problems.push({ offset: file.offsetOf(both, 'key'), path: both, text });
  }
  if (!Array.isArray(value)) {
    const advice = isMapping(value) ? '. Write - name: NAME for each server' : '';
    const text = `expected a list of servers, got ${showValue(value, path)}${advice}`;
    problems.push({ offset: file.offsetOf(path), path, text });
  }
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  if (list.length > MAX_SERVERS) {
    const text = `expected at most ${MAX_SERVERS} servers, got ${list.length}`;
    problems.push({ offset: file.offsetOf(path), path, text });
    return { list: [], path, problems };
  }
  return { list, path, problems };
}

function withoutEmptyBlocks(raw: unknown): unknown {
  if (!isMapping(raw)) return raw;
  const blocks = ['headers', 'timeout'];
  return Object.fromEntries(
    Object.entries(raw).filter(([key, value]) => value !== null || !blocks.includes(key)),
  );
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof PlainScalar)
  );
}
