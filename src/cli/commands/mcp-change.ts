/** `usher mcp remove|enable|disable`: change one entry of one file. Shared files are not switched, the private one is. */
import { UsageError } from '../../base/errors.ts';
import { EXIT, type ExitCode } from '../../base/exit.ts';
import type { Located } from '../../config/entry.ts';
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
    const scope = chooseScope(found, wanted, action, name);
    const entry = found.findLast((one) => scopeOf(one) === scope);
    if (entry === undefined) throw unknownName(name, names);
    const before = await loadConfig(context);
    const written = await editFile(entry.source, { kind: 'remove', name });
    tell(context, name, 'removed', entry.source.scope, written);
    await forgetSignIn(context, before, name);
    return EXIT.ok;
  }
  const source = switchTarget(query, found, wanted, action, name);
  const enabled = action === 'enable';
  const written = await editFile(source, { kind: 'enable', name, enabled });
  tell(context, name, enabled ? 'enabled' : 'disabled', source.scope, written);
  return EXIT.ok;
}

/** A sign-in does not outlive the last entry that could use it. */
async function forgetSignIn(context: Context, before: Config, name: string): Promise<void> {
  const { cwd, log, parts, signal } = context;
  const server = before.servers.find((one) => one.name === name);
  if (server === undefined || !('url' in server.endpoint)) return;
  const after = await loadConfig(context);
  const { url } = server.endpoint;
  if (serverByUrl(after, url) !== undefined) return;
  const signIns = await parts.createSignIns(before, { cwd, isNamedByUrl: false }, context);
  if (await signIns.forget(server, signal)) log.info(`signed out of ${name}`);
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
  // An entry that only changes another one is no second server.
  const whole = found.filter(({ raw }) => !isPatch(raw));
  const scope = chooseScope(whole.length === 0 ? found : whole, wanted, action, name);
  const said = found.findLast(
    (one) => scopeOf(one) === 'local' && childOf(one.raw, 'enabled') !== undefined,
  );
  if (said !== undefined) return said.source;
  if (scope === 'project') return writeTarget(query, 'local');
  const own = found.findLast((one) => scopeOf(one) === scope);
  return own?.source ?? writeTarget(query, scope ?? 'user');
}
