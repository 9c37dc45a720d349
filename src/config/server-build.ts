/** From a checked entry to a ServerConfig: `${VAR}` expanded, defaults filled in, secrets registered. */
import { resolve } from 'node:path';
import type { Env } from '../base/env.ts';
import { proxyProblem } from '../base/proxy.ts';
import { registerSecret } from '../base/redact.ts';
import { type TlsFiles, tlsFileProblem } from '../base/tls-files.ts';
import { expand } from './expand.ts';
import { sentHeaderProblem } from './header-rules.ts';
import type { PathItem } from './problem.ts';
import type { Exposures } from './schema/exposure.ts';
import type { ServerEntry } from './schema/server.ts';
import { isSecretName, looksLikeSecret } from './secret-names.ts';
import type { RuleBreak } from './server-rules.ts';
import type { CallLimits, ServerConfig, ServerEndpoint, ServerExpectation } from './types.ts';
import { urlProblem } from './url-rules.ts';

export const DEFAULT_CONNECT_HTTP_MS = 15_000;
export const DEFAULT_CONNECT_STDIO_MS = 60_000;
export const DEFAULT_IDLE_MS = 60_000;
export const DEFAULT_MAX_MS = 15 * 60_000;

/** A shorter literal would mask ordinary words in every log. */
const MIN_LITERAL_SECRET = 8;

export interface BuildContext {
  readonly env: Env;
  /** usher's working directory, absolute. */
  readonly cwd: string;
  readonly exposure: Exposures;
  /** Folder that relative `tls` files are below. Default: `cwd`. */
  readonly folder?: string;
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

/** Expands texts of one block and collects what keeps them from it. */
export class Fill {
  private readonly env: Env;
  private readonly breaks: RuleBreak[];
  private readonly reportMissing: boolean;

  constructor(env: Env, breaks: RuleBreak[], reportMissing = true) {
    this.env = env;
    this.breaks = breaks;
    this.reportMissing = reportMissing;
  }

  /**
   * The expanded text; the text as written where that fails. `name` is the header, variable or key
   * it stands under: a secret-like one makes the value a registered secret.
   */
  text(text: string, path: readonly PathItem[], name: string, trimmed = false): string {
    const result = expand(text, this.env, trimmed);
    if (result.kind === 'bad') {
      this.break(path, result.text);
      return text;
    }
    if (result.kind === 'missing') {
      if (this.reportMissing) this.break(path, missingText(result.variables, this.env));
      return text;
    }
    const isSecret = isSecretName(name);
    for (const used of result.used) {
      if (isSecret || isSecretName(used.name) || looksLikeSecret(used.value)) {
        registerSecret(used.value);
      }
    }
    if (isSecret && result.used.length === 0 && result.text.length >= MIN_LITERAL_SECRET)
      registerSecret(result.text);
    return result.text;
  }

  break(path: readonly PathItem[], text: string): void {
    this.breaks.push({ path, text, part: 'value' });
  }

  /** Headers as they are sent: trimmed, checked. */
  headers(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    const filled: Record<string, string> = {};
    for (const [name, written] of Object.entries(headers)) {
      const before = this.breaks.length;
      const value = this.text(written, ['headers', name], name, true).trim();
      const problem = this.breaks.length === before ? sentHeaderProblem(name, value) : undefined;
      if (problem !== undefined) this.break(['headers', name], problem);
      filled[name] = value;
    }
    return filled;
  }

  /** A URL that may be used; anything wrong with it is reported. */
  url(
    written: string,
    path: readonly PathItem[],
    allowPrivate: boolean,
    transport?: 'http' | 'sse' | 'ws',
  ): string {
    const before = this.breaks.length;
    const url = this.text(written, path, 'url', true).trim();
    const isRaw = url === written.trim() && url.includes(`\${`);
    const problem =
      this.breaks.length === before && !isRaw
        ? urlProblem(url, allowPrivate, transport)
        : undefined;
    if (problem !== undefined) this.break(path, problem);
    else registerQuerySecrets(url);
    return url;
  }
}

function registerQuerySecrets(url: string): void {
  if (!URL.canParse(url)) return;
  for (const [name, value] of new URL(url).searchParams) {
    if (isSecretName(name) && value.length >= MIN_LITERAL_SECRET) registerSecret(value);
  }
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
      auth: entry.auth,
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
  return { argv: fillArgs(argv, fill, 'headersCommand'), envPass, cwd: folder };
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

/** The value after a secret-like flag (`--api-key X`, `--token=X`) is registered as a secret. */
function fillArgs(args: readonly string[], fill: Fill, key = 'args'): readonly string[] {
  return args.map((arg, index) => {
    const [flag = '', ...rest] = arg.split('=');
    const value = rest.join('=');
    if (flag.startsWith('-') && isSecretName(flag.replace(/^-+/, '')) && value !== '') {
      return `${flag}=${fill.text(value, [key, index], flag.replace(/^-+/, ''))}`;
    }
    const before = args[index - 1] ?? '';
    const name = /^--?[\w-]+$/.test(before) ? before.replace(/^-+/, '') : '';
    return fill.text(arg, [key, index], name);
  });
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

function missingText(variables: readonly string[], env: Env): string {
  const named = variables.map(
    (name) => `$${name} is ${env[name] === undefined ? 'not set' : 'empty'}`,
  );
  const [first = ''] = variables;
  return `${named.join(', ')}; set it, or write a default: \${${first}:-…}`;
}
