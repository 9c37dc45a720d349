/** Rules of a server entry that a schema cannot say: which keys go together, what a secret may look like. */
import { authBreaks, programBreaks } from './auth-rules.ts';
import { hasReference } from './expand.ts';
import { repeatedHeaders, writtenHeaderProblem } from './header-rules.ts';
import { childOf, type RuleBreak } from './problem.ts';
import { isSecretName } from './secret-names.ts';
import { literalSecretParameters } from './url-rules.ts';

/** Every broken rule of one entry as written (not yet checked by the schema, nothing expanded). */
export function serverRuleBreaks(entry: unknown): readonly RuleBreak[] {
  return [
    ...endpointBreaks(entry),
    ...urlBreaks(entry),
    ...headerBreaks(entry),
    ...headersCommandBreaks(entry),
    ...authBreaks(entry),
    ...proxyBreaks(entry),
    ...tlsBreaks(entry),
    ...commandBreaks(entry),
    ...envBreaks(entry),
  ];
}

const ENDPOINTS = ['url', 'command', 'builtin'] as const;
const BELONGS_TO: Readonly<Record<string, (typeof ENDPOINTS)[number]>> = {
  headers: 'url',
  headersCommand: 'url',
  auth: 'url',
  transport: 'url',
  allowPrivate: 'url',
  strictUrl: 'url',
  redirects: 'url',
  proxy: 'url',
  tls: 'url',
  args: 'command',
  env: 'command',
  envPass: 'command',
  cwd: 'command',
  restartOnTimeout: 'command',
};

function endpointBreaks(entry: unknown): readonly RuleBreak[] {
  const present = ENDPOINTS.filter((key) => childOf(entry, key) !== undefined);
  const [only] = present;
  if (only === undefined)
    return [{ path: [], text: 'one of url, command, builtin is missing', part: 'value' }];
  if (present.length > 1) {
    const text = `only one of url, command, builtin may be there, got ${present.join(' and ')}`;
    return [{ path: [present[1] ?? only], text, part: 'key' }];
  }
  return (
    Object.entries(BELONGS_TO)
      .filter(([key, owner]) => owner !== only && childOf(entry, key) !== undefined)
      // It also names what a program that gives credentials gets.
      .filter(([key]) => key !== 'envPass' || !hasProgram(entry))
      .map(([key, owner]) => ({
        path: [key],
        text: `only goes with ${owner}, this server has ${only}`,
        part: 'key',
      }))
  );
}

function hasProgram(entry: unknown): boolean {
  const isCommand = childOf(childOf(entry, 'auth'), 'type') === 'command';
  return isCommand || childOf(entry, 'headersCommand') !== undefined;
}

function urlBreaks(entry: unknown): readonly RuleBreak[] {
  const url = childOf(entry, 'url');
  if (typeof url !== 'string') return [];
  const variable = variableFor(entry, 'KEY');
  return literalSecretParameters(url).map((name) => ({
    path: ['url'],
    text: `a secret never stands in the file; put the value of ${JSON.stringify(name)} into a variable and write ${name}=\${${variable}}`,
    part: 'value',
  }));
}

/** A password in a proxy's URL is a secret as any other. */
function proxyBreaks(entry: unknown): readonly RuleBreak[] {
  const proxy = childOf(entry, 'proxy');
  const [, userinfo = ''] =
    typeof proxy === 'string' ? (/^[^/]*\/\/([^/@]*)@/.exec(proxy) ?? []) : [];
  const [, password = ''] = /^[^:]*:(.*)$/.exec(userinfo) ?? [];
  if (password === '' || hasReference(password)) return [];
  const text = `a secret never stands in the file; put the password into a variable and write \${${variableFor(entry, 'PROXY_PASSWORD')}}`;
  return [{ path: ['proxy'], text, part: 'value' }];
}

function tlsBreaks(entry: unknown): readonly RuleBreak[] {
  const tls = childOf(entry, 'tls');
  const has = (name: string) => childOf(tls, name) !== undefined;
  if (has('cert') === has('key')) return [];
  const [present, absent] = has('cert') ? ['cert', 'key'] : ['key', 'cert'];
  return [
    { path: ['tls', present], text: `cert and key go together; ${absent} is missing`, part: 'key' },
  ];
}

