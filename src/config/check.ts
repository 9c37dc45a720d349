/** `usher config check`: everything that is wrong with the configuration, as lines of text. */
import { envValue } from '../base/env.ts';
import { ConfigError } from '../base/errors.ts';
import { EXIT } from '../base/exit.ts';
import { tlsFileProblem } from '../base/tls-files.ts';
import { loadConfig } from './load.ts';
import { childOf } from './problem.ts';
import type { SourceOptions } from './sources.ts';
import type { Config } from './types.ts';

export interface ConfigCheck {
  /** Problems first, then warnings, then one line that sums up. A line may hold line breaks. */
  readonly lines: readonly string[];
  /** 3 when the file cannot be used or an entry is skipped, else 0. */
  readonly exit: typeof EXIT.ok | typeof EXIT.config;
}

/** Checks the configuration that `loadConfig` would load, and the variables it names. Starts nothing; never throws ConfigError. */
export async function checkConfig(options: SourceOptions): Promise<ConfigCheck> {
  let config: Config;
  try {
    config = await loadConfig(options);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const hint = error.hint === undefined ? [] : [`hint: ${error.hint}`];
    return { lines: [error.message, ...hint], exit: EXIT.config };
  }
  const problems = config.warnings.map((warning) =>
    warning.skipped === undefined && warning.hint !== undefined
      ? `${warning.message}\nhint: ${warning.hint}`
      : warning.message,
  );
  const unset = unsetVariables(config, options);
  const isGood = config.skipped.length === 0;
  return {
    lines: [...problems, ...unset, ...badKeys(config), summary(config)],
    exit: isGood ? EXIT.ok : EXIT.config,
  };
}

/** Variables that hold a credential by name and are not set now: they may be set where usher runs, so they only warn. */
function unsetVariables(config: Config, { env }: SourceOptions): readonly string[] {
  const named = config.servers
    .filter(({ enabled }) => enabled)
    .flatMap(({ name, endpoint }) =>
      'auth' in endpoint ? namedVariables(`servers.${name}.auth`, endpoint.auth ?? {}) : [],
    );
  const logins = Object.entries(config.logins ?? {}).flatMap(([name, login]) =>
    namedVariables(`logins.${name}`, login ?? {}),
  );
  const key = config.model?.apiKeyEnv;
  const all = [
    ...(key === undefined ? [] : [{ path: 'model.apiKeyEnv', variable: key }]),
    ...named,
    ...logins,
  ];
  return all
    .filter(({ variable }) => (envValue(env, variable)?.trim() ?? '') === '')
    .map(({ path, variable }) => `warning: ${path}: $${variable} is not set or empty`);
}

function namedVariables(path: string, block: object) {
  return ['tokenEnv', 'clientSecretEnv'].flatMap((key) => {
    const variable: unknown = childOf(block, key);
    return typeof variable === 'string' ? [{ path: `${path}.${key}`, variable }] : [];
  });
}

/** Keys of logins are read at a sign-in only; here they are looked at. */
function badKeys({ logins = {} }: Config): readonly string[] {
  return Object.entries(logins).flatMap(([name, login]) => {
    const file = login?.privateKeyFile;
    const problem = file === undefined ? undefined : tlsFileProblem('key', file);
    return problem === undefined ? [] : [`warning: logins.${name}.privateKeyFile: ${problem}`];
  });
}

function summary(config: Config): string {
  const place =
    config.files.length === 0 ? 'no file found, defaults are used' : config.files.join(', ');
  const servers = `${config.servers.length} ${config.servers.length === 1 ? 'server' : 'servers'}`;
  const skipped = config.skipped.length === 0 ? '' : `, ${config.skipped.length} skipped`;
  return `${place}: ${servers}${skipped}, model ${config.model === undefined ? 'offline' : modelName(config.model)}`;
}

function modelName(model: NonNullable<Config['model']>): string {
  return model.name === undefined ? model.provider : `${model.provider}/${model.name}`;
}
