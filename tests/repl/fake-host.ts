/** A host for tests that does what a script says at each prompt. */
import type { RunResult } from '../../src/agent/types.ts';
import type { Host, HostEvent } from '../../src/host/types.ts';
import type { ServerStatus } from '../../src/mcp/types.ts';
import type { AskUser, Question } from '../../src/permission/types.ts';
import type { RegisteredTool, RegistrySnapshot, ToolDefinition } from '../../src/tools/types.ts';

export interface FakeHost extends Host {
  readonly prompts: readonly string[];
  readonly log: readonly string[];
}

export interface RunPorts {
  readonly emit: (event: HostEvent) => void;
  readonly ask: AskUser;
  readonly signal: AbortSignal;
}

export type Script = (text: string, ports: RunPorts) => Promise<Partial<RunResult>>;

export const OK_RESULT: RunResult = {
  answer: '',
  exit: 0,
  error: undefined,
  turns: 1,
  usage: { inputTokens: 0, outputTokens: 0 },
  toolCalls: [],
  denied: [],
  unknownOutcome: [],
  warnings: [],
};

const NOT_SCRIPTED = {
  kind: 'cancelled',
  tool: undefined,
  sent: false,
  text: 'not scripted',
} as const;

export function createFakeHost(
  surface: { readonly askUser: AskUser; onEvent(event: HostEvent): void },
  script: Script,
  servers: readonly ServerStatus[] = [fakeServer('files')],
): FakeHost {
  const prompts: string[] = [];
  const log: string[] = [];
  return {
    prompts,
    log,
    modelLabel: 'scripted',
    async start() {
      return { servers, readyMs: 1, fatal: undefined, warnings: [] };
    },
    status: () => servers,
    snapshot: () => fakeSnapshot(servers),
    async prompt(text, signal) {
      prompts.push(text);
      const ports = { emit: surface.onEvent.bind(surface), ask: surface.askUser, signal };
      return { ...OK_RESULT, ...(await script(text, ports)) };
    },
    async call() {
      return NOT_SCRIPTED;
    },
    find: () => Promise.resolve([]),
    offers: () => [],
    read: () => Promise.resolve(NOT_SCRIPTED),
    parseArguments: () => Promise.resolve({}),
    runScript: () => Promise.reject(new Error('not used')),
    signIn: () => Promise.reject(new Error('not used')),
    checkScript: () => Promise.resolve([]),
    checkArguments: () => [],
    permissions: () => ({
      mode: 'mcp.permissions: ask',
      rules: [],
      hooks: [],
      tools: [],
      grants: [],
    }),
    explain: ({ server, name }) => ({
      server,
      tool: name,
      effect: 'ask',
      why: 'mcp.permissions: ask',
      sometimes: [],
    }),
    forgetGrants: () => 0,
    async reconnect(name) {
      log.push(`reconnect ${name}`);
      return servers.find((server) => server.name === name) ?? fakeServer(name);
    },
    killNow() {
      log.push('killNow');
    },
    async close() {
      log.push('close');
    },
  };
}

export function fakeServer(name: string, change: Partial<ServerStatus> = {}): ServerStatus {
  return {
    name,
    kind: 'stdio',
    state: 'ready',
    era: 'legacy',
    protocolVersion: '2025-11-25',
    serverInfo: undefined,
    instructions: undefined,
    capabilities: {},
    tools: [
      fakeDefinition('read_text', 'Reads a file.'),
      fakeDefinition('write', 'Writes a file.'),
    ],
    dropped: [],
    notices: [],
    error: undefined,
    readyMs: 12,
    ...change,
  };
}

/** Rejects with the signal's reason when it aborts, and never otherwise. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  if (signal.aborted) reject(signal.reason);
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  return promise;
}

export function fakeQuestion(tool: string, lines: readonly string[] = []): Question {
  return {
    server: 'files',
    tool,
    publicName: `files_${tool}`,
    arguments: {},
    annotations: {},
    origin: 'model',
    lines: [`Allow files/${tool} ?`, ...lines],
    full: [`everything about ${tool}`],
  };
}

export function fakeTool(
  server: string,
  name: string,
  hidden?: RegisteredTool['hidden'],
): RegisteredTool {
  return {
    server,
    name,
    publicName: `${server}_${name}`,
    definition: fakeDefinition(name, `Does ${name}.`),
    hidden,
    exposure: hidden === undefined ? 'direct' : 'hidden',
    source: {
      name: server,
      kind: 'stdio',
      identity: server,
      call: () => Promise.reject(new Error('not scripted')),
    },
  };
}

/** The first tool of each server is exposed, the others are not listed. */
export function fakeSnapshot(servers: readonly ServerStatus[]): RegistrySnapshot {
  const tools = servers.flatMap((server) =>
    server.tools.map((tool, index) =>
      fakeTool(server.name, tool.name, index === 0 ? undefined : { kind: 'not_listed' }),
    ),
  );
  return {
    tools: tools.filter((tool) => tool.hidden === undefined),
    reachable: tools.filter((tool) => tool.hidden === undefined),
    hidden: tools.filter((tool) => tool.hidden !== undefined),
    resolve: () => ({ kind: 'unknown', nearest: [] }),
  };
}

function fakeDefinition(name: string, description: string): ToolDefinition {
  return {
    name,
    title: undefined,
    description,
    inputSchema: { type: 'object', properties: {} },
    outputSchema: undefined,
    annotations: {},
    raw: { name },
  };
}
