/**
 * A rule-based router in place of a model: takes `server/tool key=value …` literally, guesses only what
 * is safe and clear, and otherwise shows the lines to type. No language model, no network.
 */
import { type AppError, FailedError, PermissionError, ProviderError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import type { CallOrigin, RegisteredTool, RegistrySnapshot } from '../tools/types.ts';
import { describeCandidates } from './offline-candidates.ts';
import { readLiteral } from './offline-literal.ts';
import { type Rank, routePrompt } from './offline-route.ts';
import type { ModelMessage, ModelProvider, ModelReply } from './types.ts';

export interface OfflineOptions {
  /** The tools as of this turn. */
  readonly snapshot: () => RegistrySnapshot;
  /** What `tomorrow` is told from. */
  readonly date: () => Date;
  /** Gives what ranks tools. Default: by what they say of themselves. */
  readonly openRank?: (() => Promise<Rank>) | undefined;
  /** Why a server that was named has no tools; `undefined`: it has, or there is none of that name. */
  readonly problemOf?: ((server: string) => AppError | undefined) | undefined;
}

/**
 * The router as a model. `reply` throws ProviderError with the candidates when no tool fits clearly,
 * UsageError for a literal line that names no tool, FailedError, AuthError and PermissionError for what the
 * called tool's result says.
 */
export function createOfflineModel(options: OfflineOptions): ModelProvider {
  const { snapshot, date, openRank, problemOf } = options;
  let calls = 0;
  return {
    label: 'offline/router',
    maxTools: undefined,
    async reply(request, listener, signal) {
      signal.throwIfAborted();
      const last = request.messages.at(-1);
      if (last?.role === 'tool') {
        const text = toAnswer(last.results);
        listener.onText(text);
        return replyOf(text, []);
      }
      const prompt = last?.role === 'user' ? last.text : '';
      const { tool, args, origin } = choose(
        prompt,
        { snapshot: snapshot(), now: date(), problemOf },
        await openRank?.(),
      );
      calls += 1;
      const call = {
        id: `router_${calls}`,
        name: tool.publicName,
        argumentsText: JSON.stringify(args),
      };
      return replyOf('', [call], origin);
    },
  };
}

interface Choice {
  readonly tool: RegisteredTool;
  readonly args: JsonObject;
  readonly origin: CallOrigin;
}

interface Scene {
  readonly snapshot: RegistrySnapshot;
  readonly now: Date;
  readonly problemOf: OfflineOptions['problemOf'];
}

function choose(prompt: string, scene: Scene, rank: Rank | undefined): Choice {
  const { snapshot, now } = scene;
  // What follows a blank line is context from a pipe, not part of what is asked.
  const [asked = ''] = prompt.trim().split(/\n\s*\n/, 1);
  const literal = literalIn(prompt, asked, scene);
  if (literal !== undefined) return { ...literal, origin: 'user' };
  // A person reads resources and prompts with commands of their own.
  const tools = snapshot.reachable.filter(({ source }) => source.ownNames !== true);
  const route = routePrompt(asked, tools, now, rank);
  if (route.kind === 'call') return { tool: route.tool, args: route.args, origin: 'router' };
  throw new ProviderError(describeCandidates(route.candidates, tools.length), {
    hint: 'set `model:` in the configuration to let a language model choose',
  });
}

/** A call of a server that is not there fails with the reason, not for want of the tool. */
function literalIn(prompt: string, asked: string, { snapshot, problemOf }: Scene) {
  const [, server] = /^([\w-]+)\/[\w.-]+(?:\s|$)/.exec(asked.trim()) ?? [];
  const problem = server === undefined ? undefined : problemOf?.(server);
  try {
    const literal = readLiteral(prompt, snapshot) ?? readLiteral(asked, snapshot);
    if (literal !== undefined || problem === undefined || /\s/.test(asked.trim())) return literal;
  } catch (error) {
    throw problem ?? error;
  }
  throw problem;
}

type ToolResults = Extract<ModelMessage, { role: 'tool' }>['results'];

/** The tool's text is the answer; a failure is the run's failure. */
function toAnswer(results: ToolResults): string {
  for (const { status, text, refused } of results) {
    if (refused !== undefined) throw refused;
    if (status === 'error') throw new FailedError(text);
    if (status === 'denied') throw new PermissionError(text);
  }
  return results.map((result) => result.text).join('\n');
}

function replyOf(
  text: string,
  toolCalls: ModelReply['toolCalls'],
  origin: CallOrigin = 'router',
): ModelReply {
  return {
    text,
    toolCalls,
    finish: toolCalls.length > 0 ? 'tool_calls' : 'stop',
    origin,
    usage: { inputTokens: 0, outputTokens: 0 },
    state: undefined,
  };
}
