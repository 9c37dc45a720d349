/** Permission that was written for a tool its server does not have: a mistyped deny would protect nothing. Pure. */
import type { CallRule } from '../base/call-rules.ts';
import { isGlob } from '../base/glob.ts';
import { nearestMatches } from '../base/text.ts';
import type { Config, ServerConfig } from '../config/types.ts';
import type { ServerStatus } from '../mcp/types.ts';
import { spellsTool } from '../permission/engine.ts';
import type { RegistrySnapshot } from '../tools/types.ts';
import type { StartReport } from './types.ts';

/** Reads of resources and prompts are judged under these names of every server. */
const READS = ['read_mcp_resource', 'get_mcp_prompt'];

/** One warning for each exact name that is none of its tools, with the nearest. A glob may mean tools to come. */
export function unmatchedPermissions(
  { name: server, toolPermissions }: Pick<ServerConfig, 'name' | 'toolPermissions'>,
  tools: readonly string[],
  rules: readonly CallRule[],
): StartReport['warnings'] {
  const known = [...tools, ...READS];
  const wanted = [
    ...Object.keys(toolPermissions).map((pattern) => ({ pattern, where: 'in toolPermissions' })),
    ...rules.flatMap((rule) =>
      rule.tools
        .filter((pattern) => pattern.startsWith(`${server}/`))
        .map((pattern) => ({
          pattern: pattern.slice(server.length + 1),
          where: `in the rule at ${rule.place}`,
        })),
    ),
  ];
  return wanted
    .filter(({ pattern }) => !isGlob(pattern) && !known.includes(pattern))
    .map(({ pattern, where }) => {
      const [nearest] = nearestMatches(pattern, tools, 1);
      return {
        message: `${server}: the server has no tool "${pattern}" (${where})`,
        hint:
          nearest === undefined
            ? `usher tools ${server} --all lists what it has`
            : `did you mean "${nearest}"?`,
      };
    });
}

interface YesOptions {
  readonly yes: readonly string[];
  readonly config: Pick<Config, 'servers' | 'skipped'> & {
    readonly pending?: readonly { readonly name: string }[];
  };
}

/**
 * One warning for each `--yes` name that means no tool of this run, with the nearest. Silent where a server that
 * it may mean is not ready, or is not part of the run. `own` are the names of tools of usher itself.
 */
export function unmatchedYes(
  { yes, config }: YesOptions,
  { tools, reachable, hidden }: Pick<RegistrySnapshot, 'tools' | 'reachable' | 'hidden'>,
  servers: readonly Pick<ServerStatus, 'name' | 'state'>[],
  own: readonly string[],
): StartReport['warnings'] {
  const { skipped, pending = [] } = config;
  const absent = [...config.servers, ...pending].map(({ name }) => name).concat(skipped);
  const all = [...new Set([...tools, ...reachable, ...hidden])];
  const names = new Map(
    all.flatMap(({ server, name, publicName }) => {
      const full = `${server}/${name}`;
      return [full, publicName, name].map((spelling) => [spelling, full] as const);
    }),
  );
  const isOpen = (entry: string) => {
    const [server = '', tool] = entry.split('/');
    if (tool === undefined) return servers.some(({ state }) => state !== 'ready');
    const known = servers.find(({ name }) => name === server);
    return known === undefined ? absent.includes(server) : known.state !== 'ready';
  };
  return yes
    .filter((entry) => !isGlob(entry) && !isOpen(entry))
    .filter((entry) => ![...READS, ...own].includes(entry.split('/').at(-1) ?? ''))
    .filter(
      (entry) =>
        !all.some(({ server, name, publicName }) =>
          spellsTool(entry, { server, tool: name, publicName }),
        ),
    )
    .map((entry) => {
      const [nearest] = nearestMatches(entry, [...names.keys()], 1);
      const meant = nearest === undefined ? undefined : names.get(nearest);
      return {
        message: `--yes ${entry}: no server of this run has such a tool`,
        hint: meant === undefined ? 'usher tools lists them' : `did you mean ${meant}?`,
      };
    });
}
