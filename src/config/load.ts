/** Reads the configuration: one file in, a checked `Config` out. The only entry for the rest of usher. */
import { dirname } from 'node:path';
import { ConfigError, LimitError } from '../base/errors.ts';
import { errorCode, isMissing, readBoundedOrPipe } from '../base/files.ts';
import { renderProblems } from './problem.ts';
import { DEFAULT_MCP, DEFAULT_TOOLS, readRoot } from './root-block.ts';
import { buildServer } from './server-build.ts';
import { buildServers } from './servers.ts';
import {
  type ConfigSource,
  findSource,
  pendingProjectFiles,
  type SourceOptions,
} from './sources.ts';
import type { Config } from './types.ts';
import { parseConfigText } from './yaml.ts';

/** A configuration is written by hand; a larger file is a mistake and would take seconds to parse. */
export const MAX_CONFIG_BYTES = 1024 * 1024;

/**
 * Loads `--config`, else `$USHER_CONFIG`, else the user's file, else the defaults (no model, the
 * `workspace` built-in). Bad server entries are skipped, each with one warning. Throws ConfigError
 * for a named file that is missing, a file that cannot be read or parsed, and a bad root, `model:` or
 * `mcp:` block, then with every problem in the message. Registers secrets that `${VAR}` brought in.
 */
export async function loadConfig(options: SourceOptions): Promise<Config> {
  const source = findSource(options);
  const text = source === undefined ? undefined : await readSource(source);
  const pending = source?.namedBy === undefined ? pendingProjectFiles(options.cwd) : undefined;
  const pendingWarnings = pending === undefined ? [] : [pending];
  if (source === undefined || text === undefined) return defaultConfig(options, pendingWarnings);

  const file = parseConfigText(text, source.label, source.path);
  if (file.problems.length > 0) throw new ConfigError(renderProblems(file.problems, file));
  const root = readRoot(file, options.env);
  const { servers, warnings, skipped } = buildServers(root.list, root.listPath, file, {
    env: options.env,
    cwd: options.cwd,
    exposure: root.exposure,
    folder: dirname(source.path),
  });
  if (root.problems.length > 0) {
    const entries = warnings.map((warning) => warning.message);
    throw new ConfigError([renderProblems(root.problems, file), ...entries].join('\n'), {
      hint: 'usher config example shows every key, usher config check tests a file',
    });
  }
  return {
    files: [source.path],
    model: root.model,
    mcp: root.mcp,
    defaultTools: root.defaultTools,
    servers,
    warnings: [...warnings, ...pendingWarnings],
    skipped,
  };
}

function defaultConfig(options: SourceOptions, warnings: Config['warnings']): Config {
  const { server } = buildServer(
    { name: 'workspace', builtin: 'workspace' },
    { env: options.env, cwd: options.cwd, exposure: 'direct' },
  );
  return {
    files: [],
    model: undefined,
    mcp: DEFAULT_MCP,
    defaultTools: DEFAULT_TOOLS,
    servers: server === undefined ? [] : [server],
    warnings,
    skipped: [],
  };
}

/** The file's text; `undefined` when the user's own file does not exist. */
async function readSource(source: ConfigSource): Promise<string | undefined> {
  const name = source.namedBy === undefined ? source.label : `${source.namedBy}: ${source.label}`;
  let bytes: Uint8Array;
  try {
    bytes = await readBoundedOrPipe(source.path, MAX_CONFIG_BYTES);
  } catch (error) {
    if (isMissing(error) && source.namedBy === undefined) return undefined;
    throw readError(error, name);
  }
  return decode(bytes, name);
}

function readError(error: unknown, name: string): ConfigError {
  if (error instanceof LimitError) {
    const isSize = error.details['limit'] === 'file size';
    return new ConfigError(
      isSize ? `${name} is larger than 1 MiB` : `${name} is a pipe that stayed silent for 10s`,
      {
        hint: isSize ? 'name the YAML file with servers: and model:' : 'name a regular file',
        cause: error,
      },
    );
  }
  const code = errorCode(error);
  const [reason, hint] = READ_ERRORS[code ?? ''] ?? [
    `cannot be read (${code ?? 'unknown error'})`,
    undefined,
  ];
  return new ConfigError(`${name} ${reason}`, {
    ...(hint === undefined ? {} : { hint }),
    cause: error,
  });
}

const READ_ERRORS: Readonly<Record<string, readonly [string, string | undefined] | undefined>> = {
  ENOENT: ['does not exist', 'usher config example prints a file to start from'],
  ENOTDIR: ['does not exist', 'usher config example prints a file to start from'],
  EISDIR: ['is a directory', 'name the file in it'],
  EACCES: ['cannot be read: permission denied', 'chmod u+r lets you read it'],
  EPERM: ['cannot be read: permission denied', 'chmod u+r lets you read it'],
  ELOOP: ['is a symlink that leads to itself', undefined],
  ENAMETOOLONG: ['is too long for a file name', undefined],
};

/** UTF-8 text; a byte order mark stays for the parser. */
function decode(bytes: Uint8Array, name: string): string {
  const isUtf16 =
    (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (isUtf16) throw new ConfigError(`${name} is UTF-16 text`, { hint: 'save it as UTF-8' });
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new ConfigError(`${name} is not UTF-8 text`, { hint: 'save it as UTF-8', cause: error });
  }
}
