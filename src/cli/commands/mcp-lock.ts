/** `usher mcp lock` and `usher mcp approve --diff`: the tools a person accepted, and what became of them. */
import { ConnectError, UsageError } from '../../base/errors.ts';
import { EXIT, type ExitCode } from '../../base/exit.ts';
import type { Config } from '../../config/types.ts';
import type { LockedList } from '../../host/locks.ts';
import type { ToolDefinition } from '../../tools/types.ts';
import type { Context } from '../context.ts';
import { checkServerNames, loadConfig, withHost } from '../house.ts';

type Lists = ReadonlyMap<string, readonly ToolDefinition[]>;

/** Locks servers that are not locked yet; with `--diff` only shows how the others differ, 1 when one does. */
export async function runLock(context: Context, words: readonly string[]): Promise<ExitCode> {
  const { options, output, log, parts } = context;
  const { config, lists } = await readLists(context, words);
  const locks = await parts.locks();
  const compared = locks.compareLocks(config, lists);
  if (options.diff) {
    if (options.output === 'json') output.json({ servers: compared.map(documentOf) });
    return showDiff(context, compared);
  }
  const differing = compared.filter(({ diff }) => diff.length > 0);
  const fresh = new Map(
    [...lists].filter(([name]) => !differing.some(({ server }) => server === name)),
  );
  tellWritten(context, locks.writeLocks(config, fresh), fresh);
  for (const { server } of differing) {
    const hint = `usher mcp approve --diff ${server} shows and accepts it`;
    log.error(`${server} is not what was locked; its lock stays as it was`, hint);
  }
  if (options.output === 'json') output.json({ servers: compared.map(documentOf) });
  return differing.length > 0 ? EXIT.failed : EXIT.ok;
}

/** Shows what changed since the lock, and accepts it. */
export async function runApproveDiff(
  context: Context,
  words: readonly string[],
): Promise<ExitCode> {
  const { options, output, parts } = context;
  const { config, lists } = await readLists(context, words);
  const locks = await parts.locks();
  const compared = locks.compareLocks(config, lists);
  for (const { server, isLocked } of compared) {
    if (isLocked || !words.includes(server)) continue;
    throw new UsageError(`${server} is not locked`, { hint: `usher mcp lock ${server} locks it` });
  }
  showDiff(context, compared);
  const names = compared.filter(({ diff }) => diff.length > 0).map(({ server }) => server);
  const accepted = new Map([...lists].filter(([name]) => names.includes(name)));
  tellWritten(context, locks.writeLocks(config, accepted), accepted);
  if (options.output === 'json') output.json({ servers: compared.map(documentOf) });
  return EXIT.ok;
}

/** What the servers offer now, by name; those that were named must answer, others are left out with a warning. */
async function readLists(
  context: Context,
  words: readonly string[],
): Promise<{ readonly config: Config; readonly lists: Lists }> {
  const config = await loadConfig(context);
  checkServerNames(config, words);
  const remote = config.servers.filter(({ endpoint }) => endpoint.kind !== 'builtin');
  const wanted = remote.filter(({ name, enabled }) =>
    words.length === 0 ? enabled : words.includes(name),
  );
  if (wanted.length === 0) throw new UsageError('there is no server to lock');
  const request = {
    config,
    servers: wanted.map(({ name }) => name),
    askUser: undefined,
    onEvent: () => undefined,
    preloadModel: false,
    saved: undefined,
  };
  const report = await withHost(context, request, (host) => host.start(context.signal));
  const lists = new Map<string, readonly ToolDefinition[]>();
  for (const { name, state, tools, error } of report.servers) {
    if (state === 'ready') lists.set(name, tools);
    else if (words.includes(name)) throw error ?? new ConnectError(`${name} did not answer`);
    else context.log.warn(`${name} is left out: ${error?.message ?? 'it did not answer'}`);
  }
  return { config, lists };
}

/** 1 when something differs. */
function showDiff({ options, output, log }: Context, compared: readonly LockedList[]): ExitCode {
  const locked = compared.filter(({ isLocked }) => isLocked);
  const differing = locked.filter(({ diff }) => diff.length > 0);
  for (const { server, diff } of options.output === 'json' ? [] : differing) {
    output.text(`${server}\n  ${diff.join('\n  ')}\n`);
  }
  if (locked.length === 0) log.info('no server is locked');
  else if (differing.length === 0) log.info('all tools are as they were locked');
  return differing.length > 0 ? EXIT.failed : EXIT.ok;
}

function tellWritten({ log }: Context, files: readonly string[], lists: Lists): void {
  if (files.length === 0) return;
  const counts = [...lists].map(([name, { length }]) => `${name} (${length})`);
  log.info(`${files.join(', ')}: locked ${counts.join(', ')}`);
}

function documentOf({ server, path, isLocked, diff }: LockedList) {
  return { server, file: path, locked: isLocked, diff };
}
