/** Loads a configuration text and gives what a test wants to compare: messages, servers, the error. */
import { join } from 'node:path';
import { ConfigError } from '../../src/base/errors.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { Config } from '../../src/config/types.ts';
import { newFolder, writeFiles } from '../helpers/places.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The configuration in `text`, from a file called config.yaml in a folder of its own. */
export function load(text: string, env: Env = {}): Promise<Config> {
  const cwd = writeFiles(newFolder(), { 'config.yaml': text });
  return loadConfig({ configFlag: 'config.yaml', env, cwd });
}

/** The message of the ConfigError that `text` ends in. */
export async function failure(text: string, env: Env = {}): Promise<string> {
  try {
    await load(text, env);
  } catch (error) {
    if (error instanceof ConfigError && error.exit === 3) return error.message;
    throw error;
  }
  throw new Error('the configuration was loaded');
}

/** Warnings of a configuration that loads, with what is skipped. */
export async function problems(text: string, env: Env = {}): Promise<readonly string[]> {
  const config = await load(text, env);
  return config.warnings.map((warning) => warning.message);
}

/** Warnings of one server whose lines stand below `- name: x`, without the lines with carets. */
export async function serverProblems(lines: string, env: Env = {}): Promise<readonly string[]> {
  const indented = lines.replace(/^(?=.)/gm, '    ');
  const messages = await problems(`servers:\n  - name: x\n${indented}\n`, env);
  return messages.flatMap((message) => message.split('\n').filter((line) => !/^ {2}/.test(line)));
}

/** A path inside a folder that exists and has nothing in it. */
export function missingFile(): string {
  return join(newFolder(), 'missing.yaml');
}
