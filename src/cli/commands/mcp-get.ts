/** `usher mcp get`: what holds for one server, and which file and line gave each key. Starts nothing. */
import { ConfigError, toAppError, UsageError } from '../../base/errors.ts';
import { EXIT, type ExitCode } from '../../base/exit.ts';
import type { JsonValue } from '../../base/json.ts';
import { displayWidth, escapeForTerminal, nearestMatches } from '../../base/text.ts';
import { describeServers, type ServerDescription } from '../../config/provenance.ts';
import type { KeptSignIn } from '../../host/sign-ins.ts';
import type { Context } from '../context.ts';
import { loadConfig } from '../house.ts';

/** 3 when the entry cannot be used. Throws UsageError for a name that no file has. */
export async function runGet(context: Context, name: string | undefined): Promise<ExitCode> {
  const { options, output, env, cwd } = context;
  const { config: configFlag, approve } = options;
  if (name === undefined) throw new UsageError('which server?', { hint: 'usher mcp list' });
  const { servers, problems } = await describeServers({ configFlag, env, cwd, approve });
  const found = servers.filter((server) => server.name === name);
  const lost = problems.get(name);
  if (found.length === 0 && lost === undefined) {
    throw unknownName(
      name,
      servers.map((server) => server.name),
    );
  }
  const signIn = await keptSignIn(context, name);
  const isBroken = lost !== undefined || found.some(({ problem }) => problem !== undefined);
  if (options.output === 'json') {
    output.json({
      name,
      entries: found.map(jsonOf),
      ...(signIn === undefined ? {} : { signIn }),
      ...(lost === undefined ? {} : { problem: lost }),
    });
  } else if (found.length === 0) output.text(`${escapeForTerminal(lost ?? '')}\n`);
  else output.text(found.map((server) => textOf(server, signIn)).join('\n'));
  return isBroken ? EXIT.config : EXIT.ok;
}

export function unknownName(name: string, names: readonly string[]): UsageError {
  const [nearest] = nearestMatches(name, names, 1);
  return new UsageError(`no server "${name}" in any configuration file`, {
    hint: nearest === undefined ? 'usher mcp list shows all' : `did you mean ${nearest}?`,
  });
}

/** What is kept of a sign-in to the server; what cannot be read is a warning. Nobody is asked. */
async function keptSignIn(context: Context, name: string): Promise<KeptSignIn | undefined> {
  const { parts, cwd, log } = context;
  try {
    const config = await loadConfig(context);
    const server = config.servers.find((one) => one.name === name);
    if (server === undefined) return undefined;
    return await (await parts.createSignIns(config, { cwd }, context)).kept(server);
  } catch (error) {
    // A configuration that cannot be used has been told of.
    if (error instanceof ConfigError) return undefined;
    const { message, hint } = toAppError(error);
    log.warn(message, hint);
    return undefined;
  }
}

function keptText({ issuer, scope, expiresAt }: KeptSignIn): string {
  const scopes = scope === undefined ? '' : `, scope ${scope}`;
  const until = expiresAt === undefined ? '' : `, this token until ${expiresAt}`;
  return escapeForTerminal(`signed in: by ${issuer}${scopes}${until}`);
}

/** The shape of `--json`. */
function jsonOf(server: ServerDescription) {
  const { name: _name, keys, ...rest } = server;
  return {
    ...rest,
    keys: Object.fromEntries(keys.map(({ key, value, place }) => [key, { value, place }])),
  };
}

function textOf(server: ServerDescription, signIn: KeptSignIn | undefined): string {
  const { name, place, scope, approval, enabled, keys, replaced, problem } = server;
  const rows = keys.map(({ key, value, place: from }) => [key, shown(value), from] as const);
  const widths = [0, 1].map((at) =>
    Math.min(60, Math.max(0, ...rows.map((row) => displayWidth(row[at] ?? '')))),
  );
  const pad = (cell: string, at: number) =>
    cell + ' '.repeat(Math.max(0, (widths[at] ?? 0) - displayWidth(cell)));
  const lines = [
    `${name}  ${escapeForTerminal(place)}  (${scope}, ${STATES[approval] ?? approval}${enabled ? '' : ', disabled'})`,
    ...rows.map(([key, value, from]) => `  ${pad(key, 0)}  ${pad(value, 1)}  ${from}`),
    ...replaced.map((one) => `  in place of ${escapeForTerminal(one.place)} (${one.scope})`),
    ...(problem === undefined ? [] : [escapeForTerminal(problem)]),
    ...(signIn === undefined ? [] : [keptText(signIn)]),
    nextStep(server, signIn !== undefined),
  ];
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`;
}

function nextStep(
  { name, approval, enabled, keys }: ServerDescription,
  isSignedIn: boolean,
): string {
  if (approval === 'pending' || approval === 'changed' || approval === 'rejected') {
    return `approve it: usher mcp approve ${name}`;
  }
  if (!enabled) return `switch it on: usher mcp enable ${name}`;
  const signIn = signsInByPerson(keys) && !isSignedIn ? `sign in: usher mcp login ${name}\n` : '';
  return `${signIn}test it: usher tools ${name}`;
}

function signsInByPerson(keys: ServerDescription['keys']): boolean {
  const valueAt = (name: string) => keys.find(({ key }) => key === name)?.value;
  const grant = valueAt('auth.grant') ?? 'authorization_code';
  return (
    valueAt('auth.type') === 'oauth' && (grant === 'authorization_code' || grant === 'device_code')
  );
}

const STATES: Readonly<Record<string, string | undefined>> = {
  trusted: 'your own file',
  granted: 'approved for this run',
  pending: 'not approved',
  changed: 'changed since it was decided on, not approved',
};

function shown(value: JsonValue): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return escapeForTerminal(text).replace(/[\n\t]/g, ' ');
}
