/** Which server a person means on the command line: a configured name, a URL, or a tool's full name. */
import { UsageError } from '../base/errors.ts';
import type { Config } from '../config/types.ts';
import type { Context } from './context.ts';
import { checkServerNames, loadConfig, unknownServer } from './house.ts';
import { configForUrl, isUrl, serverByUrl } from './url-server.ts';

export interface Target {
  readonly config: Config;
  /** Servers to start; `undefined` = all enabled. */
  readonly servers: readonly string[] | undefined;
}

/** The config and servers for `word`. Throws UsageError, ConfigError, AuthError. */
export async function findServer(context: Context, word: string | undefined): Promise<Target> {
  const { options } = context;
  if (word !== undefined && isUrl(word)) return findByUrl(context, word);
  refuseUrlFlags(context);
  const config = await loadConfig(context);
  const servers = word === undefined ? options.servers : [word];
  checkServerNames(config, servers ?? []);
  return { config, servers };
}

export interface ToolTarget extends Target {
  /** Any spelling that resolves in the started servers. */
  readonly tool: string;
  /** What follows the tool. */
  readonly rest: readonly string[];
}

/**
 * `SERVER TOOL …`, `URL TOOL …`, `SERVER/TOOL …`, or any other full name of a tool. Only servers that
 * can be meant are started.
 */
export async function findTool(context: Context, words: readonly string[]): Promise<ToolTarget> {
  const [first, second, ...rest] = words;
  if (first === undefined) throw new UsageError('which tool?', { hint: 'usher tools lists them' });
  if (isUrl(first)) {
    const target = await findByUrl(context, first);
    return { ...target, tool: qualified(target, first, second), rest };
  }
  refuseUrlFlags(context);
  const config = await loadConfig(context);
  const waiting = (config.pending ?? []).map(({ name }) => name);
  const names = [...config.servers.map(({ name }) => name), ...config.skipped, ...waiting];
  if (names.includes(first)) {
    checkServerNames(config, [first]);
    const target = { config, servers: [first] };
    return { ...target, tool: qualified(target, first, second), rest };
  }
  const meant = names.filter((name) => prefixesOf(name).some((prefix) => first.startsWith(prefix)));
  if (meant.length === 0) throw unknownServer(config, first.split('/')[0] ?? first);
  checkServerNames(config, meant);
  return { config, servers: meant, tool: first, rest: words.slice(1) };
}

async function findByUrl(context: Context, url: string): Promise<Target> {
  const { options, env, cwd } = context;
  const config = await loadConfig(context);
  const configured = serverByUrl(config, url);
  if (configured !== undefined) {
    refuseUrlFlags(context);
    checkServerNames(config, [configured.name]);
    return { config, servers: [configured.name] };
  }
  const { headers, bearerEnv, oauth } = options;
  if (bearerEnv !== undefined && hasOAuth(context)) {
    throw new UsageError('--bearer-env and flags about a sign-in exclude each other');
  }
  const query = { url, headers, bearerEnv, oauth, env, cwd };
  return { config: configForUrl(config, query), servers: undefined };
}

function refuseUrlFlags(context: Context): void {
  const { options } = context;
  if (options.headers.length === 0 && options.bearerEnv === undefined) {
    if (!hasOAuth(context)) return;
    throw new UsageError('flags about a sign-in go with a bare URL only', {
      hint: 'a configured server has auth: { type: oauth } in the config',
    });
  }
  throw new UsageError('--header and --bearer-env go with a bare URL only', {
    hint: 'a configured server has headers: and auth: in the config',
  });
}

/** `--oauth-scope` alone is a wish of a login, not a setting. */
function hasOAuth({ options }: Context): boolean {
  const { scope: _scope, ...settings } = options.oauth;
  return Object.values(settings).some((value) => value !== undefined);
}

function qualified(target: Target, typed: string, tool: string | undefined): string {
  const server = target.servers?.[0] ?? target.config.servers[0]?.name ?? '';
  if (tool !== undefined) return `${server}/${tool}`;
  throw new UsageError(`which tool of ${typed}?`, { hint: `usher tools ${typed} lists them` });
}

/** Beginnings of a tool's full name: `server/`, `server.`, `server_`, `mcp__server__`. */
function prefixesOf(server: string): readonly string[] {
  const clean = server.replace(/[^A-Za-z0-9]+/g, '_');
  const mcp = server.replace(/[^A-Za-z0-9_]/g, '_');
  return [`${server}/`, `${server}.`, `${clean}_`, `mcp__${mcp}__`];
}
