/** Rules of `auth:` and of a login that a schema cannot say: which keys go together, with which grant. Nothing is expanded. */
import { childOf, type PathItem, type RuleBreak } from './problem.ts';
import { PlainScalar } from './schema/atoms.ts';
import { GRANTS, type OAuthEntry } from './schema/auth.ts';

/** Broken rules of the `auth` block of a server entry. */
export function authBreaks(entry: unknown): readonly RuleBreak[] {
  const auth = childOf(entry, 'auth');
  const type = childOf(auth, 'type');
  return [
    ...renewedBreaks(entry, type),
    ...(type === 'oauth' ? oauthBreaks(auth, ['auth']) : []),
    ...(type === 'command' ? programBreaks(childOf(auth, 'command'), ['auth', 'command']) : []),
  ];
}

/** Broken rules of one login, a mapping. */
export function loginBreaks(login: unknown, at: readonly PathItem[]): readonly RuleBreak[] {
  const has = (key: string) => childOf(login, key) !== undefined;
  const text = 'one of issuer, authServerMetadataUrl is missing';
  const missing: RuleBreak = { path: at, text, part: 'value' };
  const isPlaced = has('issuer') || has('authServerMetadataUrl');
  return [...(isPlaced ? [] : [missing]), ...oauthBreaks(login, at)];
}

/** A program is started as it is named: no shell, no home sign. */
export function programBreaks(argv: unknown, path: readonly PathItem[]): readonly RuleBreak[] {
  const program: unknown = Array.isArray(argv) ? argv[0] : undefined;
  if (typeof program !== 'string') return [];
  const said = (text: string): RuleBreak => ({ path, text, part: 'value' });
  if (/\s/.test(program) && !/[/\\]/.test(program)) {
    return [said('expected a program and its arguments, not a shell line: [PROGRAM, ARGUMENT]')];
  }
  return program.startsWith('~/') ? [said('~ is not expanded; write the whole path')] : [];
}

/** These come anew while the server is used, with requests; and they are the Authorization header. */
function renewedBreaks(entry: unknown, type: unknown): readonly RuleBreak[] {
  if (type !== 'oauth' && type !== 'command' && type !== 'provider') return [];
  const breaks: RuleBreak[] = [];
  if (childOf(entry, 'transport') === 'ws') {
    const text = `auth of type ${type} only goes with http and sse, not with transport: ws`;
    breaks.push({ path: ['auth', 'type'], text, part: 'value' });
  }
  if (childOf(entry, 'headersCommand') !== undefined) {
    const text = 'auth already sets the Authorization header; keep one of the two';
    breaks.push({ path: ['headersCommand'], text, part: 'key' });
  }
  return breaks;
}

type Grant = (typeof GRANTS)[number];
type OAuthKey = keyof OAuthEntry;

/** Each list names keys of which one has to be there. */
const NEEDED: Readonly<Record<Grant, readonly (readonly OAuthKey[])[]>> = {
  authorization_code: [],
  device_code: [],
  client_credentials: [['clientId'], ['clientSecretEnv', 'privateKeyFile']],
  'jwt-bearer': [['assertionFile'], ['clientId', 'clientMetadataUrl']],
  enterprise: [['idpFile'], ['clientId']],
};

/** Grants of which a key is part. */
const GRANTS_OF: Readonly<Partial<Record<OAuthKey, readonly Grant[]>>> = {
  callbackPort: ['authorization_code'],
  callbackUrl: ['authorization_code'],
  clientName: ['authorization_code', 'device_code'],
  clientRegistration: ['authorization_code', 'device_code', 'jwt-bearer'],
  assertionFile: ['jwt-bearer'],
  idpFile: ['enterprise'],
};

/** Keys that say nothing without another one. */
const COMPANIONS: Readonly<Partial<Record<OAuthKey, readonly OAuthKey[]>>> = {
  clientSecretEnv: ['clientId'],
  privateKeyFile: ['clientId', 'clientMetadataUrl'],
  algorithm: ['privateKeyFile'],
};

function oauthBreaks(block: unknown, at: readonly PathItem[]): readonly RuleBreak[] {
  const has = (key: string) => childOf(block, key) !== undefined;
  const written = childOf(block, 'grant') ?? 'authorization_code';
  const grant = GRANTS.find((one) => one === written);
  if (grant === undefined) return [];
  const onKey = (key: OAuthKey, text: string): RuleBreak => ({
    path: [...at, key],
    text,
    part: 'key',
  });
  const needed = NEEDED[grant].filter((keys) => !keys.some(has));
  const strange = keysOf(GRANTS_OF).filter(
    (key) => has(key) && GRANTS_OF[key]?.includes(grant) !== true,
  );
  const lonely = keysOf(COMPANIONS).filter(
    (key) => has(key) && COMPANIONS[key]?.some(has) !== true,
  );
  // What the grant misses is told by its own line.
  const told = (key: OAuthKey) =>
    needed.some((keys) => COMPANIONS[key]?.some((one) => keys.includes(one)) === true);
  return [
    ...needed.map(
      (keys): RuleBreak => ({
        path: [...at, 'grant'],
        text: `${grant} needs ${keys.join(' or ')}`,
        part: 'value',
      }),
    ),
    ...strange.map((key) =>
      onKey(key, `only goes with grant ${GRANTS_OF[key]?.join(' or ')}, this is ${grant}`),
    ),
    ...lonely
      .filter((key) => !told(key))
      .map((key) => onKey(key, `only goes with ${COMPANIONS[key]?.join(' or ')}`)),
    ...rivalBreaks(block, onKey),
  ];
}

/** Two keys that say the same, or its opposite. */
function rivalBreaks(
  block: unknown,
  onKey: (key: OAuthKey, text: string) => RuleBreak,
): readonly RuleBreak[] {
  const has = (key: OAuthKey) => childOf(block, key) !== undefined;
  const breaks: RuleBreak[] = [];
  if (has('callbackPort') && has('callbackUrl')) {
    breaks.push(onKey('callbackPort', 'callbackUrl names the port already; keep one of the two'));
  }
  if (has('clientSecretEnv') && has('privateKeyFile')) {
    const text = 'a client proves itself in one way; keep clientSecretEnv or privateKeyFile';
    breaks.push(onKey('privateKeyFile', text));
  }
  if (has('clientMetadataUrl') && textAt(block, 'clientRegistration') === 'dcr') {
    const text = 'clientRegistration: dcr never uses it; keep one of the two';
    breaks.push(onKey('clientMetadataUrl', text));
  }
  return breaks;
}

function textAt(block: unknown, key: OAuthKey): string | undefined {
  const value = childOf(block, key);
  if (value instanceof PlainScalar) return value.source;
  return typeof value === 'string' ? value : undefined;
}

function keysOf(map: Readonly<Partial<Record<OAuthKey, unknown>>>): readonly OAuthKey[] {
  const keys: readonly string[] = Object.keys(map);
  return KEYS.filter((key) => keys.includes(key));
}

/** In the order in which they are told. */
const KEYS: readonly OAuthKey[] = [
  'clientSecretEnv',
  'clientName',
  'clientRegistration',
  'callbackPort',
  'callbackUrl',
  'privateKeyFile',
  'algorithm',
  'assertionFile',
  'idpFile',
];