function headerBreaks(entry: unknown): readonly RuleBreak[] {
  const headers = childOf(entry, 'headers');
  if (typeof headers !== 'object' || headers === null) return [];
  const names = Object.keys(headers);
  const written = names.flatMap((name) => {
    const text = writtenHeaderProblem(name, childOf(headers, name), variableFor(entry, 'TOKEN'));
    const isBearer = name.toLowerCase() === 'authorization' && text?.includes('"Bearer ') === true;
    const advice = isBearer
      ? `, or auth: { type: bearer, tokenEnv: ${variableFor(entry, 'TOKEN')} }`
      : '';
    return text === undefined ? [] : [headerBreak(name, text + advice)];
  });
  const repeated = repeatedHeaders(names).map((name) =>
    headerBreak(name, 'this header stands here a second time'),
  );
  return [...written, ...repeated, ...authHeaderBreaks(entry, names)];
}

/** A WebSocket has its headers at the upgrade alone: they could not be renewed. */
function headersCommandBreaks(entry: unknown): readonly RuleBreak[] {
  const argv = childOf(entry, 'headersCommand');
  if (argv === undefined) return [];
  if (childOf(entry, 'transport') === 'ws') {
    const text = 'only goes with http and sse, not with transport: ws';
    return [{ path: ['headersCommand'], text, part: 'key' }];
  }
  return programBreaks(argv, ['headersCommand']);
}

/** `auth` and a header of the same name would be two credentials; neither may win in silence. */
function authHeaderBreaks(entry: unknown, names: readonly string[]): readonly RuleBreak[] {
  const auth = childOf(entry, 'auth');
  const type = childOf(auth, 'type');
  const header = type === 'apiKey' ? childOf(auth, 'header') : 'authorization';
  if (typeof type !== 'string' || typeof header !== 'string') return [];
  const twin = names.find((name) => name.toLowerCase() === header.toLowerCase());
  return twin === undefined
    ? []
    : [headerBreak(twin, 'auth already sets this header; keep one of the two')];
}

function commandBreaks(entry: unknown): readonly RuleBreak[] {
  const command = childOf(entry, 'command');
  if (typeof command !== 'string') return [];
  const [first = '', ...rest] = command.trim().split(/\s+/);
  if (rest.length > 0 && !/[/\\]/.test(first)) {
    // The words after it may hold a secret.
    const example = /^[\w.+-]+$/.test(first) ? first : 'NAME';
    const text = `expected an executable, not a shell line. Write command: ${example}, args: […]`;
    return [{ path: ['command'], text, part: 'value' }];
  }
  if (hasReference(command)) {
    return [
      {
        path: ['command'],
        text: `\${VAR} is not expanded here; write the executable itself`,
        part: 'value',
      },
    ];
  }
  return command.startsWith('~/')
    ? [{ path: ['command'], text: '~ is not expanded; write the whole path', part: 'value' }]
    : [];
}

function envBreaks(entry: unknown): readonly RuleBreak[] {
  const env = childOf(entry, 'env');
  if (typeof env !== 'object' || env === null || Array.isArray(env)) return [];
  return Object.keys(env)
    .filter((name) => name === '' || /[=\0]/.test(name))
    .map((name) => ({
      path: ['env', name],
      text: 'this is not the name of a variable',
      part: 'key',
    }));
}

function headerBreak(name: string, text: string): RuleBreak {
  return { path: ['headers', name], text, part: isSecretName(name) ? 'value' : 'key' };
}

/** `GITHUB_TOKEN` for a server called github. */
function variableFor(entry: unknown, suffix: string): string {
  const name = childOf(entry, 'name');
  const clean = typeof name === 'string' ? name.replace(/[^A-Za-z0-9]+/g, '_').toUpperCase() : '';
  return /^[A-Z]/.test(clean) && clean.length <= 64 ? `${clean}_${suffix}` : `MY_${suffix}`;
}
