/** Connections to fixture servers, with real ports where nothing else is given. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import type { Fetch } from '../../src/base/http.ts';
import { isJsonObject, type JsonObject } from '../../src/base/json.ts';
import { spawnChild } from '../../src/base/spawn.ts';
import type { ServerConfig, ServerEndpoint } from '../../src/config/types.ts';
import { createConnection } from '../../src/mcp/connection.ts';
import type { ConnectionPorts } from '../../src/mcp/ports.ts';
import type { Connection } from '../../src/mcp/types.ts';
import type { SourceCall, ToolProgress, ToolResult } from '../../src/tools/types.ts';
import type { NetworkEndpoint } from '../../src/transport/create.ts';
import { type HttpScript, startMcpServer } from '../fixtures/servers/http.ts';
import { type SseLegacyScript, startSseLegacyServer } from '../fixtures/servers/sse-legacy.ts';
import type { StdioScript } from '../fixtures/servers/stdio.ts';
import { startWebSocketServer, type WebSocketScript } from '../fixtures/servers/websocket.ts';
import { stdioCommand } from '../helpers/config.ts';
import { newFolder } from '../helpers/places.ts';

export const realFetch: Fetch = (url, init) => fetch(url, init);
export const never = new AbortController().signal;

/** Time that runs fifty times as fast, for waits whose length is proven elsewhere. */
export const hurriedClock: Clock = {
  now: () => systemClock.now() * 50,
  date: systemClock.date,
  after: (delayMs, action) => systemClock.after(delayMs / 50, action),
};

/** Hurries over pauses between tries alone: limits, which are longer, keep their time on a busy machine. */
export const hurriedPauses: Clock = {
  ...systemClock,
  after: (delayMs, action) => systemClock.after(delayMs > 1000 ? delayMs : delayMs / 50, action),
};

export function testPorts(changes: Partial<ConnectionPorts> = {}): ConnectionPorts {
  return {
    clock: systemClock,
    env: { PATH: '/usr/bin:/bin' },
    fetch: realFetch,
    spawn: spawnChild,
    log: () => undefined,
    cwd: '/tmp',
    version: '1.2.3',
    serverRequests: new Map(),
    clientCapabilities: { roots: {} },
    onNotification: () => undefined,
    random: () => 0.5,
    ...changes,
  };
}

export function testConfig(
  endpoint: ServerEndpoint,
  changes: Partial<Omit<ServerConfig, 'endpoint'>> = {},
): ServerConfig {
  return {
    name: 's1',
    endpoint,
    enabled: true,
    required: false,
    description: undefined,
    tools: undefined,
    permissions: undefined,
    toolPermissions: {},
    trustAnnotations: false,
    exposure: 'direct',
    binary: 'drop',
    instructions: 'full',
    protocol: 'legacy',
    restartOnTimeout: true,
    timeout: { connectMs: 10_000, idleMs: 60_000, maxMs: 900_000, tools: {} },
    ...changes,
  };
}

export function httpEndpoint(url: string, changes: Partial<NetworkEndpoint> = {}): NetworkEndpoint {
  return { kind: 'http', url, headers: {}, auth: undefined, allowPrivate: false, ...changes };
}

export function stdioEndpoint(
  command: string,
  args: readonly string[],
  changes: Partial<ServerEndpoint & { kind: 'stdio' }> = {},
): ServerEndpoint & { kind: 'stdio' } {
  return { kind: 'stdio', command, args, env: {}, envPass: [], cwd: '/tmp', ...changes };
}

export interface Rig extends AsyncDisposable {
  readonly endpoint: ServerEndpoint;
  /** To be given to the connection: they take note of what it sends. */
  readonly ports: Partial<ConnectionPorts>;
  /** Every JSON-RPC message sent so far, in order. */
  messages(): readonly JsonObject[];
}

/** Starts an HTTP fixture. */
export async function httpRig(script: HttpScript = {}): Promise<Rig> {
  return postRig(await startMcpServer(script), 'http');
}

/** Starts a legacy HTTP+SSE fixture, spoken to as such or found out. */
export async function sseRig(script: SseLegacyScript = {}, kind?: 'http'): Promise<Rig> {
  return postRig(await startSseLegacyServer(script), kind ?? 'sse');
}

/** Starts a WebSocket fixture. */
export async function wsRig(script: WebSocketScript = {}): Promise<Rig> {
  const server = await startWebSocketServer(script);
  return {
    endpoint: httpEndpoint(server.url, { kind: 'ws' }),
    ports: {},
    messages: () => server.messages.map(toJson),
    [Symbol.asyncDispose]: () => server.close(),
  };
}

function postRig(
  server: { readonly url: string; close(): Promise<void> },
  kind: 'http' | 'sse',
): Rig {
  const messages: JsonObject[] = [];
  return {
    endpoint: httpEndpoint(server.url, { kind }),
    ports: {
      fetch: (url, init) => {
        if (init.body !== undefined) messages.push(toJson(JSON.parse(init.body)));
        return realFetch(url, init);
      },
    },
    messages: () => messages,
    [Symbol.asyncDispose]: () => server.close(),
  };
}

/** A stdio fixture; the process is started by the connection. */
export async function stdioRig(script: StdioScript = {}): Promise<Rig> {
  const log = join(newFolder(), 'log');
  const { command, args } = stdioCommand({ ...script, log });
  return {
    endpoint: stdioEndpoint(command, args),
    ports: {},
    messages: () =>
      readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => toJson(JSON.parse(line))),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** A connection that is closed with its scope. */
export function open(
  endpoint: ServerEndpoint,
  ports: Partial<ConnectionPorts> = {},
  config: Partial<Omit<ServerConfig, 'endpoint'>> = {},
): Connection & AsyncDisposable {
  const connection = createConnection(testConfig(endpoint, config), testPorts(ports));
  return Object.assign(connection, { [Symbol.asyncDispose]: () => connection.close() });
}

export function callTool(
  connection: Connection,
  tool: string,
  args: JsonObject = {},
  more: Partial<SourceCall> = {},
): Promise<ToolResult> {
  return connection.call({
    tool,
    arguments: args,
    signal: never,
    onProgress: (_progress: ToolProgress) => undefined,
    ...more,
  });
}

/** What a promise rejects with, as plain data; fails when it resolves. */
export async function failureOf(work: Promise<unknown>): Promise<Error> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
  throw new Error('expected a rejection');
}

/** Resolves when `isTrue` holds; looked at every 2 ms, for at most 20 s. */
export async function until(isTrue: () => boolean): Promise<void> {
  const limit = performance.now() + 20_000;
  while (!isTrue()) {
    if (performance.now() > limit) throw new Error('it did not happen within 20 s');
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

function toJson(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}
