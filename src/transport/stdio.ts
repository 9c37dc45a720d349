/**
 * A server as a child process: JSON-RPC messages as lines on its stdin and stdout. Whatever else it
 * prints is kept from the protocol. Source: MCP specification, transports, stdio.
 */
import type { Clock } from '../base/clock.ts';
import type { Env } from '../base/env.ts';
import { type AppError, ConnectError, LimitError, toAppError } from '../base/errors.ts';
import { type JsonObject, tryParseJson } from '../base/json.ts';
import { scrubSecrets } from '../base/redact.ts';
import {
  type Child,
  type ChildExit,
  endChild,
  type Spawn,
  type SpawnOptions,
} from '../base/spawn.ts';
import { escapeForTerminal, groupDigits, shorten } from '../base/text.ts';
import type { ServerEndpoint } from '../config/types.ts';
import { createLineSplitter } from './lines.ts';
import { rpcMessages } from './message.ts';
import { createStderrTail } from './stderr-tail.ts';
import { serverEnv } from './stdio-env.ts';
import type { LogSink, SendOptions, Transport, TransportSink } from './types.ts';

export interface StdioPorts {
  readonly clock: Clock;
  readonly env: Env;
  readonly spawn: Spawn;
  readonly log: LogSink;
}

/** One message is one line; a tool result with a large file in it is one line too. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const NOTICE_CHARACTERS = 120;
/** Of other output before the first message; a server that prints more than that is none. */
const MAX_STRAY_LINES = 10_000;
const MAX_STRAY_BYTES = 16 * 1024 * 1024;
/** How long the pipes of a process that ended may still give what is left in them. */
const DRAIN_MS = 200;

export class StdioTransport implements Transport {
  readonly kind = 'stdio';
  readonly sessionId = undefined;
  lastHeardMs: number | undefined;
  readonly #name: string;
  readonly #endpoint: ServerEndpoint & { kind: 'stdio' };
  readonly #ports: StdioPorts;
  readonly #stderr = createStderrTail();
  #sink: TransportSink | undefined;
  #child: Child | undefined;
  #ended: Promise<void> | undefined;
  #isGone = false;
  #hasNoticed = false;
  /** The first message has come. */
  #hasSpoken = false;
  #strayLines = 0;
  #strayBytes = 0;
  /** Why the server is gone, unless we closed it. */
  #loss: AppError | undefined;

  constructor(name: string, endpoint: ServerEndpoint & { kind: 'stdio' }, ports: StdioPorts) {
    this.#name = name;
    this.#endpoint = endpoint;
    this.#ports = ports;
  }

