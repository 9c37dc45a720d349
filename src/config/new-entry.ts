/** Judges an entry before it is written: what a file may hold, and no secret in it. Nothing is expanded. */
import { isJsonObject, type JsonObject } from '../base/json.ts';
import { oauthTextProblem } from './auth-build.ts';
import { checkEntry, locateEntries } from './entry.ts';
import { hasReference } from './expand.ts';
import { childOf, showPath } from './problem.ts';
import { isSecretName, looksLikeSecret } from './secret-names.ts';
import type { ConfigSource } from './sources.ts';
import { urlProblem } from './url-rules.ts';
import { parseConfigText } from './yaml.ts';

export interface EntryProblems {
  /** `headers.X-Key: …`; never a value that may be secret. */
  readonly problems: readonly string[];
  /** Flags that say the same without the secret; empty when there was none. */
  readonly flags: readonly string[];
}

/** What keeps an entry, name included, from being written. */
export function newEntryProblems(entry: JsonObject): EntryProblems {
  const file = parseConfigText(JSON.stringify({ servers: [entry] }), '', '');
  const [located] = locateEntries(
    [{ raw: childOf(childOf(file.value, 'servers'), 0), path: ['servers', 0] }],
    file,
    NOWHERE,
  );
  const found = located === undefined ? [] : checkEntry(located).problems;
  const secrets = secretsIn(entry);
  // A secret is told once, with the flag that works.
  const isTold = (shown: string, text: string) =>
    text.startsWith('a secret never') &&
    secrets.some(({ path }) => path === shown || path.startsWith(`${shown}:`));
  return {
    problems: [
      ...found.flatMap(({ path, text }) => {
        const shown = showPath(path.slice(2), entry);
        if (isTold(shown, text)) return [];
        return [shown === '' ? text : `${shown}: ${text}`];
      }),
      ...urlProblems(entry),
      ...signInProblems(entry),
      ...secrets.map(
        ({ path }) => `${path}: a secret never stands in the file; put it into a variable`,
      ),
    ],
    flags: secrets.map(({ flag }) => flag),
  };
}

const NOWHERE: ConfigSource = {
  scope: 'named',
  path: '',
  label: '',
  form: 'usher',
  namedBy: undefined,
};

function urlProblems(entry: JsonObject): readonly string[] {
  const { url, transport, allowPrivate } = entry;
  if (typeof url !== 'string' || hasReference(url)) return [];
  const kind = transport === 'sse' || transport === 'ws' ? transport : 'http';
  const problem = urlProblem(url, allowPrivate === true, kind);
  return problem === undefined ? [] : [`url: ${problem}`];
}

function signInProblems({ auth, allowPrivate }: JsonObject): readonly string[] {
  if (!isJsonObject(auth) || auth['type'] !== 'oauth') return [];
  return textsOf(auth).flatMap(([key, text]) => {
    if (hasReference(text)) return [];
    const problem = oauthTextProblem(key, text, allowPrivate === true);
    return problem === undefined ? [] : [`auth.${key}: ${problem}`];
  });
}

interface Secret {
  readonly path: string;
  /** The flag that works. */
  readonly flag: string;
}

function secretsIn(entry: JsonObject): readonly Secret[] {
  const { env, headers, args, url, description, proxy } = entry;
  const plain = String(entry['name'] ?? '')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toUpperCase();
  const variable = /^[A-Z]/.test(plain) ? `${plain}_TOKEN` : 'MY_TOKEN';
  return [
    ...textsOf(env).flatMap(([name, value]) =>
      isLiteralSecret(name, value)
        ? [{ path: `env.${name}`, flag: `--env '${name}=\${${name}}'` }]
        : [],
    ),
    ...textsOf(headers).flatMap(([name, value]) =>
      isLiteralSecret(name, value)
        ? [{ path: `headers.${name}`, flag: headerFlag(name, value, variable) }]
        : [],
    ),
    ...secretArgs(Array.isArray(args) ? args : []).map((index) => ({
      path: `args[${index}]`,
      flag: `--arg '\${${variable}}'`,
    })),
    ...secretParameters(url).map((name) => ({
      path: `url: ${name}`,
      flag: `'…?${name}=\${${variable}}'`,
    })),
    ...textsOf(entry['auth']).flatMap(([key, value]) =>
      looksLikeSecret(value) && !hasReference(value) && !key.endsWith('Env')
        ? [{ path: `auth.${key}`, flag: `\${${variable}}` }]
        : [],
    ),
    ...(
      [
        ['description', description],
        ['proxy', proxy],
      ] as const
    ).flatMap(([key, value]) =>
      typeof value === 'string' && looksLikeSecret(value) && !hasReference(value)
        ? [{ path: key, flag: `\${${variable}}` }]
        : [],
    ),
  ];
}

function headerFlag(name: string, value: string, variable: string): string {
  if (name.toLowerCase() === 'authorization' && /^bearer /i.test(value.trim())) {
    return `--bearer-env ${variable}`;
  }
  const scheme = /^(Basic|Token|ApiKey) /i.exec(value.trim())?.[1];
  return `--header '${name}: ${scheme === undefined ? '' : `${scheme} `}\${${variable}}'`;
}

function isLiteralSecret(name: string, value: string): boolean {
  if (value === '') return false;
  return looksLikeSecret(value) || (isSecretName(name) && !hasReference(value));
}

function secretArgs(args: readonly unknown[]): readonly number[] {
  return args.flatMap((arg, index) => {
    if (typeof arg !== 'string') return [];
    const [flag = '', ...rest] = arg.split('=');
    const own = flag.startsWith('-') && rest.length > 0 ? flag.replace(/^-+/, '') : '';
    const before: unknown = args[index - 1];
    const named =
      typeof before === 'string' && /^--?[\w-]+$/.test(before) && !arg.startsWith('-')
        ? before.replace(/^-+/, '')
        : '';
    const isSecret =
      looksLikeSecret(arg) ||
      ((isSecretName(own) || isSecretName(named)) && !hasReference(arg) && arg !== '');
    return isSecret ? [index] : [];
  });
}

function secretParameters(url: unknown): readonly string[] {
  if (typeof url !== 'string') return [];
  const pairs = (/\?([^#]*)/.exec(url)?.[1] ?? '').split('&');
  return pairs.flatMap((pair) => {
    const [name = '', ...rest] = pair.split('=');
    return isLiteralSecret(name, rest.join('=')) ? [name] : [];
  });
}

function textsOf(block: unknown): readonly (readonly [string, string])[] {
  if (typeof block !== 'object' || block === null) return [];
  const entries: [string, unknown][] = Object.entries(block);
  return entries.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []));
}
