/** From a checked entry to a ServerConfig: `${VAR}` expanded, defaults filled in, secrets registered. */
import { resolve } from 'node:path';
import type { Env } from '../base/env.ts';
import { proxyProblem } from '../base/proxy.ts';
import { registerSecret } from '../base/redact.ts';
import { type TlsFiles, tlsFileProblem } from '../base/tls-files.ts';
import { fillAuth } from './auth-build.ts';
import { Fill, fillArgs, MIN_LITERAL_SECRET } from './fill.ts';
import type { RuleBreak } from './problem.ts';
import type { Exposures } from './schema/exposure.ts';
import type { ServerEntry } from './schema/server.ts';
import { isSecretName } from './secret-names.ts';
import type { CallLimits, ServerConfig, ServerEndpoint, ServerExpectation } from './types.ts';

export const DEFAULT_CONNECT_HTTP_MS = 15_000;
export const DEFAULT_CONNECT_STDIO_MS = 60_000;
export const DEFAULT_IDLE_MS = 60_000;
export const DEFAULT_MAX_MS = 15 * 60_000;

export interface BuildContext {
  readonly env: Env;
  /** usher's working directory, absolute. */
  readonly cwd: string;
  readonly exposure: Exposures;
  /** Folder that relative files of `tls` and `auth` are below. Default: `cwd`. */
  readonly folder?: string;
  /** Names of `logins:`. Default none. */
  readonly logins?: readonly string[];
}

/** The server, or why it cannot be used. Of a disabled server missing variables are no problem: it stays as written. */
export function buildServer(
  entry: ServerEntry,
  context: BuildContext,
): { readonly server: ServerConfig | undefined; readonly breaks: readonly RuleBreak[] } {
  const breaks: RuleBreak[] = [];
  const enabled = entry.enabled ?? true;
  const fill = new Fill(context.env, breaks, enabled);
  registerPassed(entry.envPass ?? [], context.env);
  const endpoint = buildEndpoint(entry, context, fill);
  if (breaks.length > 0 || endpoint === undefined) return { server: undefined, breaks };
  const server: ServerConfig = {
    name: entry.name,
    endpoint,
    enabled,
    required: entry.required ?? false,
    description: entry.description,
    tools: entry.tools,
    permissions: entry.permissions,
    toolPermissions: entry.toolPermissions ?? {},
    trustAnnotations: entry.trustAnnotations ?? false,
    ...(entry.expect === undefined ? {} : { expect: buildExpectation(entry.expect) }),
    exposure: entry.exposure ?? context.exposure,
    ...(entry.toolExposure === undefined ? {} : { toolExposure: entry.toolExposure }),
    ...(entry.maxToolTokens === undefined ? {} : { maxToolTokens: entry.maxToolTokens }),
    binary: entry.binary ?? 'drop',
    instructions: entry.instructions ?? 'full',
    ...(entry.sampling === undefined ? {} : { sampling: entry.sampling }),
    protocol: entry.protocol ?? 'auto',
    restartOnTimeout: entry.restartOnTimeout ?? true,
    timeout: buildTimeout(entry),
  };
  return { server, breaks };
}

function buildEndpoint(
  entry: ServerEntry,
  context: BuildContext,
  fill: Fill,
): ServerEndpoint | undefined {
  if (entry.builtin !== undefined) return { kind: 'builtin', builtin: entry.builtin };
  if (entry.url !== undefined) {
    const allowPrivate = entry.allowPrivate ?? false;
    const enabled = entry.enabled ?? true;
    const kind = entry.transport ?? 'http';
    const url = fill.url(entry.url, ['url'], allowPrivate, kind);
    if (entry.strictUrl === true && url.includes('?')) {
      fill.break(['url'], 'a query string is not allowed with strictUrl: true');
    }
    return {
      kind,
      url,
      headers: fill.headers(entry.headers ?? {}),
      auth: fillAuth(
        entry,
        url,
        {
          folder: context.folder ?? context.cwd,
          enabled,
          allowPrivate,
          logins: context.logins ?? [],
        },
        fill,
      ),
      allowPrivate,
      ...(entry.proxy === undefined ? {} : { proxy: fillProxy(entry.proxy, fill) }),
      ...(entry.tls === undefined ? {} : { tls: fillTls(entry.tls, enabled, context, fill) }),
      ...(entry.redirects === undefined ? {} : { redirects: entry.redirects }),
      ...(entry.headersCommand === undefined
        ? {}
        : { headersCommand: fillHeadersCommand(entry, entry.headersCommand, context, fill) }),
    };
  }
  if (entry.command === undefined) return undefined;
  return {
    kind: 'stdio',
    command: entry.command,
    args: fillArgs(entry.args ?? [], fill),
    env: fillEnv(entry.env ?? {}, fill),
    envPass: entry.envPass ?? [],
    cwd: fillCwd(entry.cwd, context.cwd, fill),
  };
}

