/** Joins codemode to the house. Nothing of it is loaded before a script runs or its tool is declared. */
import { type AppError, UsageError } from '../base/errors.ts';
import { scrubSecrets } from '../base/redact.ts';
import type { Executor } from '../calls/execute.ts';
import { SCRIPTS_NAME } from '../codemode/names.ts';
import type { ScriptPorts } from '../codemode/ports.ts';
import type {
  ScriptInput,
  ScriptItem,
  ScriptOptions,
  ScriptOutcome,
  ScriptProblem,
} from '../codemode/types.ts';
import type { ServerConfig } from '../config/types.ts';
import { type ArtifactOptions, saveArtifact } from '../results/artifacts.ts';
import { keepBinary } from '../results/binary.ts';
import { sanitizeText } from '../results/sanitize.ts';
import { keyOf } from '../tools/naming.ts';
import { type Registry, SCRIPT_TOOL } from '../tools/registry.ts';
import type { Asking } from './asking.ts';
import { isPending } from './await-server.ts';
import type { HostDeps } from './create.ts';
import type { Sources } from './sources.ts';

/** The public name kept from the tools of servers. */
export const SCRIPT_NAMES: ReadonlyMap<string, string> = new Map([
  [SCRIPT_TOOL, keyOf({ server: SCRIPTS_NAME, name: SCRIPT_TOOL })],
]);

/** A script of a person. */
export interface ScriptRequest {
  readonly code: string;
  readonly given: ScriptInput;
  /** Called for each output as it comes; an image is its marker, `[image/png 12.3 KiB saved as PATH]`. */
  readonly onText: (text: string) => void;
  readonly onConsole: (line: string) => void;
  /** What came of it until it was aborted, told before the rejection. */
  readonly onAborted?: (report: ScriptReport) => void;
}

export interface ScriptReport extends Omit<ScriptOutcome, 'items'> {
  /** Texts and markers of images, in order. */
  readonly output: readonly string[];
}

export interface Scripts {
  /** What scripts of models have stored: JSON texts by key. Changes as they do. */
  readonly stored: ReadonlyMap<string, string>;
  /** Declares the tool where it is wanted, with the declarations of the tools there are now. */
  declare(): Promise<void>;
  /** Rejects with UsageError for options that cannot be read, or with the signal's reason. */
  run(request: ScriptRequest, signal: AbortSignal): Promise<ScriptReport>;
  /** What is wrong with a script, as far as it can be told before it runs. Rejects with the signal's reason. */
  check(code: string, signal: AbortSignal): Promise<readonly ScriptProblem[]>;
  close(): void;
}

export interface ScriptHouse {
  readonly deps: HostDeps;
  readonly registry: Registry;
  readonly sources: Sources;
  readonly executor: Pick<Executor, 'admit'>;
  readonly servers: readonly ServerConfig[];
  readonly artifacts: Omit<ArtifactOptions, 'server' | 'tool'>;
  /** `+codemode`: the tool is there whatever servers say. */
  readonly isWanted: boolean;
  readonly asking: Asking;
  readonly openRank: () => Promise<ScriptPorts['search']>;
  /** What scripts of the same session have stored before. */
  readonly stored: ReadonlyMap<string, string>;
}

export function createScripts(house: ScriptHouse): Scripts {
  const { registry } = house;
  const store = new Map(house.stored);
  let loaded: Promise<Loaded> | undefined;
  let declared: string | undefined;
  const load = () => {
    loaded ??= loadParts(house, store);
    return loaded;
  };
  return {
    stored: store,
    async declare() {
      const { reachable } = registry.snapshot();
      const isUsed = house.isWanted || reachable.some(({ exposure }) => exposure === 'codemode');
      if (!isUsed) return;
      const { tool, source } = await load();
      const definition = tool.scriptDefinition(reachable, cleanText);
      const text = JSON.stringify(definition.raw);
      if (text === declared) return;
      declared = text;
      const rules = { tools: undefined, exposure: 'model-only', binary: 'drop' } as const;
      registry.setSource(SCRIPTS_NAME, source, [definition], rules);
    },
    async run(request, signal) {
      const { api, ports, readScriptOptions } = await load();
      refuseBudget(readScriptOptions(request.code));
      return runForPerson(api.runScript, { ...ports, store: new Map() }, house, request, signal);
    },
    async check(code, signal) {
      const { api, ports, readScriptOptions } = await load();
      const { checkCalls } = await import('../codemode/check.ts');
      const problem =
        usageProblem(() => refuseBudget(readScriptOptions(code))) ??
        (await api.checkScript(ports, code, signal));
      if (problem !== undefined) return [{ message: problem }];
      return checkCalls(code, registry.snapshot(), ports.servers());
    },
    close() {
      loaded?.then(
        ({ ports }) => ports.bridge.close(),
        () => undefined,
      );
    },
  };
}

