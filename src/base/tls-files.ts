/** Certificates and keys from PEM files. `node:crypto` is loaded only where there are some. */
import { ConfigError, LimitError } from './errors.ts';
import { errorCode, readBounded } from './files.ts';

/** Absolute paths. `cert` and `key` go together. */
export interface TlsFiles {
  /** The issuers to trust. */
  readonly ca?: string;
  /** Our own certificate, for servers that ask for one. */
  readonly cert?: string;
  readonly key?: string;
}

/** Texts of the files, as a socket takes them. */
export type TlsTexts = { readonly [name in keyof TlsFiles]?: string };

const MAX_BYTES = 1024 * 1024;

/** The files' texts, checked, key and certificate together. Rejects with ConfigError that names the file. */
export async function readTlsFiles(files: TlsFiles): Promise<TlsTexts> {
  const { createPrivateKey, X509Certificate } = await import('node:crypto');
  const { ca, cert, key } = files;
  const caText = ca === undefined ? undefined : readPem('ca', ca);
  const certText = cert === undefined ? undefined : readPem('cert', cert);
  const keyText = key === undefined ? undefined : readPem('key', key);
  if (ca !== undefined) parsed(ca, () => new X509Certificate(caText ?? ''));
  if (cert !== undefined && key !== undefined) {
    const own = parsed(cert, () => new X509Certificate(certText ?? ''));
    const secret = parsed(key, () => createPrivateKey(keyText ?? ''));
    if (!own.checkPrivateKey(secret)) throw new ConfigError(`${key} is not the key of ${cert}`);
  }
  return {
    ...(caText === undefined ? {} : { ca: caText }),
    ...(certText === undefined ? {} : { cert: certText }),
    ...(keyText === undefined ? {} : { key: keyText }),
  };
}

/** What is wrong with a file at first sight (missing, not PEM, encrypted), or `undefined`. */
export function tlsFileProblem(kind: keyof TlsFiles, path: string): string | undefined {
  try {
    readPem(kind, path);
    return undefined;
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}

function readPem(kind: keyof TlsFiles, path: string): string {
  const text = readFile(path);
  const label = kind === 'key' ? 'PRIVATE KEY' : 'CERTIFICATE';
  const pem = new RegExp(`-----BEGIN ([A-Z0-9 ]*)${label}-----[\\s\\S]*-----END`).exec(text);
  if (pem === null) {
    throw new ConfigError(
      `${path} holds no ${label.toLowerCase()} in PEM form (-----BEGIN ${label}-----)`,
    );
  }
  if (pem[1]?.includes('ENCRYPTED') === true || text.includes('Proc-Type: 4,ENCRYPTED')) {
    throw new ConfigError(`${path} is encrypted; a key without a passphrase is needed`);
  }
  return text;
}

function parsed<T>(path: string, parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    throw new ConfigError(`${path} is damaged PEM`, { cause });
  }
}

function readFile(path: string): string {
  try {
    return new TextDecoder().decode(readBounded(path, MAX_BYTES));
  } catch (cause) {
    if (cause instanceof LimitError) {
      throw new ConfigError(`${path} is larger than 1 MiB`, { cause });
    }
    const code = errorCode(cause);
    const reason = code === undefined ? undefined : READ_ERRORS[code];
    throw new ConfigError(`${path} ${reason ?? `cannot be read (${code ?? 'unknown error'})`}`, {
      cause,
    });
  }
}

const READ_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EISDIR: 'is a directory',
  EACCES: 'cannot be read: permission denied',
};
