/** `usher mcp remove|enable|disable`: change one entry of one file. Shared files are not switched, the private one is. */
import { toAppError, UsageError } from '../../base/errors.ts';
import { EXIT, type ExitCode } from '../../base/exit.ts';
import { isMapping, type Located } from '../../config/entry.ts';
import { isPatch } from '../../config/patch.ts';
import { childOf } from '../../config/problem.ts';
import {
  chooseScope,
  entriesOf,
  type FileScope,
  namedTarget,
  scopeOf,
  writeTarget,
} from '../../config/targets.ts';
import type { Config } from '../../config/types.ts';
import { editFile } from '../../config/write.ts';
import type { Context } from '../context.ts';
import { loadConfig } from '../house.ts';
import { serverByUrl } from '../url-server.ts';
import { tell } from './mcp-add.ts';
import { unknownName } from './mcp-get.ts';

export async function runChange(
  context: Context,
  action: 'remove' | 'enable' | 'disable',
  name: string | undefined,
): Promise<ExitCode> {
  const { options, env, cwd } = context;
  if (name === undefined) throw new UsageError('which server?', { hint: 'usher mcp list' });
  const query = { configFlag: options.config, env, cwd };
  const { found, names } = await entriesOf(query, name);
  if (found.length === 0) throw unknownName(name, names);
  const { scope: wanted } = options.edit;
  if (namedTarget(query) !== undefined && wanted !== undefined) {
    throw new UsageError('--scope does not go with a file named by --config or $USHER_CONFIG');
  }
  if (action === 'remove') {
    const scope = chooseScope(
      wanted === undefined ? mainEntries(found) : found,
      wanted,
      action,
      name,
    );
    const entry = found.findLast((one) => scopeOf(one) === scope);
    if (entry === undefined) throw unknownName(name, names);
    const before = await loadConfig(context);
    const written = await editFile(entry.source, { kind: 'remove', name });
    tell(context, name, 'removed', entry.source.scope, written);
    await removeSwitches(context, name);
    await forgetSignIn(context, before, name);
    const after = await entriesOf(query, name);
    if (after.hasDefaults && scope !== 'project' && !after.names.includes('workspace')) {
      context.log.info('the built-in workspace is there by itself again');
    }
    return EXIT.ok;
  }
  const source = switchTarget(query, found, wanted, action, name);
  const enabled = action === 'enable';
  const written = await editFile(source, { kind: 'enable', name, enabled });
  tell(context, name, enabled ? 'enabled' : 'disabled', source.scope, written);
  return EXIT.ok;
}

/** An entry that only changes another one is no second server, unless there is no other. */
function mainEntries(found: readonly Located[]): readonly Located[] {
  const whole = found.filter(({ raw }) => !isPatch(raw));
  return whole.length === 0 ? found : whole;
}

/**
 * What `disable` and `enable` wrote goes with the last entry it could change; left alone it would be a
 * problem of its file. What a person wrote there besides `enabled` stays, and so does a shared file.
 */
async function removeSwitches(context: Context, name: string): Promise<void> {
  const { options, env, cwd, log } = context;
  const { found } = await entriesOf({ configFlag: options.config, env, cwd }, name);
  if (found.some(({ raw }) => !isPatch(raw))) return;
  for (const { source } of found.filter(isSwitch)) {
    const { label, line } = await editFile(source, { kind: 'remove', name });
    log.info(`${label}:${line}: what was said about ${name} there is removed as well`);
  }
}

function isSwitch({ raw, source }: Located): boolean {
  const isOurs = isMapping(raw) && Object.keys(raw).every((key) => SWITCH_KEYS.includes(key));
  return isOurs && source.scope !== 'project';
}

const SWITCH_KEYS: readonly string[] = ['name', 'enabled'];

/** A sign-in does not outlive the last entry that could use it. */
async function forgetSignIn(context: Context, before: Config, name: string): Promise<void> {
  const { cwd, log, parts, signal } = context;
  const server = before.servers.find((one) => one.name === name);
  if (server === undefined || !('url' in server.endpoint)) return;
  try {
    const after = await loadConfig(context);
    const { url } = server.endpoint;
    if (serverByUrl(after, url) !== undefined) return;
    const signIns = await parts.createSignIns(before, { cwd }, context);
    if (await signIns.forget(server, signal)) log.info(`signed out of ${name}`);
  } catch (error) {
    signal.throwIfAborted();
    // The entry is gone all the same.
    const { message, hint } = toAppError(error);
    log.warn(`the sign-in of ${name} is still kept: ${message}`, hint);
  }
}

/**
 * Where `enabled:` goes: into the server's own file, but of a project's server into the local file, and there
 * too when the local file says something about it already.
 */
function switchTarget(
  query: Parameters<typeof writeTarget>[0],
  found: readonly Located[],
  wanted: FileScope | undefined,
  action: string,
  name: string,
) {
  const scope = chooseScope(mainEntries(found), wanted, action, name);
  const said = found.findLast(
    (one) => scopeOf(one) === 'local' && childOf(one.raw, 'enabled') !== undefined,
  );
  if (said !== undefined) return said.source;
  if (scope === 'project') return writeTarget(query, 'local');
  const own = found.findLast((one) => scopeOf(one) === scope);
  return own?.source ?? writeTarget(query, scope ?? 'user');
}