  open(sink: TransportSink): void {
    const { command, args, cwd, env, envPass } = this.#endpoint;
    this.#sink = sink;
    const child = this.#spawn({
      command,
      args,
      cwd,
      env: serverEnv(this.#ports.env, env, envPass),
    });
    this.#child = child;
    void this.#watch(child);
  }

  async send(message: JsonObject, options: SendOptions): Promise<void> {
    options.signal.throwIfAborted();
    const child = this.#child;
    if (child === undefined || this.#isGone) {
      const text = this.#loss?.message ?? `server "${this.#name}" is not running`;
      throw new ConnectError(text, { cause: this.#loss, details: { sent: false } });
    }
    try {
      await child.write(`${JSON.stringify(message)}\n`);
    } catch (cause) {
      throw await this.#brokenPipe(child, cause);
    }
  }

  acceptVersion(): void {
    // Only HTTP repeats the version with every message.
  }

  listen(): void {
    // The server may speak at any time on stdout.
  }

  forgetSession(): void {
    // The process is the session.
  }

  diagnostics(): string {
    return this.#stderr.text();
  }

  close(): Promise<void> {
    this.#isGone = true;
    return this.#end();
  }

  #spawn(options: SpawnOptions): Child {
    try {
      return this.#ports.spawn(options);
    } catch (thrown) {
      const { message, details } = toAppError(thrown);
      throw new ConnectError(`server "${this.#name}": ${message}`, { cause: thrown, details });
    }
  }

  /** The line never reached the server whole, so it cannot have acted on it; others may be under way. */
  async #brokenPipe(child: Child, cause: unknown): Promise<AppError> {
    const hasExited = await this.#within(child.exited, DRAIN_MS);
    const exit = hasExited ? await child.exited : undefined;
    const what = exit === undefined ? 'no longer reads its input' : describeExit(exit);
    // Later, so that this request hears of its own, better fate first.
    setImmediate(() => this.#lose(this.#failure(what, true, cause, exit)));
    return this.#failure(what, false, cause, exit);
  }

  async #watch(child: Child): Promise<void> {
    const stdout = this.#readStdout(child);
    const stderr = this.#readStderr(child);
    const exit = await child.exited;
    // A grandchild may hold the pipes open; the leader's last words are in them already.
    await this.#within(Promise.all([stdout, stderr]), DRAIN_MS);
    this.#lose(this.#failure(describeExit(exit), true, undefined, exit));
  }

  async #readStdout(child: Child): Promise<void> {
    const splitter = createLineSplitter({
      maxBytes: MAX_LINE_BYTES,
      onLine: (line) => this.#receive(line),
    });
    try {
      for await (const chunk of child.stdout) {
        this.#hear();
        splitter.feed(chunk);
        this.#boundStray(0, chunk.length);
      }
      const rest = splitter.end();
      if (rest !== undefined) this.#receive(rest);
    } catch (cause) {
      this.#lose(this.#failure(describeEnd(cause), true, cause));
      return;
    }
    // A server without stdout can never answer; its exit, if that is what happened, explains more.
    const hasExited = await this.#within(child.exited, DRAIN_MS);
    if (!hasExited) this.#lose(this.#failure('closed its output', true));
  }

  async #readStderr(child: Child): Promise<void> {
    try {
      for await (const chunk of child.stderr) {
        this.#hear();
        this.#stderr.add(chunk);
      }
    } catch (error) {
      this.#ports.log('debug', `${this.#name}: stderr: ${toAppError(error).message}`);
    }
  }

  #hear(): void {
    const isFirst = this.lastHeardMs === undefined;
    this.lastHeardMs = this.#ports.clock.now();
    if (isFirst) this.#sink?.onHeard?.();
  }

  #receive(line: string): void {
    if (this.#isGone) return;
    const messages = line.trim() === '' ? [] : rpcMessages(tryParseJson(line));
    if (messages.length === 0) this.#ignore(line);
    else this.#hasSpoken = true;
    for (const message of messages) this.#sink?.onMessage(message);
  }

  #ignore(line: string): void {
    this.#boundStray(1, 0);
    if (line.trim() === '') return;
    const shown = escapeForTerminal(shorten(scrubSecrets(line), NOTICE_CHARACTERS));
    this.#ports.log('debug', `${this.#name}: stdout: ${shown}`);
    if (this.#hasNoticed) return;
    this.#hasNoticed = true;
    this.#sink?.onNotice(`server "${this.#name}" writes non-protocol text to stdout: ${shown}`);
  }

  /** Throws LimitError; once the server has spoken nothing is counted. */
  #boundStray(lines: number, bytes: number): void {
    if (this.#hasSpoken) return;
    this.#strayLines += lines;
    this.#strayBytes += bytes;
    if (this.#strayLines <= MAX_STRAY_LINES && this.#strayBytes <= MAX_STRAY_BYTES) return;
    throw new LimitError('too much output before the first protocol message', {
      details: { limit: STRAY_LIMIT, maxLines: MAX_STRAY_LINES, maxBytes: MAX_STRAY_BYTES },
    });
  }

  #failure(what: string, sent: boolean, cause?: unknown, exit?: ChildExit): AppError {
    const said = this.#stderr.text();
    const message = `server "${this.#name}" ${what}${said === '' ? '' : `; its stderr ends:\n${said}`}`;
    const details = {
      sent,
      ...(exit === undefined ? {} : { exitCode: exit.code, signal: exit.signal }),
    };
    if (cause instanceof LimitError) {
      return new LimitError(message, { cause, details: { ...cause.details, ...details } });
    }
    return new ConnectError(message, { cause, details });
  }

  #lose(error: AppError): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#loss = error;
    this.#sink?.onClose(error);
    void this.#end();
  }

  #end(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return Promise.resolve();
    this.#ended ??= endChild(child, this.#ports.clock).then((isClean) => {
      if (!isClean) {
        this.#ports.log('debug', `${this.#name}: a process of group ${child.pid} is still there`);
      }
    });
    return this.#ended;
  }

  /** True when `work`, which never rejects, is done before the limit. */
  #within(work: Promise<unknown>, limitMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = this.#ports.clock.after(limitMs, () => resolve(false));
      void work.then(() => {
        timer.cancel();
        resolve(true);
      });
    });
  }
}

const STRAY_LIMIT = 'stdio_stray';

function describeEnd(cause: unknown): string {
  if (!(cause instanceof LimitError)) return 'cannot be read any more';
  return cause.details['limit'] === STRAY_LIMIT
    ? `wrote more than ${groupDigits(MAX_STRAY_LINES)} lines or ${MAX_STRAY_BYTES / 1024 / 1024} MiB to stdout without a protocol message and was stopped`
    : `sent a line longer than ${MAX_LINE_BYTES / 1024 / 1024} MiB and was stopped`;
}

function describeExit(exit: ChildExit): string {
  return exit.signal === null
    ? `ended with exit code ${exit.code ?? 'unknown'}`
    : `was ended by ${exit.signal}`;
}
