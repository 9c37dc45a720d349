/** A person's decision about a server of a project file, bound to the entry that was shown. */
import { join } from 'node:path';
import { FailedError } from '../base/errors.ts';
import type { MergedServer } from './merge.ts';
import { pendingServer } from './pending.ts';
import { readConfig, trustQuestion } from './read.ts';
import {
  LOCAL_FILE,
  MCP_JSON,
  PROJECT_FILE,
  type SourceOptions,
  workspaceFolders,
} from './sources.ts';
import { forgetChoices, recordChoice } from './trust.ts';
import type { PendingServer } from './types.ts';

/** A server of a project file with what was decided so far. */
export interface ProjectServer extends Omit<PendingServer, 'state'> {
  readonly state: MergedServer['approval'];
}

/** Every server that a decision can be made on. Throws ConfigError as `loadConfig` does. */
export async function projectServers(options: SourceOptions): Promise<readonly ProjectServer[]> {
  return (await projectEntries(options)).map((server) => ({
    ...pendingServer(server),
    state: server.approval,
  }));
}

/**
 * Keeps the decision. Returns why it could not be kept: the entry is another one than was shown, or there is no
 * place for decisions.
 */
export async function decide(
  options: SourceOptions,
  shown: Pick<PendingServer, 'name' | 'file' | 'signature'>,
  choice: 'approved' | 'rejected',
): Promise<string | undefined> {
  const server = (await projectEntries(options)).find(
    ({ name, base }) => name === shown.name && base.source.path === shown.file,
  );
  const question = server === undefined ? undefined : trustQuestion(server.base);
  if (question?.signature !== shown.signature) {
    return `${shown.name}: the file changed while you were asked; nothing was decided`;
  }
  try {
    recordChoice(options.env, question, choice);
    return undefined;
  } catch (error) {
    if (error instanceof FailedError) return error.message;
    throw error;
  }
}

/** Forgets what was decided about the project files between the workspace root and `cwd`. Returns how much it was. */
export function forgetProject(options: SourceOptions): number {
  const files = workspaceFolders(options.cwd).flatMap((folder) =>
    [MCP_JSON, PROJECT_FILE, LOCAL_FILE].map((name) => join(folder, name)),
  );
  return forgetChoices(options.env, files);
}

async function projectEntries(options: SourceOptions): Promise<readonly MergedServer[]> {
  const { merged } = await readConfig(options);
  return [...merged.pending, ...merged.servers].filter(
    ({ base }) => base.source.scope === 'project',
  );
}
