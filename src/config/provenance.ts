/** What holds for one server, key by key, and which file and line gave it. Secrets are masked. */

import type { JsonValue } from '../base/json.ts';
import { scrubSecrets } from '../base/redact.ts';
import { isMapping, type Located } from './entry.ts';
import { maskText } from './mask.ts';
import { type Approval, isOff, type MergedServer } from './merge.ts';
import type { PathItem } from './problem.ts';
import { readConfig } from './read.ts';
import { isOnlyReferences, isSecretName } from './secret-names.ts';
import { buildServers } from './servers.ts';
import { plainValue } from './signature.ts';
import type { Scope, SourceOptions } from './sources.ts';

export interface ServerKey {
  /** `env.LOG_LEVEL` */
  readonly key: string;
  /** As written, masked. */
  readonly value: JsonValue;
  /** `.mcp.json:4` */
  readonly place: string;
}

export interface ServerPlace {
  readonly scope: Scope;
  /** Absolute. */
  readonly file: string;
  readonly line: number;
  /** `.mcp.json:3` */
  readonly place: string;
}

export interface ServerDescription extends ServerPlace {
  readonly name: string;
  readonly approval: Approval;
  readonly enabled: boolean;
  readonly keys: readonly ServerKey[];
  /** Entries of lower files that this one stands in place of. */
  readonly replaced: readonly ServerPlace[];
  /** Why it cannot be used now; `undefined` when it can. */
  readonly problem: string | undefined;
}

export interface DescribedServers {
  /** Servers, then those that wait for a decision; a name may be in both. */
  readonly servers: readonly ServerDescription[];
  /** Why servers cannot be used, by name. */
  readonly problems: ReadonlyMap<string, string>;
}

/** Describes every server of the merged files. Starts nothing. Throws ConfigError as `loadConfig` does. */
export async function describeServers(options: SourceOptions): Promise<DescribedServers> {
  const { merged, root } = await readConfig(options);
  const { env, cwd } = options;
  const problems = new Map<string, string>();
  const { warnings } = buildServers(merged, {
    env,
    cwd,
    exposure: root.exposure,
    logins: root.loginNames,
  });
  for (const { skipped, message } of warnings) {
    if (skipped !== undefined) problems.set(skipped, scrubSecrets(message));
  }
  const servers = [...merged.servers, ...merged.pending].map((server) =>
    describe(server, problems.get(server.name)),
  );
  return { servers, problems };
}

/** Where an entry stands. */
export function placeOf({ source, file, path }: Located): ServerPlace {
  const { line } = file.lineAt(file.offsetOf(path));
  return { scope: source.scope, file: source.path, line, place: `${source.label}:${line}` };
}

function describe(server: MergedServer, problem: string | undefined): ServerDescription {
  return {
    ...placeOf(server.base),
    name: server.name,
    approval: server.approval,
    enabled: !isOff(server),
    keys: keysOf(server),
    replaced: server.replaced.map(placeOf),
    problem,
  };
}

function keysOf({ raw, base, changes }: MergedServer): readonly ServerKey[] {
  if (!isMapping(raw)) return [];
  return Object.keys(raw)
    .filter((key) => key !== 'name')
    .flatMap((key) => {
      const giver = changes.findLast(({ keys }) => keys.includes(key))?.entry ?? base;
      const value = raw[key];
      const isBlock = isMapping(value) && Object.keys(value).length > 0;
      const items: readonly (readonly [PathItem[], unknown])[] = isBlock
        ? Object.entries(value).map(([name, child]) => [[key, name], child])
        : [[[key], value]];
      return items.map(([path, child]): ServerKey => {
        const { file, source, path: place } = giver;
        const { line } = file.lineAt(file.offsetOf([...place, ...path]));
        return {
          key: path.join('.'),
          value: masked(path.map(String), plainValue(child)),
          place: `${source.label}:${line}`,
        };
      });
    });
}

/** What stands in `env` and `headers` is shown only when it is nothing but references. */
function masked(path: readonly string[], value: JsonValue): JsonValue {
  const [block, name = block] = path;
  if (typeof value === 'string') {
    const isHidden =
      block === 'env' || block === 'headers' || (isSecretName(name ?? '') && block !== 'auth');
    if (isHidden && !isOnlyReferences(value) && value !== '') return '***';
    return scrubSecrets(maskText(value));
  }
  const isArgv =
    block === 'args' || block === 'headersCommand' || path.join('.') === 'auth.command';
  if (isArgv && Array.isArray(value)) return maskedArgs(value);
  if (Array.isArray(value)) return value.map((item: JsonValue) => masked(path, item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, masked([...path, key], child ?? null)]),
  );
}

/** The word behind `--api-key` is a secret as well. */
function maskedArgs(args: readonly JsonValue[]): JsonValue {
  return args.map((arg, index) => {
    if (typeof arg !== 'string') return arg;
    const before = args[index - 1];
    const flag = typeof before === 'string' && /^--?[\w-]+$/.test(before) ? before : '';
    if (isSecretName(flag.replace(/^-+/, '')) && !isOnlyReferences(arg)) return '***';
    return scrubSecrets(maskText(arg));
  });
}
