/**
 * The whole host in one test: a config file from YAML text, a scripted model over real HTTP, a place of its
 * own for HOME and working directory, and everything that was noticed on the way.
 */
import { join, resolve } from 'node:path';
import type { ToolCallRecord } from '../../src/agent/types.ts';
import type { Clock } from '../../src/base/clock.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { Config } from '../../src/config/types.ts';
import { createHost } from '../../src/host/create.ts';
import type { Host, HostEvent, HostOptions, StartReport } from '../../src/host/types.ts';
import type { Answer, AskUser, Question } from '../../src/permission/types.ts';
import { type LoggedRequest, startModelServer } from '../fixtures/models/server.ts';
import type { ModelFormat, Script, ScriptStep } from '../fixtures/models/types.ts';
import type { StdioScript } from '../fixtures/servers/stdio.ts';
import { newFolder } from '../helpers/places.ts';

export interface SceneOptions
  extends Partial<Omit<HostOptions, 'config' | 'cwd' | 'onEvent' | 'preloadModel' | 'limits'>> {
  /** HOME, and where the config file stands. Default: a new folder. */
  readonly home?: string;
  /** The config file without its `model:` block. */
  readonly yaml: string;
  readonly steps?: Script | readonly ScriptStep[];
  /** Default openai. */
  readonly format?: ModelFormat;
  /** Beside PATH and HOME. */
  readonly env?: Readonly<Record<string, string>>;
  readonly limits?: Partial<HostOptions['limits']>;
  readonly clock?: Clock;
  /** Sees each event right after it was noted. */
  readonly onEvent?: (event: HostEvent) => void;
}

export interface Scene extends AsyncDisposable {
  readonly host: Host;
  readonly config: Config;
  readonly report: StartReport;
  /** What the model was sent, oldest first. */
  readonly requests: readonly LoggedRequest[];
  readonly events: readonly HostEvent[];
  readonly home: string;
  readonly cwd: string;
}

const PROVIDERS = {
  openai: 'openai-compatible',
  responses: 'openai',
  anthropic: 'anthropic',
  google: 'google',
} as const;
const LIMITS = { maxTurns: 20, maxTokens: undefined, onDenied: 'fail' } as const;
const MODEL_KEY = 'key-of-the-scripted-model';

/** Loads the config and starts the host. Closing the scene closes host and model. */
export async function openScene(options: SceneOptions): Promise<Scene> {
  const format = options.format ?? 'openai';
  const model = await startModelServer({ format, script: options.steps ?? [] });
  const home = options.home ?? newFolder();
  const cwd = newFolder();
  const env = {
    PATH: String(Bun.env['PATH']),
    HOME: home,
    SCRIPTED_KEY: MODEL_KEY,
    ...options.env,
  };
  const block = [
    'model:',
    `  provider: ${PROVIDERS[format]}`,
    '  name: scripted',
    `  baseUrl: ${model.baseUrl}`,
    '  apiKeyEnv: SCRIPTED_KEY',
  ];
  const configFlag = join(home, 'config.yaml');
  await Bun.write(configFlag, `${block.join('\n')}\n${options.yaml}\n`);
  const config = await loadConfig({ configFlag, env, cwd });
  const events: HostEvent[] = [];
  const host = createHost(
    {
      askUser: undefined,
      servers: undefined,
      toolPatterns: { only: undefined, without: [] },
      permissions: undefined,
      yes: [],
      artifacts: 'on',
      patienceMs: undefined,
      ...options,
      config,
      cwd,
      limits: { ...LIMITS, ...options.limits },
      preloadModel: false,
      onEvent(event) {
        events.push(event);
        options.onEvent?.(event);
      },
    },
    { env, clock: options.clock ?? systemClock, log: silentLog, random: () => 0 },
  );
  const close = async () => {
    await host.close();
    await model.close();
  };
  const report = await host.start(new AbortController().signal);
  const { requests } = model;
  return { host, config, report, requests, events, home, cwd, [Symbol.asyncDispose]: close };
}

/** Runs a prompt that nobody interrupts. */
export function ask(scene: Scene, text = 'go'): ReturnType<Host['prompt']> {
  return scene.host.prompt(text, new AbortController().signal);
}

/** Steps: all calls in one reply; then the results as the answer. */
export function callThenAnswer(
  ...calls: readonly (readonly [name: string, args: object])[]
): ScriptStep[] {
  return [callStep(...calls), { text: '{{result}}' }];
}

export function callStep(...calls: readonly (readonly [name: string, args: object])[]): ScriptStep {
  return { toolCalls: calls.map(([name, args]) => ({ name, arguments: JSON.stringify(args) })) };
}

/** Names the model was offered in a request; the last one when not said. */
export function offered(scene: Scene, request = -1): readonly string[] {
  return (scene.requests.at(request)?.seen.tools ?? []).map(({ name }) => name);
}

/** Texts of all tool results in the last request, in order. */
export function resultTexts(scene: Scene): readonly string[] {
  const turns = scene.requests.at(-1)?.seen.turns ?? [];
  return turns.flatMap((turn) =>
    turn.role === 'tool' ? turn.results.map(({ text }) => text) : [],
  );
}

/** `server/tool outcome` of each call, in order. */
export function outcomes(result: { readonly toolCalls: readonly ToolCallRecord[] }): string[] {
  return result.toolCalls.map(({ server, tool, outcome }) => `${server ?? '?'}/${tool} ${outcome}`);
}

/** State of each server by name. */
export function states(report: Pick<StartReport, 'servers'>): Readonly<Record<string, string>> {
  return Object.fromEntries(report.servers.map(({ name, state }) => [name, state]));
}

/** A person who gives these answers in turn, then none, and remembers the questions. */
export function personWho(
  ...answers: readonly Answer['kind'][]
): AskUser & { readonly questions: readonly Question[] } {
  const questions: Question[] = [];
  return {
    questions,
    async ask(question) {
      const kind = answers[questions.length] ?? 'nobody';
      questions.push(question);
      return kind === 'deny' || kind === 'nobody' ? { kind, reason: `said ${kind}` } : { kind };
    },
  };
}

/** A clock on which waits of 250 ms to 1 s, those between attempts, last a hundredth. */
export const hurriedClock: Clock = {
  ...systemClock,
  after(delayMs, action) {
    const isBetweenAttempts = delayMs >= 250 && delayMs <= 1000;
    return systemClock.after(isBetweenAttempts ? delayMs / 100 : delayMs, action);
  },
};

/** YAML of a server entry over HTTP; `more` are further lines of flow style: `, permissions: auto`. */
export function httpEntry(name: string, url: string, more = ''): string {
  return `  - {name: ${name}, url: "${url}"${more}}`;
}

const stdioProgram = resolve(import.meta.dir, '../fixtures/servers/stdio.ts');

/** YAML of a server entry that runs the stdio fixture. */
export function stdioEntry(name: string, script: StdioScript = {}, more = ''): string {
  // `$` stands for a reference in a config; JSON may spell it as an escape.
  const argument = JSON.stringify(JSON.stringify(script).replaceAll('$', '\\u0024'));
  const command = JSON.stringify(process.execPath);
  return `  - {name: ${name}, command: ${command}, args: ["${stdioProgram}", ${argument}]${more}}`;
}
