/** `auth:` and logins with their texts expanded, addresses judged and files found beside the configuration. */
import { resolve } from 'node:path';
import { hostKind } from '../base/address.ts';
import { nearestMatches } from '../base/text.ts';
import { tlsFileProblem } from '../base/tls-files.ts';
import { type Fill, fillArgs } from './fill.ts';
import {
  callbackProblem,
  clientIdProblem,
  documentProblem,
  nameProblem,
  resourceProblem,
  scopeProblem,
} from './oauth-text.ts';
import type { PathItem } from './problem.ts';
import type { LoginEntry, OAuthEntry } from './schema/auth.ts';
import type { ServerEntry } from './schema/server.ts';
import type { LoginConfig, ServerAuth } from './types.ts';
import { urlProblem } from './url-rules.ts';

export interface AuthContext {
  /** Of the configuration file, absolute. */
  readonly folder: string;
  readonly enabled: boolean;
  readonly allowPrivate: boolean;
  /** Names of `logins:`. */
  readonly logins: readonly string[];
}

/** The entry's `auth`; `url` is where the server listens. What is wrong is reported to `fill`. */
export function fillAuth(
  { auth, envPass = [] }: Pick<ServerEntry, 'auth' | 'envPass'>,
  url: string,
  context: AuthContext,
  fill: Fill,
): ServerAuth | undefined {
  if (auth === undefined) return undefined;
  switch (auth.type) {
    case 'bearer':
    case 'apiKey':
      return auth;
    case 'oauth': {
      const { type: _type, ...settings } = auth;
      const filled = fillOauth(settings, ['auth'], context, fill);
      checkKey(filled.privateKeyFile, context, fill);
      return { type: 'oauth', ...filled };
    }
    case 'command': {
      const command = fillArgs(auth.command, fill, ['auth', 'command']);
      return { type: 'command', command, envPass, cwd: context.folder };
    }
    case 'provider':
      checkLogin(auth.provider, url, context.logins, fill);
      return auth;
  }
}

/** A login as it is used. */
export function fillLogin(
  entry: LoginEntry,
  at: readonly PathItem[],
  folder: string,
  fill: Fill,
): LoginConfig {
  const { issuer, resource, allowPrivate = false, ...settings } = entry;
  return {
    ...fillOauth(settings, at, { folder, allowPrivate }, fill),
    ...(issuer === undefined ? {} : { issuer: fill.url(issuer, [...at, 'issuer'], allowPrivate) }),
    ...(resource === undefined
      ? {}
      : { resource: fill.checked(resource, [...at, 'resource'], 'resource', resourceProblem) }),
    allowPrivate,
  };
}

/** What is wrong with a text of a sign-in that holds no reference; `undefined`: nothing, or it is judged elsewhere. */
export function oauthTextProblem(
  key: string,
  text: string,
  allowPrivate: boolean,
): string | undefined {
  if (key === 'authServerMetadataUrl') return urlProblem(text, allowPrivate);
  const known = TEXT_KEYS.find((one) => one === key);
  return known === undefined ? undefined : TEXTS[known](text);
}

const FILES = ['privateKeyFile', 'assertionFile', 'idpFile'] as const;
const TEXT_KEYS = ['clientId', 'clientName', 'scope', 'clientMetadataUrl', 'callbackUrl'] as const;
const TEXTS = {
  clientId: clientIdProblem,
  clientName: nameProblem,
  scope: scopeProblem,
  clientMetadataUrl: documentProblem,
  callbackUrl: callbackProblem,
} as const satisfies Readonly<Record<(typeof TEXT_KEYS)[number], unknown>>;

/** The settings alone, without `type`. */
function fillOauth(
  entry: OAuthEntry,
  at: readonly PathItem[],
  { folder, allowPrivate }: Pick<AuthContext, 'folder' | 'allowPrivate'>,
  fill: Fill,
): OAuthEntry {
  const filled: { -readonly [key in keyof typeof TEXTS | (typeof FILES)[number]]?: string } = {};
  for (const key of TEXT_KEYS) {
    const written = entry[key];
    if (written !== undefined) {
      filled[key] = fill.checked(written, [...at, key], key, TEXTS[key]);
    }
  }
  for (const key of FILES) {
    const written = entry[key];
    if (written !== undefined) filled[key] = fillFile(written, [...at, key], folder, fill);
  }
  const { authServerMetadataUrl: metadata, ...rest } = entry;
  const place = [...at, 'authServerMetadataUrl'];
  return {
    ...rest,
    ...filled,
    ...(metadata === undefined
      ? {}
      : { authServerMetadataUrl: fill.url(metadata, place, allowPrivate) }),
  };
}

function fillFile(written: string, path: readonly PathItem[], folder: string, fill: Fill): string {
  if (written === '~' || written.startsWith('~/')) {
    fill.break(path, `~ is not expanded; write \${HOME}`);
    return written;
  }
  return resolve(folder, fill.checked(written, path, 'file', nameProblem));
}

/** Better told with line and column than at the first sign-in. */
function checkKey(path: string | undefined, { enabled }: AuthContext, fill: Fill): void {
  const problem = path === undefined || !enabled ? undefined : tlsFileProblem('key', path);
  if (problem !== undefined) fill.break(['auth', 'privateKeyFile'], problem);
}

function checkLogin(name: string, url: string, logins: readonly string[], fill: Fill): void {
  const path = ['auth', 'provider'];
  if (!logins.includes(name)) {
    const [near] = nearestMatches(name, logins, 1);
    const advice =
      near !== undefined
        ? `did you mean ${near}?`
        : logins.length === 0
          ? 'there are none'
          : `known: ${logins.slice(0, 8).join(', ')}`;
    fill.break(path, `no login ${JSON.stringify(name)} stands in logins:; ${advice}`);
    return;
  }
  if (!URL.canParse(url)) return;
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:' || hostKind(hostname) === 'loopback') return;
  fill.break(path, 'the token of a login only goes to https, or to http on this machine');
}