/** Nothing is cut for a person, and to ignore what was asked for would be worse. Throws UsageError. */
function refuseBudget({ maxOutputTokens }: ScriptOptions): void {
  if (maxOutputTokens === undefined) return;
  throw new UsageError(
    'line 1: @options max_output_tokens is for scripts of a model; usher run prints everything',
    { hint: 'leave it out' },
  );
}

/** The message of the UsageError that `work` throws; `undefined` when it does not. */
function usageProblem(work: () => void): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
}

type Loaded = Awaited<ReturnType<typeof loadParts>>;

async function loadParts(house: ScriptHouse, store: Map<string, string>) {
  const [api, tool, { createBridge }, { readScriptOptions }, rank] = await Promise.all([
    import('../codemode/api.ts'),
    import('../codemode/tool.ts'),
    import('../codemode/bridge.ts'),
    import('../codemode/options.ts'),
    house.openRank(),
  ]);
  const { registry, sources, executor, deps, asking } = house;
  const ports: ScriptPorts = {
    clock: deps.clock,
    bridge: createBridge(deps.clock),
    executor,
    snapshot: () => registry.snapshot(),
    servers: () => scriptServers(house),
    pending: () =>
      sources
        .status()
        .filter(isPending)
        .map(({ name }) => name),
    awaitServer: (server, signal) => sources.awaitServer(server, signal),
    search: rank,
    clean: cleanText,
    store,
    onAsking: asking.onAsking,
    origin: 'model',
  };
  const place = { ...house.artifacts, server: 'codemode', tool: 'output' };
  const source = tool.createScriptSource(ports, async (text) => {
    const saved = await saveArtifact(text, 'txt', place);
    return saved.kind === 'saved' ? { path: saved.path } : { reason: saved.reason };
  });
  return { api, tool, ports, source, readScriptOptions };
}

function scriptServers({ sources, servers }: ScriptHouse): ReturnType<ScriptPorts['servers']> {
  const told = new Map(sources.instructions().map(({ server, text }) => [server, text]));
  const configs = new Map(servers.map((server) => [server.name, server]));
  return sources.status().flatMap((status) => {
    const config = configs.get(status.name);
    if (config?.exposure === 'hidden') return [];
    const { error } = status;
    return [
      {
        name: status.name,
        description: config?.description,
        instructions: told.get(status.name),
        problem: error === undefined ? undefined : cleanText(problemText(error)),
      },
    ];
  });
}

/** With the next step: a script has nobody else to tell it. */
function problemText({ message, hint }: AppError): string {
  return hint === undefined ? message : `${message}; ${hint}`;
}

async function runForPerson(
  runScript: typeof import('../codemode/api.ts').runScript,
  ports: ScriptPorts,
  house: ScriptHouse,
  request: ScriptRequest,
  signal: AbortSignal,
): Promise<ScriptReport> {
  const output: string[] = [];
  const place = { ...house.artifacts, server: 'run', tool: 'image' };
  const tell = (text: string) => {
    output.push(text);
    request.onText(text);
  };
  // One after the other: an image is saved before what follows it is told.
  let told: Promise<void> = Promise.resolve();
  let isBehind = false;
  const show = async (item: ScriptItem) => {
    if (item.kind === 'text') tell(item.text);
    else tell((await keepBinary('image', item.data, item.mimeType, place)).text);
  };
  const onOutput = (items: readonly ScriptItem[], lines: readonly string[]) => {
    for (const line of lines) request.onConsole(line);
    for (const item of items) {
      if (item.kind === 'text' && !isBehind) {
        tell(item.text);
        continue;
      }
      isBehind = true;
      told = told.then(() => show(item));
    }
  };
  let aborted: ScriptOutcome | undefined;
  const onAborted = (outcome: ScriptOutcome) => {
    aborted = outcome;
  };
  const script = { code: request.code, id: 'run', given: request.given, onOutput, onAborted };
  const reportOf = ({ items: _, ...outcome }: ScriptOutcome): ScriptReport => ({
    ...outcome,
    output,
  });
  try {
    const outcome = await runScript(ports, script, signal);
    await told;
    return reportOf(outcome);
  } finally {
    await told;
    if (aborted !== undefined) request.onAborted?.(reportOf(aborted));
  }
}

function cleanText(text: string): string {
  return scrubSecrets(sanitizeText(text));
}
