/**
 * A server named by its bare URL: the person's explicit word for that server, so it needs no config
 * file and asks no permission. Secrets come from the environment only.
 */
import { type Env, envValue } from '../base/env.ts';
import { AuthError, UsageError } from '../base/errors.ts';
import { shellWord } from '../base/shell.ts';
import { expand } from '../config/expand.ts';
import { writtenHeaderProblem } from '../config/header-rules.ts';
import type { RuleBreak } from '../config/problem.ts';
import { isPlausibleVariable, looksLikeSecret } from '../config/secret-names.ts';
import { buildServer } from '../config/server-build.ts';
import { serverRuleBreaks } from '../config/server-rules.ts';
import type { Config, ServerConfig } from '../config/types.ts';
import { literalSecretParameters, urlProblem } from '../config/url-rules.ts';
import type { OAuthOptions } from './options.ts';

export interface UrlServerQuery {
  readonly url: string;
  /** `--header`: `Name: value` or `Name=value`. */
  readonly headers: readonly string[];
  /** `--bearer-env`: the name of a variable. */
  readonly bearerEnv: string | undefined;
  /** Flags about a sign-in. */
  readonly oauth: OAuthOptions;
  readonly env: Env;
  readonly cwd: string;
}

const HEADER = /^([^\s:=]+)\s*[:=]\s*(.*)$/s;
/** Proposed where a literal secret is refused. */
const EXAMPLE_VARIABLE = 'MY_TOKEN';

/** True for a word that is an address and not a server's name. */
export function isUrl(word: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(word);
}

/** The server of `config` with this URL; it keeps its own permission mode. */
export function serverByUrl(config: Config, url: string): ServerConfig | undefined {
  return config.servers.find(({ endpoint }) => 'url' in endpoint && sameUrl(endpoint.url, url));
}

/** `config` with this one server in place of all others. Throws UsageError; AuthError for a missing token. */
export function configForUrl(config: Config, query: UrlServerQuery): Config {
  const { url, env, cwd } = query;
  const [secret] = literalSecretParameters(url);
  const transport = /^wss?:/i.test(url) ? ('ws' as const) : ('http' as const);
  const problem =
    secret === undefined
      ? urlProblem(url, false, transport)
      : `the parameter ${secret} is a secret; send it with --header or --bearer-env`;
  if (problem !== undefined) throw new UsageError(`the server's URL: ${problem}`);
  const auth = readBearer(query.bearerEnv, env) ?? signInOf(query, transport);
  const entry = {
    name: nameOf(new URL(url)),
    url,
    transport,
    headers: readHeaders(query.headers, env),
    permissions: 'auto' as const,
    required: true,
    ...(auth === undefined ? {} : { auth }),
  };
  const [unfit] = serverRuleBreaks(entry).filter(({ path }) => path[0] === 'auth');
  if (unfit !== undefined) throw new UsageError(inFlags(unfit));
  const { server, breaks } = buildServer(entry, { env, cwd, exposure: 'direct' });
  if (server === undefined) {
    const told = breaks.map(({ path, text }) => {
      const where = path[0] === 'auth' ? flagOf(String(path.at(-1))) : path.join('.');
      return `${where}: ${text}`;
    });
    throw new UsageError(told.join('\n'));
  }
  return { ...config, servers: [server], warnings: [], skipped: [], loginWords: wordsOf(query) };
}

/** A bare URL is signed in to where it asks for that; credentials of the command line are the person's word. */
function signInOf({ headers, oauth }: UrlServerQuery, transport: 'ws' | 'http') {
  const { privateKey, idp, assertion, ...rest } = oauth;
  const settings = {
    ...rest,
    privateKeyFile: privateKey,
    idpFile: idp,
    assertionFile: assertion,
  };
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  const hasHeader = headers.some((text) => /^authorization\s*[:=]/i.test(text.trim()));
  if (given.length > 0 && (transport === 'ws' || hasHeader)) {
    const rival = hasHeader ? '--header Authorization' : 'a WebSocket';
    throw new UsageError(`a sign-in does not go with ${rival}`);
  }
  if (transport === 'ws' || hasHeader) return undefined;
  return { type: 'oauth' as const, ...Object.fromEntries(given) };
}

/** A rule about keys of an entry, told in flags. */
function inFlags({ path, text }: RuleBreak): string {
  const key = String(path.at(-1));
  const told = text.replace(/\b[a-z]+(?:[A-Z][a-z]+)+\b/g, (word) => flagOf(word));
  return key === 'auth' ? `--grant ${told}` : `${flagOf(key)}: ${told}`;
}

function flagOf(key: string): string {
  const kebab = key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return FLAG_NAMES[key] ?? `--${kebab.replace(/-file$/, '')}`;
}

const FLAG_NAMES: Readonly<Record<string, string>> = { algorithm: '--alg', scope: '--oauth-scope' };

/** What names the same server again. Without scopes: a hint about them has its own. */
function wordsOf({ url, headers, oauth }: UrlServerQuery): string {
  const { scope: _scope, ...settings } = oauth;
  const flags = Object.entries(settings).flatMap(([key, value]) => {
    if (value === undefined) return [];
    return value === true ? [flagOf(key)] : [flagOf(key), String(value)];
  });
  const given = headers.flatMap((header) => ['--header', header]);
  return [url, ...given, ...flags].map(shellWord).join(' ');
}

function sameUrl(a: string, b: string): boolean {
  return URL.canParse(a) && URL.canParse(b) && new URL(a).href === new URL(b).href;
}

/** A server name from the host: letters, digits, `_` and `-`, at most 64. */
function nameOf(url: URL): string {
  const name = url.host.replace(/[^A-Za-z0-9_-]+/g, '-').replace(/^-+|-+$/g, '');
  return name.slice(0, 64) || 'server';
}

/** Headers as written, `${VAR}` still in them; each one is known to expand. */
function readHeaders(given: readonly string[], env: Env): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const text of given) {
    const [, name, value] = HEADER.exec(text.trim()) ?? [];
    if (name === undefined || value === undefined) {
      throw new UsageError('--header: expected "Name: value" or Name=value');
    }
    checkHeader(name, value, env);
    headers[name] = value;
  }
  return headers;
}

function checkHeader(name: string, value: string, env: Env): void {
  const isSecret = looksLikeSecret(value);
  if (writtenHeaderProblem(name, value, EXAMPLE_VARIABLE) !== undefined || isSecret) {
    throw new UsageError(`--header ${isSecret ? '' : `${name} `}must not hold a secret`, {
      hint: `put it into a variable and write --header '${name}: \${${EXAMPLE_VARIABLE}}'`,
    });
  }
  const expanded = expand(value, env, true);
  if (expanded.kind !== 'missing') return;
  throw new AuthError(`--header ${name}: $${expanded.variables.join(', $')} is not set`);
}

function readBearer(name: string | undefined, env: Env) {
  if (name === undefined) return undefined;
  if (!isPlausibleVariable(name)) {
    throw new UsageError('--bearer-env takes the NAME of a variable, not a token');
  }
  if ((envValue(env, name) ?? '').trim() === '') {
    throw new AuthError(`--bearer-env: $${name} is not set`);
  }
  return { type: 'bearer' as const, tokenEnv: name };
}
