/** `usher config`: check the file, say where it is, print its JSON Schema or an example. */
import { existsSync } from 'node:fs';
import { ConfigError, UsageError } from '../../base/errors.ts';
import { EXIT, type ExitCode } from '../../base/exit.ts';
import { nearestMatches } from '../../base/text.ts';
import { listSources } from '../../config/sources.ts';
import type { Context } from '../context.ts';
import { loadConfig } from '../house.ts';
import { oneWord } from '../words.ts';

const ACTIONS = ['check', 'path', 'schema', 'example'] as const;

/** `check` ends with 3 when any entry cannot be used. */
export async function runConfig(context: Context, words: readonly string[]): Promise<ExitCode> {
  switch (actionOf(oneWord(words, 'config'))) {
    case 'check':
      return checkConfig(context);
    case 'path':
      return printPath(context);
    case 'schema':
      context.output.text(await context.parts.configSchema());
      return EXIT.ok;
    case 'example':
      context.output.text(await context.parts.configExample());
      return EXIT.ok;
  }
}

function actionOf(word: string | undefined): (typeof ACTIONS)[number] {
  const action = ACTIONS.find((name) => name === word);
  if (action !== undefined) return action;
  const [nearest] = nearestMatches(word ?? '', ACTIONS, 1);
  throw new UsageError(
    word === undefined ? 'config: which action?' : `config: unknown action "${word}"`,
    { hint: nearest === undefined ? ACTIONS.join(', ') : `did you mean ${nearest}?` },
  );
}

async function checkConfig(context: Context): Promise<ExitCode> {
  const { output, options, log } = context;
  const config = await loadConfig(context);
  const problems = config.warnings.map(({ message, hint, skipped }) => ({
    message,
    hint,
    skipped,
  }));
  if (options.output === 'json') {
    output.json({
      files: config.files,
      servers: config.servers.map(({ name }) => name),
      pending: (config.pending ?? []).map(({ name }) => name),
      problems,
    });
  } else {
    for (const { message, hint } of config.warnings) log.warn(message, hint);
    output.text(summary(config.files, config.servers.length, config.skipped.length));
  }
  return config.skipped.length > 0 ? EXIT.config : EXIT.ok;
}

function summary(files: readonly string[], servers: number, skipped: number): string {
  const count = servers === 1 ? '1 server' : `${servers} servers`;
  if (files.length === 0) return `no config file; without one: ${count}, offline router\n`;
  const bad = skipped === 0 ? '' : `, ${skipped} skipped`;
  return `${files.join(', ')}: ${count}${bad}\n`;
}

/** One path a line, lowest first; the person's own file always, whether it is there or not. */
function printPath({ options, env, cwd, output }: Context): ExitCode {
  const sources = listSources({ configFlag: options.config, env, cwd });
  if (sources.length === 0) {
    throw new ConfigError('there is no place for a config file: HOME is not set', {
      hint: 'name one with --config FILE or $USHER_CONFIG',
    });
  }
  if (options.output === 'json') {
    output.json({
      sources: sources.map(({ scope, path }) => ({ scope, path, exists: existsSync(path) })),
    });
  } else output.text(sources.map(({ path }) => `${path}\n`).join(''));
  return EXIT.ok;
}
