/** Permission, joined: the policy, what a person allowed, the hooks, and how all of it is told. */
import { stateDirectory } from '../base/paths.ts';
import { spawnChild } from '../base/spawn.ts';
import { createGrants, type Grant } from '../calls/grants.ts';
import { createHookRunner } from '../calls/hook-process.ts';
import { createHooks } from '../calls/hooks.ts';
import type { PermitDeps } from '../calls/permit.ts';
import type { HookCommand, ServerConfig } from '../config/types.ts';
import { placedRule } from '../permission/engine.ts';
import { type Explanation, explainTool } from '../permission/explain.ts';
import { createPolicy } from '../permission/policy.ts';
import { openGrantStore } from '../permission/store.ts';
import type { RegisteredTool, RegistrySnapshot } from '../tools/types.ts';
import { serverEnv } from '../transport/stdio-env.ts';
import type { HostDeps } from './create.ts';
import type { HostOptions } from './types.ts';

/** How permission stands, for a person. */
export interface PermissionReport {
  /** `--permissions auto`, or `mcp.permissions: ask`. */
  readonly mode: string;
  /** Each with its place, in the order of the files. */
  readonly rules: readonly string[];
  /** `config.yaml:12 tool_call: my-gate --strict`. */
  readonly hooks: readonly string[];
  /** Of the tools that a model or its scripts reach, what a call would meet. */
  readonly tools: readonly Explanation[];
  readonly grants: readonly Grant[];
}

export interface Permissions {
  /** What the executor needs of it. */
  readonly deps: Pick<PermitDeps, 'policy' | 'grants' | 'hooks' | 'surface' | 'session'>;
  explain(tool: RegisteredTool): Explanation;
  report(snapshot: RegistrySnapshot): PermissionReport;
}

/** Throws UsageError for `yes` patterns that mean every tool. */
export function createPermissions(
  servers: readonly ServerConfig[],
  options: HostOptions,
  { env, clock, log }: HostDeps,
): Permissions {
  const { config } = options;
  const policy = createPolicy(servers, config.mcp, options, config);
  const stateDir = stateDirectory(env);
  const store = stateDir === undefined ? undefined : openGrantStore(stateDir, log.warn);
  const grants = createGrants(clock, store);
  const run = createHookRunner({
    spawn: spawnChild,
    clock,
    env: serverEnv(env, {}, []),
    cwd: options.cwd,
  });
  const explain = (tool: RegisteredTool): Explanation =>
    explainTool(
      {
        server: tool.server,
        tool: tool.name,
        publicName: tool.publicName,
        annotations: tool.definition.annotations,
      },
      policy,
      tool.source.isFree === true ? () => 'free' : (scope) => grants.find(tool, scope),
    );
  return {
    deps: {
      policy,
      grants,
      hooks: createHooks(config.hooks, run),
      surface: options.surface ?? 'embedded',
      session: options.saving?.id,
    },
    explain,
    report: ({ tools, reachable, hidden }) => ({
      mode:
        policy.flag === undefined
          ? `mcp.permissions: ${policy.mode}`
          : `--permissions ${policy.flag}`,
      rules: (policy.rules ?? []).map(placedRule),
      hooks: [
        ...(config.hooks?.toolCall ?? []).map((hook) => showHook('tool_call', hook)),
        ...(config.hooks?.toolResult ?? []).map((hook) => showHook('tool_result', hook)),
      ],
      tools: [...new Set([...reachable, ...tools])].map(explain),
      grants: grants.list([...tools, ...reachable, ...hidden]),
    }),
  };
}

function showHook(kind: string, { command, args, place }: HookCommand): string {
  return `${place} ${kind}: ${[command, ...args].join(' ')}`;
}
