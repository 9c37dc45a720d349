/** Scripts against a small house: tools that do what a test says, everything else real. */
import { systemClock } from '../../src/base/clock.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { createExecutor } from '../../src/calls/execute.ts';
import { createGrants } from '../../src/calls/grants.ts';
import { runScript } from '../../src/codemode/api.ts';
import { type Bridge, createBridge } from '../../src/codemode/bridge.ts';
import type { ScriptPorts, ScriptServer } from '../../src/codemode/ports.ts';
import type { ScriptInput, ScriptOutcome } from '../../src/codemode/types.ts';
import { createRegistry } from '../../src/tools/registry.ts';
import { searchTools } from '../../src/tools/search.ts';
import type { SourceCall, ToolDefinition, ToolResult } from '../../src/tools/types.ts';

export interface HouseTool {
  readonly name: string;
  readonly server?: string;
  readonly description?: string;
  readonly inputSchema?: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly does?: (call: SourceCall) => Promise<ToolResult> | ToolResult;
}

export interface House extends Disposable {
  readonly ports: ScriptPorts;
  readonly bridge: Bridge;
  /** `server/tool` and arguments of every call that was sent, in order. */
  readonly sent: readonly (readonly [path: string, args: JsonObject, id: string | undefined])[];
  run(code: string, more?: { signal?: AbortSignal; given?: ScriptInput }): Promise<ScriptOutcome>;
}

export interface HouseOptions {
  readonly tools?: readonly HouseTool[];
  /** `server/tool` names that a rule denies. */
  readonly denied?: readonly string[];
  readonly servers?: () => readonly ScriptServer[];
  readonly pending?: ScriptPorts['pending'];
  readonly awaitServer?: ScriptPorts['awaitServer'];
}

/** Closing it ends the workers. */
export function openHouse(options: HouseOptions = {}): House {
  const sent: (readonly [string, JsonObject, string | undefined])[] = [];
  const tools = options.tools ?? [];
  const names = [...new Set(tools.map(({ server = 's' }) => server))];
  const registry = createRegistry({ naming: 'server_tool', order: names });
  for (const server of names) {
    const own = tools.filter((tool) => (tool.server ?? 's') === server);
    registry.setSource(
      server,
      {
        name: server,
        kind: 'http',
        identity: server,
        async call(call) {
          sent.push([`${server}/${call.tool}`, call.arguments, call.id]);
          const tool = own.find(({ name }) => name === call.tool);
          return tool?.does?.(call) ?? textResult(JSON.stringify(call.arguments));
        },
      },
      own.map(definitionOf),
      { tools: undefined, exposure: 'direct', binary: 'drop' },
    );
  }
  const rules = Object.fromEntries(
    (options.denied ?? []).map((path) => [path.split('/')[1] ?? '', 'deny' as const]),
  );
  const policy = { mode: undefined, tools: rules, trustsAnnotations: false, isBuiltin: false };
  const executor = createExecutor({
    policy: {
      servers: new Map(names.map((name) => [name, policy])),
      mode: 'auto',
      flag: undefined,
      yes: [],
    },
    grants: createGrants(systemClock),
    askUser: undefined,
    render: { artifacts: 'off', stateDir: undefined, saveFile: () => undefined },
    clock: systemClock,
    onEvent: () => undefined,
  });
  const bridge = createBridge(systemClock);
  const none = names.map((name) => ({
    name,
    description: undefined,
    instructions: undefined,
    problem: undefined,
  }));
  const ports: ScriptPorts = {
    clock: systemClock,
    bridge,
    executor,
    snapshot: () => registry.snapshot(),
    servers: options.servers ?? (() => none),
    pending: options.pending ?? (() => []),
    awaitServer: options.awaitServer ?? (() => Promise.resolve()),
    search: (list, query, limit) => searchTools(list, query, limit).map(({ tool }) => tool),
    clean: (text) => text,
    store: new Map(),
    onAsking: () => () => undefined,
    origin: 'model',
  };
  return {
    ports,
    bridge,
    sent,
    run: (code, { signal = new AbortController().signal, given } = {}) =>
      runScript(ports, { code, id: 'p', given }, signal),
    [Symbol.dispose]: () => bridge.close(),
  };
}

export function textResult(text: string, isError = false): ToolResult {
  const content = [{ type: 'text', text }];
  return { content, structuredContent: undefined, isError, raw: { content, _meta: { x: 1 } } };
}

/** The texts of an outcome, in order. */
export function texts({ items }: ScriptOutcome): readonly string[] {
  return items.flatMap((item) => (item.kind === 'text' ? [item.text] : []));
}

function definitionOf(tool: HouseTool): ToolDefinition {
  const {
    name,
    description,
    outputSchema,
    inputSchema = { type: 'object', properties: {} },
  } = tool;
  const raw = { name, inputSchema };
  return { name, title: undefined, description, inputSchema, outputSchema, annotations: {}, raw };
}
