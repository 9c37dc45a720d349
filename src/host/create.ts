/**
 * Builds and joins all parts: the only place that does. Surfaces get a `Host`; what they provide
 * (someone to ask, a sink for events) comes in through `HostOptions`.
 */

import { runAgent } from '../agent/loop.ts';
import { createSystemPrompt } from '../agent/prompt.ts';
import { createRunRecord } from '../agent/record.ts';
import type { Clock } from '../base/clock.ts';
import type { Env } from '../base/env.ts';
import { toAppError, UsageError } from '../base/errors.ts';
import { readBoundedOrPipe } from '../base/files.ts';
import type { Fetch } from '../base/http.ts';
import type { Log } from '../base/log.ts';
import { stateDirectory } from '../base/paths.ts';
import { createQueue } from '../base/queue.ts';
import { scrubSecrets } from '../base/redact.ts';
import type { Resolve } from '../base/resolve.ts';
import { routeFetch } from '../base/route.ts';
import { killAll } from '../base/spawn.ts';
import { executeBatch } from '../calls/batch.ts';
import { createExecutor } from '../calls/execute.ts';
import type { ToolCall } from '../calls/types.ts';
import type { ModelConfig } from '../config/types.ts';
import { createModel, preloadModel } from '../model/registry.ts';
import type { ModelMessage, ModelProvider } from '../model/types.ts';
import { createQuestionQueue } from '../permission/ask.ts';
import { saveFileAtomically } from '../results/artifacts.ts';
import { createKeptResults } from '../results/kept.ts';
import { filesNamedBy, parseArguments } from '../tools/coerce.ts';
import { autoBudget } from '../tools/exposure.ts';
import { createRegistry } from '../tools/registry.ts';
import { checkArguments } from '../tools/validate.ts';
import { createAsking } from './asking.ts';
import { createAsks } from './asks.ts';
import { declareTools } from './declare.ts';
import { createFinding, loadCalled, SEARCH_NAMES } from './finding.ts';
import { declareReading, READING_NAMES, startPruning } from './kept.ts';
import { createNestedLog } from './nested-log.ts';
import { offerCall } from './offer-call.ts';
import { RESERVED_NAMES } from './offer-source.ts';
import { createPermissions } from './permissions.ts';
import { createRecall } from './recall.ts';
import { createScripts, SCRIPT_NAMES } from './scripts.ts';
import { scrubEvents } from './scrub-events.ts';
import { selectServers } from './select.ts';
import { createSources } from './sources.ts';
import { judgeStart } from './start.ts';
import type { Host, HostOptions } from './types.ts';
import { unmatchedYes } from './unmatched.ts';

export interface HostDeps {
  readonly env: Env;
  readonly clock: Clock;
  readonly log: Log;
  /** Default: Bun's fetch. */
  readonly fetch?: Fetch;
  /** Default: the system's resolver. */
  readonly resolve?: Resolve;
  /** Jitter; default Math.random. */
  readonly random?: () => number;
}

/**
 * A host that has started nothing yet. Throws UsageError for unknown `servers` names and for `yes`
 * patterns that mean every tool. The caller closes it.
 */
