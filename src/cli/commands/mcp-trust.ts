/** `usher mcp approve|reject|reset`: decisions about servers of project files. Starts nothing. */
import { FailedError, UsageError } from '../../base/errors.ts';
import { EXIT, type ExitCode } from '../../base/exit.ts';
import { escapeForTerminal } from '../../base/text.ts';
import { decide, forgetProject, type ProjectServer, projectServers } from '../../config/decide.ts';
import type { Context } from '../context.ts';
import { factLines } from '../facts.ts';
import { loadConfig, unknownServer } from '../house.ts';

/** Decides on each named server, all or none being known. */
export async function runDecide(
  context: Context,
  action: 'approve' | 'reject',
  names: readonly string[],
): Promise<ExitCode> {
  const { options, output, env, cwd } = context;
  if (names.length === 0) {
    throw new UsageError('which server?', { hint: 'usher mcp list shows what waits' });
  }
  const query = { configFlag: options.config, env, cwd };
  const known = await projectServers(query);
  const chosen: ProjectServer[] = [];
  for (const name of names) {
    const server = known.find((one) => one.name === name);
    if (server === undefined) throw await notAProjectServer(context, name);
    chosen.push(server);
  }
  const choice = action === 'approve' ? 'approved' : 'rejected';
  for (const server of chosen) {
    const problem = await decide(query, server, choice);
    if (problem !== undefined) throw new FailedError(problem);
  }
  if (options.output === 'json') {
    output.json({ servers: chosen.map(({ name, file }) => ({ name, file, choice })) });
  } else output.text(chosen.map((server) => decisionText(context, server, choice)).join(''));
  return EXIT.ok;
}

/** Forgets every decision about the project files of this workspace. */
export async function runReset(context: Context): Promise<ExitCode> {
  const { options, output, env, cwd } = context;
  const count = forgetProject({ configFlag: options.config, env, cwd });
  if (options.output === 'json') output.json({ forgotten: count });
  else output.text(`${count} ${count === 1 ? 'decision' : 'decisions'} forgotten\n`);
  return EXIT.ok;
}

async function notAProjectServer(context: Context, name: string): Promise<UsageError> {
  const config = await loadConfig(context);
  if (config.servers.some((server) => server.name === name)) {
    return new UsageError(`server ${name} needs no approval: it stands in your own file`);
  }
  const problem = config.warnings.find(({ skipped }) => skipped === name);
  if (problem !== undefined) return new UsageError(problem.message);
  return unknownServer(config, name);
}

/** All that was decided on, as the question of a session shows it. */
function decisionText(
  { screen, output }: Context,
  { name, place, facts }: ProjectServer,
  choice: string,
): string {
  const head = escapeForTerminal(`${place}: server ${name} ${choice}`);
  const open = facts.map(([key, text]) => [key, key === 'env' ? namesIn(text) : text] as const);
  const lines = factLines(open, output.isTerminal ? screen.columns() : undefined);
  return [head, ...lines].map((line) => `${line}\n`).join('');
}

/** Of `NAME=value NAME='a value'`: what was decided on is not shown again with its values, which may be secret. */
function namesIn(env: string): string {
  const pairs = env.replace(/'[^']*'|\\'/g, '').split(' ');
  return pairs.map((pair) => pair.split('=')[0]).join(', ');
}
