/** The text of one configuration file, bounded, with every reason why it cannot be had in plain words. */
import { statSync } from 'node:fs';
import { ConfigError, LimitError } from '../base/errors.ts';
import { errorCode, isMissing, readBoundedOrPipe } from '../base/files.ts';
import type { ConfigSource } from './sources.ts';

/** A configuration is written by hand; a larger file is a mistake and would take seconds to parse. */
export const MAX_CONFIG_BYTES = 1024 * 1024;

/** The file's text; `undefined` when a file that nobody named does not exist. Throws ConfigError. */
export async function readSource(source: ConfigSource): Promise<string | undefined> {
  const name = source.namedBy === undefined ? source.label : `${source.namedBy}: ${source.label}`;
  let bytes: Uint8Array;
  try {
    if (source.scope === 'project' && !statSync(source.path).isFile()) {
      throw new ConfigError(`${name} is not a regular file`);
    }
    bytes = await readBoundedOrPipe(source.path, MAX_CONFIG_BYTES);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
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