export function createHost(given: HostOptions, deps: HostDeps): Host {
  const events = scrubEvents(given.onEvent);
  const options = { ...given, onEvent: events.onEvent };
  const { config } = options;
  const servers = selectServers(config, options.servers);
  const random = deps.random ?? Math.random;
  const reserved = new Map([...RESERVED_NAMES, ...READING_NAMES, ...SCRIPT_NAMES, ...SEARCH_NAMES]);
  const registry = createRegistry({
    naming: config.mcp.naming,
    order: servers.map(({ name }) => name),
    patterns: {
      only: options.toolPatterns.only,
      without: [...options.toolPatterns.without, ...config.defaultTools.without],
    },
    reserved,
    autoTokens: autoBudget(config.model?.contextTokens),
  });
  const makeModel = (model: ModelConfig | undefined) =>
    createModel({
      model,
      env: deps.env,
      clock: deps.clock,
      random,
      fetch: routeFetch(deps.fetch ?? globalThis.fetch, {
        env: deps.env,
        allowPrivate: model?.allowPrivate,
        resolve: deps.resolve,
        now: () => deps.clock.now(),
      }),
      snapshot: () => registry.snapshot(),
      openRank: () => finding.openWords(),
      problemOf: (server) => sources.status().find(({ name }) => name === server)?.error,
    });
  const questions = createQueue();
  const asking = createAsking();
  const asks = createAsks(
    {
      talk: options.talk && asking.watchTalk(options.talk),
      elicit: options.elicit,
      serverLogLevel: options.serverLogLevel,
      queue: questions,
      openModel: async (maxTokens) =>
        config.model === undefined || config.model.provider === 'offline'
          ? undefined
          : makeModel({
              ...config.model,
              maxTokens: Math.min(maxTokens, config.model.maxTokens ?? maxTokens),
            }),
    },
    deps,
  );
  const sources = createSources(servers, registry, options, { ...deps, random }, asks);
  const { saving } = options;
  const kept = createKeptResults(saving?.kept);
  declareReading(registry, kept);
  const pruning = new AbortController();
  const artifacts = {
    artifacts: options.artifacts,
    stateDir: stateDirectory(deps.env),
    dir: config.artifacts?.dir,
  };
  const permissions = createPermissions(servers, options, deps);
  const executor = createExecutor({
    ...permissions.deps,
    askUser: options.askUser && createQuestionQueue(asking.watch(options.askUser), questions),
    render: {
      ...artifacts,
      saveFile: saveFileAtomically,
      onUnsaved: createUnsavedWarning(options),
      // Only a model reads on.
      get kept() {
        return isAsked ? kept : undefined;
      },
    },
    clock: deps.clock,
    beforeSend: saving?.beforeSend,
    onEvent: options.onEvent,
  });

  const finding = createFinding({
    deps,
    registry,
    sources,
    servers,
    search: config.search,
    onWarning: (message, hint) => options.onEvent({ type: 'warning', message, hint }),
  });
  const recall = createRecall(registry, saving?.history ?? []);
  const systemPrompt = createSystemPrompt(config.model?.system);
  const nested = createNestedLog(executor);
  const scripts = createScripts({
    deps,
    registry,
    sources,
    executor: nested.executor,
    servers,
    artifacts: { ...artifacts, saveFile: saveFileAtomically },
    isWanted: config.defaultTools.hasScripts === true,
    openRank: finding.openRank,
    stored: saving?.stored ?? new Map(),
    asking,
  });

  let model: ModelProvider | undefined;
  let isAsked = false;
  let history: readonly ModelMessage[] = saving?.history ?? [];
  const openModel = async (): Promise<ModelProvider> => {
    model ??= await makeModel(config.model);
    return model;
  };

  return {
    modelLabel: modelLabel(options),
    status: () => sources.status(),
    snapshot: () => registry.snapshot(),
    async start(signal) {
      const startedAt = deps.clock.now();
      if (options.preloadModel) {
        void preloadModel(config.model);
        startPruning(artifacts, config.artifacts?.retention, deps.clock, pruning.signal);
      }
      await sources.start(signal);
      if (options.usesKeptTools !== true) await scripts.declare();
      return judgeStart(servers, options.servers, {
        status: sources.status(),
        problems: config.warnings,
        warnings: [
          ...sources.takeWarnings(),
          ...unmatchedYes(options, registry.snapshot(), sources.status(), [...reserved.keys()]),
        ],
        readyMs: deps.clock.now() - startedAt,
      });
    },
    async prompt(text, signal) {
      isAsked = true;
      try {
        const outcome = await runAgent(
          {
            model: await openModel(),
            snapshot: async (turnSignal) => {
              await sources.refresh(turnSignal);
              await scripts.declare();
              finding.warnOfScripts();
              recall();
              return registry.snapshot();
            },
            declare: declareTools,
            executeCalls: (calls, snapshot, turnSignal) => {
              loadCalled(registry, calls, snapshot);
              return executeBatch(executor, calls.map(ownedBy(options)), snapshot, turnSignal);
            },
            system: () => systemPrompt(sources.instructions(), finding.indirect()),
            contextTokens: config.model?.contextTokens,
            limits: options.limits,
            emit: options.onEvent,
            onHistory:
              saving && ((messages) => saving.onHistory(messages, kept.list(), scripts.stored)),
          },
          history,
          text,
          signal,
        );
        history = outcome.history;
        const result = nested.addTo(outcome.result, options.limits);
        return { ...result, answer: scrubSecrets(result.answer) };
      } catch (error) {
        const failed = createRunRecord(options.limits).fail(toAppError(error));
        return nested.addTo(failed, options.limits);
      } finally {
        events.flush();
      }
    },
    call: (call, signal) => executor.execute(call, registry.snapshot(), signal),
    find: (query, limit, signal) => finding.find(query, limit, signal),
    offers: () => sources.offers.servers,
    async read(request, signal) {
      const { call, snapshot } = offerCall(sources.offers, request);
      return executor.execute(call, snapshot, signal);
    },
    runScript: (request, signal) => scripts.run(request, signal),
    checkScript: (code, signal) => scripts.check(code, signal),
    async parseArguments(tool, words) {
      const texts = new Map<string, string>();
      for (const path of filesNamedBy(words)) texts.set(path, await readText(path, deps.clock));
      const textOf = (path: string) => texts.get(path) ?? '';
      return parseArguments(words, tool.definition.inputSchema, textOf);
    },
    checkArguments: (tool, args) => checkArguments(tool.definition.inputSchema, args),
    permissions: () => permissions.report(registry.snapshot()),
    explain: permissions.explain,
    forgetGrants: (server, tool) => permissions.deps.grants.remove(server, tool),
    reconnect: (server, signal) => sources.reconnect(server, signal),
    signIn: (server, request, signal) => sources.signIn(server, request, signal),
    killNow: killAll,
    async close() {
      pruning.abort();
      scripts.close();
      await sources.close();
      asks.close();
    },
  };
}

/** Warns once for each reason why results could not be kept as files. */
function createUnsavedWarning({ onEvent }: HostOptions): (reason: string) => void {
  const told = new Set<string>();
  return (reason) => {
    if (told.has(reason)) return;
    told.add(reason);
    const message = `a tool's result could not be saved as a file: ${reason}`;
    onEvent({ type: 'warning', message, hint: '--artifacts off saves none' });
  };
}

/** A call that was piped in is the router's, whatever it looks like. */
function ownedBy({ promptIsTyped = true }: HostOptions): (call: ToolCall) => ToolCall {
  return (call) => (promptIsTyped || call.origin !== 'user' ? call : { ...call, origin: 'router' });
}

function modelLabel({ config }: HostOptions): string {
  const { model } = config;
  if (model === undefined || model.provider === 'offline') {
    return 'offline (rule-based router, no language model)';
  }
  return `${model.provider}/${model.name ?? ''}`;
}

/** Larger files are no arguments. */
const MAX_ARGUMENT_BYTES = 4 * 1024 * 1024;

/** A file, or a pipe such as `<(command)`. */
async function readText(path: string, clock: Clock): Promise<string> {
  try {
    return new TextDecoder().decode(await readBoundedOrPipe(path, MAX_ARGUMENT_BYTES, clock));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${path} cannot be read: ${reason}`, { cause: error });
  }
}
