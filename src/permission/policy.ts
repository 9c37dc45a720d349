/** What the user said about permission, gathered from config and flags. Data only; `engine.ts` decides. */
import type { CallRule } from '../base/call-rules.ts';
import { UsageError } from '../base/errors.ts';
import type { Config, McpConfig, PermissionMode, ServerConfig } from '../config/types.ts';

export interface ServerPolicy {
  /** `undefined`: nothing configured for this server. */
  readonly mode: PermissionMode | undefined;
  /** By original tool name or glob. */
  readonly tools: Readonly<Record<string, 'ask' | 'auto' | 'deny'>>;
  readonly trustsAnnotations: boolean;
  readonly isBuiltin: boolean;
}

export interface PermissionPolicy {
  readonly servers: ReadonlyMap<string, ServerPolicy>;
  /** `mcp.permissions`. */
  readonly mode: PermissionMode;
  /** `--permissions`: replaces every mode, not deny rules. */
  readonly flag: PermissionMode | undefined;
  /** `--yes` patterns. */
  readonly yes: readonly string[];
  /** `rules:`. Default none. */
  readonly rules?: readonly CallRule[];
  /** `NAME.permissions` and `NAME.toolPermissions.PATTERN` → `config.yaml:12`. Default none known. */
  readonly places?: ReadonlyMap<string, string> | undefined;
}

/** The policy of a run. Throws UsageError for a `--yes` pattern that means every tool. */
export function createPolicy(
  servers: readonly ServerConfig[],
  mcp: Pick<McpConfig, 'permissions'>,
  flags: { readonly permissions: PermissionMode | undefined; readonly yes: readonly string[] },
  { rules, permissionPlaces }: Pick<Config, 'rules' | 'permissionPlaces'> = {},
): PermissionPolicy {
  flags.yes.forEach(rejectWildcard);
  return {
    servers: new Map(
      servers.map((server) => [
        server.name,
        {
          mode: server.permissions,
          tools: server.toolPermissions,
          trustsAnnotations: server.trustAnnotations,
          isBuiltin: server.endpoint.kind === 'builtin',
        },
      ]),
    ),
    mode: mcp.permissions,
    flag: flags.permissions,
    yes: flags.yes,
    rules: rules ?? [],
    places: permissionPlaces,
  };
}

/** True for a pattern without any literal letter or digit, such as `*` or `*` + `/*`. */
export function isBareWildcard(pattern: string): boolean {
  return !/[\p{L}\p{N}]/u.test(pattern);
}

function rejectWildcard(pattern: string): void {
  if (!isBareWildcard(pattern)) return;
  throw new UsageError(`--yes ${pattern}: names no tool`, {
    hint: 'name a tool or a server: --yes server/tool, --yes "server/*"; --permissions auto asks nothing at all',
  });
}
