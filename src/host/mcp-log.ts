/**
 * What servers log, in `mcp.log` of the state directory: one line each, scrubbed, escaped, bounded. At
 * 5 MB the file becomes `mcp.log.1`. A log that cannot be written is given up with one warning.
 */
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  mkdirSync,
  openSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { errorCode } from '../base/files.ts';
import { scrubSecrets } from '../base/redact.ts';
import { escapeForTerminal, shorten } from '../base/text.ts';

export interface McpLog {
  /** Never throws. */
  write(server: string, level: string, text: string): void;
  /** Idempotent. */
  close(): void;
}

export interface McpLogOptions {
  /** `undefined`: nothing is kept. */
  readonly stateDir: string | undefined;
  readonly clock: Pick<Clock, 'date'>;
  readonly warn: (message: string) => void;
  /** Default 5,000,000 bytes. */
  readonly maxBytes?: number;
}

const MAX_BYTES = 5_000_000;
const MAX_LINE_CHARACTERS = 4000;

/** Nothing is opened before the first line. The caller closes it. */
export function createMcpLog(options: McpLogOptions): McpLog {
  const { stateDir, clock, warn, maxBytes = MAX_BYTES } = options;
  let isOff = stateDir === undefined;
  let open: { readonly fd: number; bytes: number } | undefined;

  const close = () => {
    if (open !== undefined) closeSync(open.fd);
    open = undefined;
  };
  const append = (path: string, line: Buffer) => {
    open ??= openLog(path);
    if (open.bytes > 0 && open.bytes + line.length > maxBytes) {
      close();
      renameSync(path, `${path}.1`);
      open = openLog(path);
    }
    writeSync(open.fd, line);
    open.bytes += line.length;
  };
  return {
    write(server, level, text) {
      if (isOff || stateDir === undefined) return;
      const path = join(stateDir, 'mcp.log');
      const line = `${clock.date().toISOString()} ${server} ${level} ${oneLine(text)}\n`;
      try {
        append(path, Buffer.from(line));
      } catch (error) {
        // ENOSPC, EACCES, ELOOP (a symlink stands there): usher works without its log.
        if (errorCode(error) === undefined) throw error;
        isOff = true;
        warn(`${path} cannot be written (${errorCode(error)}); what servers log is not kept`);
      }
    },
    close() {
      isOff = true;
      close();
    },
  };
}

/** What servers say on one line, as it may be shown. */
export function oneLine(text: string): string {
  return shorten(escapeForTerminal(scrubSecrets(text).replace(/\s+/g, ' ')), MAX_LINE_CHARACTERS);
}

function openLog(path: string): { readonly fd: number; bytes: number } {
  mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 });
  const { O_WRONLY, O_CREAT, O_APPEND, O_NOFOLLOW } = constants;
  const fd = openSync(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0o600);
  fchmodSync(fd, 0o600);
  return { fd, bytes: fstatSync(fd).size };
}
