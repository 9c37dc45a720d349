/**
 * The same task over the 527 real tools of `tests/fixtures/data`, in different ways of offering them: what
 * the model is sent, and what the servers were asked to do. Used by a test and by `scripts/bench/tokens.ts`.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/json.ts';
import { assignNames, keyOf } from '../../src/tools/naming.ts';
import { checkArguments } from '../../src/tools/validate.ts';
import type { ScriptStep } from '../fixtures/models/types.ts';
import { type McpServer, startMcpServer } from '../fixtures/servers/http.ts';
import { type ScriptedTool, tool } from '../fixtures/servers/script.ts';
import { ask, callStep, httpEntry, openScene } from './scene.ts';

export const WAYS = ['direct', 'auto', 'deferred', 'codemode'] as const;
export type Way = (typeof WAYS)[number];

export interface TaskRun {
  readonly exit: number;
  /** Bodies of the model requests, oldest first. */
  readonly bodies: readonly unknown[];
  /** `server/tool arguments` of every call that reached a server, in order of arrival at each. */
  readonly effects: readonly string[];
}

interface RealTool {
  readonly server: string;
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
}

interface PlannedCall {
  readonly server: string;
  readonly name: string;
  readonly publicName: string;
  readonly query: string;
  readonly args: JsonObject;
}

const DATA = new URL('../fixtures/data/live-mcp-tools.json', import.meta.url);

/** All servers of the data, each on a port of its own. */
export async function startRealServers() {
  // The file is ours: its README tells the shape.
  const tools = (await Bun.file(DATA).json()) as RealTool[];
  const byServer = Map.groupBy(tools, ({ server }) => server);
  const servers = new Map<string, McpServer>();
  for (const [name, own] of byServer) {
    const scripted = own.map(
      (one): ScriptedTool => tool(one.name, one.description, one.inputSchema),
    );
    servers.set(name, await startMcpServer({ name, tools: scripted }));
  }
  return {
    tools,
    servers,
    async [Symbol.asyncDispose]() {
      for (const server of servers.values()) await server[Symbol.asyncDispose]();
    },
  };
}

type RealServers = Awaited<ReturnType<typeof startRealServers>>;

/** Runs a task of `count` calls, one after the other, or in one script. */
export async function runTask(real: RealServers, way: Way, count: number): Promise<TaskRun> {
  const planned = planCalls(real.tools, count);
  const before = new Map([...real.servers].map(([name, one]) => [name, one.calls().length]));
  const entries = [...real.servers].map(([name, server]) => httpEntry(name, server.url));
  const mcp = `mcp: {permissions: auto, exposure: ${way}}`;
  await using scene = await openScene({
    yaml: `${mcp}\nservers:\n${entries.join('\n')}`,
    steps: [...stepsOf(way, planned), { text: 'done' }],
    limits: { maxTurns: 100 },
  });
  const { exit } = await ask(scene);
  const effects = [...real.servers].flatMap(([name, server]) =>
    server
      .calls()
      .slice(before.get(name))
      .map((call) => `${name}/${call['name']} ${JSON.stringify(call['arguments'])}`),
  );
  return { exit, bodies: scene.requests.map(({ body }) => body), effects: effects.sort() };
}

function stepsOf(way: Way, planned: readonly PlannedCall[]): readonly ScriptStep[] {
  switch (way) {
    case 'direct':
      return planned.map(({ publicName, args }) => callStep([publicName, args]));
    case 'auto':
    case 'deferred':
      return planned.flatMap(({ publicName, args, query }) => [
        callStep(['tool_search', { query, limit: 3 }]),
        callStep([publicName, args]),
      ]);
    case 'codemode': {
      const lines = planned.map(
        ({ publicName, args }) =>
          `await tools[${JSON.stringify(publicName)}](${JSON.stringify(args)});`,
      );
      return [callStep(['codemode', { code: `${lines.join('\n')}\nreturn 'ok';` }])];
    }
  }
}

/** The first tools, spread over the servers, whose arguments can be made up. */
function planCalls(tools: readonly RealTool[], count: number): readonly PlannedCall[] {
  const names = assignNames(tools, 'server_tool');
  const step = Math.floor(tools.length / (2 * count));
  const planned: PlannedCall[] = [];
  for (let at = 0; planned.length < count && at < tools.length; at += Math.max(1, step)) {
    const one = tools[at];
    if (one === undefined) continue;
    const args = madeUp(one.inputSchema);
    const publicName = names.get(keyOf(one));
    const isUsable = checkArguments(one.inputSchema, args).length === 0;
    if (publicName === undefined || !isUsable) continue;
    const query = `${one.name} ${one.description.slice(0, 60)}`;
    planned.push({ server: one.server, name: one.name, publicName, query, args });
  }
  return planned;
}

function madeUp(schema: JsonObject): JsonObject {
  const { required, properties } = schema;
  if (!Array.isArray(required) || !isJsonObject(properties)) return {};
  return Object.fromEntries(
    required.map((name) => [String(name), valueFor(properties[String(name)])]),
  );
}

function valueFor(schema: JsonValue | undefined): JsonValue {
  if (!isJsonObject(schema)) return 'x';
  const { type } = schema;
  const choices = schema['enum'];
  if (Array.isArray(choices)) return choices[0] ?? null;
  switch (Array.isArray(type) ? type[0] : type) {
    case 'number':
    case 'integer':
      return 1;
    case 'boolean':
      return true;
    case 'array':
      return [];
    case 'object':
      return madeUp(schema);
    default:
      return 'x';
  }
}
