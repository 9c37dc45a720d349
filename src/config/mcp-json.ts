/**
 * The well-known map `mcpServers`, as other hosts write it: every entry becomes one of ours, so that one
 * set of rules judges both. What has no counterpart stays and is refused by those rules.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { childOf, type PathItem } from './problem.ts';
import { PlainScalar } from './schema/atoms.ts';

export interface RawEntry {
  readonly raw: unknown;
  /** Keys from the root of the file. */
  readonly path: readonly PathItem[];
}

/** The entries of the file, or what is wrong with its shape. */
export function mcpJsonEntries(root: unknown): readonly RawEntry[] | string {
  if (root === null || root === undefined) return [];
  if (!isMapping(root)) return 'expected a mapping with mcpServers';
  const servers = childOf(root, 'mcpServers');
  if (servers === undefined || servers === null) return [];
  if (!isMapping(servers)) return 'mcpServers: expected a mapping with one entry for each server';
  return Object.entries(servers).map(([name, entry]) => ({
    raw: isMapping(entry) ? fromForeign(name, entry) : entry,
    path: ['mcpServers', name],
  }));
}

/** One entry as ours: `type` becomes `transport`, `oauth` becomes `auth`; stdio is what `command` says already. */
export function fromForeign(name: string, entry: Readonly<Record<string, unknown>>): object {
  // The key is the name, whatever an entry calls itself.
  const { type, disabled, oauth, name: _own, ...rest } = entry;
  const transport = typeof type === 'string' ? TRANSPORTS[type] : undefined;
  const isKnown = transport !== undefined || (type === 'stdio' && 'command' in rest);
  return {
    name,
    ...(type === undefined || isKnown ? {} : { type }),
    ...(transport === undefined ? {} : { transport }),
    ...switchOf(disabled),
    ...rest,
    ...signInOf(oauth, rest),
  };
}

/** One of ours as other hosts write it: `type` names the transport, a bearer token is a header, a sign-in is `oauth`. */
export function toForeign(entry: JsonObject): JsonObject {
  const { name: _name, transport, auth, headers, ...rest } = entry;
  const tokenEnv = isJsonObject(auth) && auth['type'] === 'bearer' ? auth['tokenEnv'] : undefined;
  const token = typeof tokenEnv === 'string' ? { Authorization: `Bearer \${${tokenEnv}}` } : {};
  const all = { ...(isJsonObject(headers) ? headers : {}), ...token };
  return {
    ...('url' in rest ? { type: transport ?? 'http' } : {}),
    ...rest,
    ...foreignAuth(auth),
    ...(Object.keys(all).length === 0 ? {} : { headers: all }),
  };
}

/** Beside an `auth` of its own it stays, and is refused. */
function signInOf(oauth: unknown, rest: object): object {
  if (oauth === undefined) return {};
  if (!isMapping(oauth) || 'auth' in rest || 'type' in oauth) return { oauth };
  const { scopes, ...settings } = oauth;
  const list: readonly unknown[] = Array.isArray(scopes) ? scopes : [scopes];
  const texts = list.filter((scope) => typeof scope === 'string');
  const isScope = scopes !== undefined && texts.length === list.length && !('scope' in settings);
  return {
    auth: {
      type: 'oauth',
      ...settings,
      ...(isScope ? { scope: texts.join(' ') } : {}),
      ...(isScope || scopes === undefined ? {} : { scopes }),
    },
  };
}

function foreignAuth(auth: JsonValue | undefined): JsonObject {
  if (!isJsonObject(auth)) return auth === undefined ? {} : { auth };
  const { type, ...settings } = auth;
  if (type === 'oauth') return { oauth: settings };
  return type === 'bearer' && typeof auth['tokenEnv'] === 'string' ? {} : { auth };
}

/** `disabled: true`, as some hosts write it. */
function switchOf(disabled: unknown): object {
  if (disabled === undefined) return {};
  if (typeof disabled === 'boolean') return { enabled: !disabled };
  if (disabled instanceof PlainScalar && typeof disabled.value === 'boolean') {
    return { enabled: new PlainScalar(!disabled.value, String(!disabled.value)) };
  }
  return { disabled };
}

const TRANSPORTS: Readonly<Record<string, string | undefined>> = {
  http: 'http',
  'streamable-http': 'http',
  streamableHttp: 'http',
  sse: 'sse',
  ws: 'ws',
  websocket: 'ws',
};

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof PlainScalar)
  );
}
