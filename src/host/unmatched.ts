/** Permission that was written for a tool its server does not have: a mistyped deny would protect nothing. Pure. */
import type { CallRule } from '../base/call-rules.ts';
import { isGlob } from '../base/glob.ts';
import { nearestMatches } from '../base/text.ts';
import type { ServerConfig } from '../config/types.ts';
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
