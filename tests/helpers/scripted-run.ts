/** One `--prompt` run of the binary against a scripted model, with what the model was sent. */
import { type LoggedRequest, startModelServer } from '../fixtures/models/server.ts';
import type { ModelFormat, Script, ScriptStep } from '../fixtures/models/types.ts';
import { runUsher, type UsherOptions, type UsherOutcome } from './usher.ts';

export interface ScriptedRun extends Omit<UsherOptions, 'config'> {
  readonly servers?: readonly object[];
  readonly steps: Script | readonly ScriptStep[];
  /** Default `go`. */
  readonly prompt?: string;
  /** Replaces `--prompt go`. */
  readonly args?: readonly string[];
  /** Further flags. */
  readonly flags?: readonly string[];
  /** Default { permissions: auto }. */
  readonly mcp?: object;
  /** Further keys of the file's root. */
  readonly root?: object;
  /** Added to the `model:` block. */
  readonly model?: object;
  /** Default openai. */
  readonly format?: ModelFormat;
}

export interface ScriptedOutcome extends UsherOutcome {
  readonly requests: readonly LoggedRequest[];
}

const PROVIDERS = {
  openai: 'openai-compatible',
  responses: 'openai',
  anthropic: 'anthropic',
  google: 'google',
} as const;

export async function runScripted(run: ScriptedRun): Promise<ScriptedOutcome> {
  const format = run.format ?? 'openai';
  const model = await startModelServer({ format, script: run.steps });
  const base = {
    provider: PROVIDERS[format],
    name: 'scripted',
    baseUrl: model.baseUrl,
    apiKeyEnv: 'SCRIPTED_KEY',
  };
  try {
    const args = run.args ?? ['--prompt', run.prompt ?? 'go'];
    const outcome = await runUsher([...args, ...(run.flags ?? [])], {
      ...run,
      env: { SCRIPTED_KEY: 'key-of-the-scripted-model', ...run.env },
      config: {
        model: { ...base, ...run.model },
        mcp: run.mcp ?? { permissions: 'auto' },
        servers: run.servers ?? [],
        ...run.root,
      },
    });
    return { ...outcome, requests: [...model.requests] };
  } finally {
    await model.close();
  }
}

/** Steps: call tools, all in one reply; then answer with the results. */
export function callThenAnswer(
  ...calls: readonly (readonly [name: string, args: object])[]
): ScriptStep[] {
  const toolCalls = calls.map(([name, args]) => ({ name, arguments: JSON.stringify(args) }));
  return [{ toolCalls }, { text: '{{result}}' }];
}

/** Texts of all tool results in the last request, in order. */
export function toolTexts(requests: readonly LoggedRequest[]): string[] {
  const turns = requests.at(-1)?.seen.turns ?? [];
  return turns.flatMap((turn) => (turn.role === 'tool' ? turn.results.map((one) => one.text) : []));
}

/** Names of the tools the model was offered first. */
export function offeredTools(requests: readonly LoggedRequest[]): string[] {
  return (requests[0]?.seen.tools ?? []).map((tool) => tool.name);
}
