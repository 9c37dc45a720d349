/**
 * The OS keyring behind its command-line bridge: `secret-tool` where a session bus is, `security` on macOS.
 * Both take short texts only, which they cut without a word: `secret-tool` at 8 KiB, `security -i` at lines of
 * 4 KiB (libsecret tool/secret-tool.c, Apple SecurityTool security.c). A secret goes through stdin, never argv.
 */
import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { type Env, envValue } from '../base/env.ts';
import { AppError } from '../base/errors.ts';
import { sha256Hex } from '../base/hash.ts';
import type { Spawn } from '../base/spawn.ts';
import {
  type BridgeAnswer,
  type BridgePorts,
  keyringFailed,
  runBridge,
} from './keyring-process.ts';

export type KeyringName = 'secret-tool' | 'security';

/** Keeps short texts of printable ASCII. All but `isUsable` reject with AuthError when the keyring does not do it. */
export interface Keyring {
  readonly name: KeyringName;
  /** Whether it answers within 2 s; asks nobody to unlock anything. */
  isUsable(): Promise<boolean>;
  /** `undefined`: it has no such item. */
  get(item: string): Promise<string | undefined>;
  set(item: string, text: string): Promise<void>;
  /** Fine when there is no such item. */
  delete(item: string): Promise<void>;
}

export interface KeyringOptions {
  readonly env: Env;
  readonly clock: Clock;
  readonly spawn: Spawn;
  /** Default: this system. */
  readonly platform?: string;
  /** Of macOS; default `/usr/bin/security`. */
  readonly securityProgram?: string;
}

const SERVICE = 'usher';
/** Nothing is ever kept under it. */
const PROBE = 'probe';
const PROBE_MS = 2000;
/** A person may be asked to unlock it meanwhile. */
const LIMIT_MS = 10_000;
const MAX_TEXT = 1000;

/** The keyring of this system; `undefined` without one or with `USHER_KEYRING=off`. Starts no process. */
export function findKeyring(options: KeyringOptions): Keyring | undefined {
  const { env, platform = process.platform, securityProgram = '/usr/bin/security' } = options;
  if (isKeyringOff(env)) return undefined;
  const ports = { ...options, env: bridgeEnv(env) };
  if (platform === 'darwin') {
    return existsSync(securityProgram) ? securityKeyring(securityProgram, ports) : undefined;
  }
  const program = Bun.which('secret-tool', { PATH: envValue(env, 'PATH') ?? '' });
  if (platform === 'win32' || program === null || !isAbsolute(program)) return undefined;
  return hasSessionBus(env) ? secretToolKeyring(program, ports) : undefined;
}

/** The person wants files. */
export function isKeyringOff(env: Env): boolean {
  return envValue(env, 'USHER_KEYRING')?.toLowerCase() === 'off';
}

function secretToolKeyring(program: string, ports: BridgePorts): Keyring {
  const run = (args: readonly string[], input?: string, limitMs = LIMIT_MS) =>
    runBridge({ program, args, limitMs, ...(input === undefined ? {} : { input }) }, ports);
  const named = (item: string) => ['service', SERVICE, 'key', item];
  /** It ends with 1 for nothing found and for a failure alike, and says something for a failure alone. */
  const isNothing = ({ code, stderr }: BridgeAnswer) => code === 1 && stderr === '';
  return {
    name: 'secret-tool',
    isUsable: () =>
      works(async () => {
        const answer = await run(['lookup', ...named(PROBE)], undefined, PROBE_MS);
        return answer.code === 0 || isNothing(answer);
      }),
    async get(item) {
      const answer = await run(['lookup', ...named(item)]);
      if (answer.code === 0) return answer.stdout.trim();
      if (!isNothing(answer)) throw refused(program, answer);
      // An item that stays locked is not found either, but listed.
      const listed = await run(['search', ...named(item)]);
      if (listed.code === 0 && listed.stdout.trim() === '') return undefined;
      throw listed.code === 0 ? keyringFailed(program, 'is locked') : refused(program, listed);
    },
    async set(item, text) {
      const answer = await run(['store', `--label=usher: ${item}`, ...named(item)], checked(text));
      if (answer.code !== 0) throw refused(program, answer);
    },
    async delete(item) {
      const answer = await run(['clear', ...named(item)]);
      if (answer.code !== 0 && !isNothing(answer)) throw refused(program, answer);
    },
  };
}

/** The exit code of `security` for an item that is not there: the low byte of errSecItemNotFound, -25300. */
const NOT_FOUND = 44;

function securityKeyring(program: string, ports: BridgePorts): Keyring {
  const run = (args: readonly string[], input?: string, limitMs = LIMIT_MS) =>
    runBridge({ program, args, limitMs, ...(input === undefined ? {} : { input }) }, ports);
  const find = (item: string) => ['find-generic-password', '-s', SERVICE, '-a', accountOf(item)];
  return {
    name: 'security',
    isUsable: () =>
      works(async () => {
        const { code } = await run(find(PROBE), undefined, PROBE_MS);
        return code === 0 || code === NOT_FOUND;
      }),
    async get(item) {
      const answer = await run([...find(item), '-w']);
      if (answer.code === 0) return answer.stdout.trim();
      if (answer.code === NOT_FOUND) return undefined;
      throw refused(program, answer);
    },
    async set(item, text) {
      const words = ['-U', '-s', SERVICE, '-a', accountOf(item), '-w', checked(text)];
      const line = ['add-generic-password', ...words.map(quoted)].join(' ');
      const answer = await run(['-i'], `${line}\n`);
      if (answer.code !== 0) throw refused(program, answer);
    },
    async delete(item) {
      const answer = await run(['delete-generic-password', ...find(item).slice(1)]);
      if (answer.code !== 0 && answer.code !== NOT_FOUND) throw refused(program, answer);
    },
  };
}

/** A line of `security -i` has room for it, and nothing in it ends the line. */
function accountOf(item: string): string {
  return /^[\x20-\x7e]{1,1000}$/.test(item) ? item : sha256Hex(item);
}

/** As `security -i` reads words: a backslash stands before what is meant as it is, also in quotes. */
function quoted(word: string): string {
  return `"${word.replace(/["\\]/g, '\\$&')}"`;
}

/** What no bridge cuts or changes. A text of ours that is none is a mistake of ours. */
function checked(text: string): string {
  if (/^[\x21-\x7e]+$/.test(text) && text.length <= MAX_TEXT) return text;
  throw new RangeError('a keyring keeps short printable texts only');
}

async function works(probe: () => Promise<boolean>): Promise<boolean> {
  try {
    return await probe();
  } catch (error) {
    // One that hangs or does not start is one that does not work.
    if (error instanceof AppError) return false;
    throw error;
  }
}

function refused(program: string, { code, stderr }: BridgeAnswer) {
  return keyringFailed(program, `ended with ${code}${stderr === '' ? '' : `; it said: ${stderr}`}`);
}

/** Where libdbus looks as well. */
function hasSessionBus(env: Env): boolean {
  if (envValue(env, 'DBUS_SESSION_BUS_ADDRESS') !== undefined) return true;
  const runtime = envValue(env, 'XDG_RUNTIME_DIR');
  return runtime !== undefined && existsSync(join(runtime, 'bus'));
}

/** No token and no key that stands in a variable reaches a bridge. */
function bridgeEnv(env: Env): Readonly<Record<string, string>> {
  const passed = /^(DBUS_\w+|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|XDG_RUNTIME_DIR|HOME|PATH)$/;
  const found: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && passed.test(name)) found[name] = value;
  }
  return found;
}
