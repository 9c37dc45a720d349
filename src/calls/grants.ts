/**
 * What a person allowed, for the session or for good. Bound to the server's identity and the tool's
 * definition: a changed tool is asked for again. What was allowed at an ask rule's question holds for that
 * rule only, and ends when the rule changes.
 */
import { type Clock, systemClock } from '../base/clock.ts';
import { sha256Hex } from '../base/hash.ts';
import { stableStringify } from '../base/json.ts';
import type { GrantStore } from '../permission/store.ts';
import type { GrantKind } from '../permission/types.ts';
import type { RegisteredTool } from '../tools/types.ts';

export interface Grant {
  readonly server: string;
  readonly tool: string;
  readonly kind: GrantKind;
  /** The ask rules it was given for; '' = the tool, whatever its arguments. */
  readonly scope: string;
  /** False: the tool is another one by now, so it is asked for again. `undefined`: the tool is not there. */
  readonly holds: boolean | undefined;
}

export interface Grants {
  /** Returns how long it lasts: `session` where it could not be kept. */
  add(tool: RegisteredTool, scope: string, kind: GrantKind): GrantKind;
  find(tool: RegisteredTool, scope: string): GrantKind | undefined;
  /** True when an earlier form of the tool was allowed for good, and this one is not. */
  hasChanged(tool: RegisteredTool): boolean;
  /** `tools`: those there are, to tell which grants hold. */
  list(tools: readonly RegisteredTool[]): readonly Grant[];
  /** Takes back all grants of one tool. Returns how many. */
  remove(server: string, tool: string): number;
}

/** `store` undefined: nothing is kept beyond the session. */
export function createGrants(clock: Clock = systemClock, store?: GrantStore): Grants {
  const session = new Map<string, { server: string; tool: string; scope: string }>();
  return {
    add(tool, scope, kind) {
      const key = grantKey(tool, scope);
      const { server, name } = tool;
      const at = clock.date().toISOString();
      if (kind === 'always' && store?.add({ server, tool: name, key, scope, at }) === true) {
        return 'always';
      }
      session.set(key, { server, tool: name, scope });
      return 'session';
    },
    find(tool, scope) {
      const kept = store?.list().filter((one) => isOf(one, tool)) ?? [];
      // The key is a hash over the whole definition: not worth it for a tool that nobody ever allowed.
      if (kept.length === 0 && !isAnyOf(session.values(), tool)) return undefined;
      const key = grantKey(tool, scope);
      if (kept.some((one) => one.key === key)) return 'always';
      return session.has(key) ? 'session' : undefined;
    },
    hasChanged(tool) {
      const kept = store?.list().filter((one) => isOf(one, tool)) ?? [];
      return kept.length > 0 && kept.every((one) => one.key !== grantKey(tool, one.scope));
    },
    list(tools) {
      const kept = store?.list() ?? [];
      const keys = new Set(kept.map(({ key }) => key));
      const shown = (
        kind: GrantKind,
        key: string,
        { server, tool, scope }: { server: string; tool: string; scope: string },
      ): Grant => {
        const found = tools.find((one) => isOf({ server, tool }, one));
        const holds = found === undefined ? undefined : grantKey(found, scope) === key;
        return { server, tool, kind, scope, holds };
      };
      return [
        ...kept.map((one) => shown('always', one.key, one)),
        ...[...session]
          .filter(([key]) => !keys.has(key))
          .map(([key, one]) => shown('session', key, one)),
      ];
    },
    remove(server, tool) {
      const ours = [...session].filter(([, one]) => one.server === server && one.tool === tool);
      for (const [key] of ours) session.delete(key);
      const kept = store?.list().filter((one) => one.server === server && one.tool === tool) ?? [];
      const both = ours.filter(([key]) => kept.some((one) => one.key === key)).length;
      return ours.length - both + (store?.remove(server, tool) ?? 0);
    },
  };
}

function isAnyOf(
  grants: Iterable<{ readonly server: string; readonly tool: string }>,
  tool: RegisteredTool,
): boolean {
  for (const one of grants) if (isOf(one, tool)) return true;
  return false;
}

function isOf(one: { readonly server: string; readonly tool: string }, tool: RegisteredTool) {
  return one.server === tool.server && one.tool === tool.name;
}

function grantKey({ source, server, name, definition }: RegisteredTool, scope: string): string {
  const { description, inputSchema, outputSchema, annotations } = definition;
  return sha256Hex(
    stableStringify([
      server,
      source.identity,
      name,
      scope,
      description ?? null,
      inputSchema,
      outputSchema ?? null,
      { ...annotations },
    ]),
  );
}