function fillProxy(written: string, fill: Fill): string {
  if (written === 'none') return written;
  const proxy = fill.text(written, ['proxy'], 'proxy', true).trim();
  const problem = proxy.includes(`\${`) ? undefined : proxyProblem(proxy);
  if (problem !== undefined) fill.break(['proxy'], problem);
  return proxy;
}

/** The files of a server that is used must be there now: better told with line and column than at connect. */
function fillTls(
  tls: NonNullable<ServerEntry['tls']>,
  enabled: boolean,
  { cwd, folder = cwd }: BuildContext,
  fill: Fill,
): TlsFiles {
  const files: { ca?: string; cert?: string; key?: string } = {};
  for (const name of ['ca', 'cert', 'key'] as const) {
    const written = tls[name];
    if (written === undefined) continue;
    const path = resolve(folder, written);
    const problem = enabled ? tlsFileProblem(name, path) : undefined;
    if (problem !== undefined) fill.break(['tls', name], problem);
    files[name] = path;
  }
  return files;
}

function fillHeadersCommand(
  { envPass = [] }: ServerEntry,
  argv: readonly string[],
  { cwd, folder = cwd }: BuildContext,
  fill: Fill,
) {
  return { argv: fillArgs(argv, fill, ['headersCommand']), envPass, cwd: folder };
}

function buildExpectation(entry: NonNullable<ServerEntry['expect']>): ServerExpectation {
  const { tools, minTools, serverVersion } = entry;
  return {
    ...(tools === undefined ? {} : { tools }),
    ...(minTools === undefined ? {} : { minTools }),
    ...(serverVersion === undefined ? {} : { serverVersion }),
  };
}

/** What is handed on under a secret-like name comes back in what a command says. */
function registerPassed(names: readonly string[], env: Env): void {
  for (const name of names) {
    const value = env[name]?.trim() ?? '';
    if (isSecretName(name) && value.length >= MIN_LITERAL_SECRET) registerSecret(value);
  }
}

function fillEnv(env: Readonly<Record<string, string | null>>, fill: Fill) {
  const filled: Record<string, string> = {};
  for (const [name, written] of Object.entries(env)) {
    if (written !== null) filled[name] = fill.text(written, ['env', name], name);
  }
  return filled;
}

function fillCwd(written: string | undefined, cwd: string, fill: Fill): string {
  if (written === undefined) return cwd;
  if (written === '~' || written.startsWith('~/')) {
    fill.break(['cwd'], `~ is not expanded; write \${HOME}`);
    return cwd;
  }
  return resolve(cwd, fill.text(written, ['cwd'], 'cwd', true));
}

function buildTimeout(entry: ServerEntry): ServerConfig['timeout'] {
  const { connect, idle, max, tools = {} } = entry.timeout ?? {};
  const isCommand = entry.command !== undefined;
  return {
    connectMs: connect ?? (isCommand ? DEFAULT_CONNECT_STDIO_MS : DEFAULT_CONNECT_HTTP_MS),
    idleMs: idle ?? DEFAULT_IDLE_MS,
    maxMs: max ?? DEFAULT_MAX_MS,
    tools: Object.fromEntries(
      Object.entries(tools).map(([name, limits]): [string, Partial<CallLimits>] => [
        name,
        {
          ...(limits.idle === undefined ? {} : { idleMs: limits.idle }),
          ...(limits.max === undefined ? {} : { maxMs: limits.max }),
        },
      ]),
    ),
  };
}
