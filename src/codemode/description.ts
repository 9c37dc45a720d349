/** What a model reads of the tool that runs scripts, with as many declarations as the budget holds. */
import { SCRIPT_TOOL } from '../tools/registry.ts';
import type { RegisteredTool } from '../tools/types.ts';
import { declarationOf } from './declare.ts';
import { LIMITS } from './limits.ts';

/** Short, because some providers cut a tool's description at 1,024 characters. */
export const TOOL_DESCRIPTION =
  'Runs JavaScript in a sandbox that can do nothing but call tools. Use it for several calls at once, loops over results, and to keep large results out of the conversation: only what the script prints comes back. Each call inside needs the same permission as a call of its own.';

const API = `Plain JavaScript, the body of an async function: top-level await and return work. No code fence.

tools.NAME(args) gives Promise<CallToolResult> ({content, structuredContent, isError}), or the structured value where the declaration says so. A failed or denied call throws an Error with the tool's text (error.result has the whole). Await every call: what is not awaited is cancelled when the script ends. Use Promise.all for independent calls.
text(value) prints, return value prints as well, image(value) shows an image, the console's lines are added at the end, exit() ends early. store(key, value) and load(key) keep JSON values from one script to the next.
Find tools: await searchTools(query, {limit, namespace}), await describeTool(name) for the TypeScript declaration, await describeNamespace(server), ALL_TOOLS [{name, description}]. Look up a tool that you know no declaration of before you call it.
No timers, network, files, imports or Node API. A first line // @options: {"max_output_tokens": 10000, "timeout_ms": 300000} changes the limits.`;

/** What a model reads of the parameter. `clean` makes texts of servers harmless. The same tools give the same text. */
export function codeDescription(
  tools: readonly RegisteredTool[],
  clean: (text: string) => string,
): string {
  const lines = chooseDeclarations(tools, clean);
  if (lines.length === 0) return API;
  const count = tools.filter(isListed).length;
  const rest = count > lines.length ? `\n// … ${count - lines.length} more: searchTools()` : '';
  return `${API}\n\n${lines.join('\n')}${rest}`;
}

/** Only tools that are reached by scripts alone: others have declarations of their own, or are found by search. */
function isListed({ exposure, publicName }: RegisteredTool): boolean {
  return exposure === 'codemode' && publicName !== SCRIPT_TOOL;
}

/** Servers in turn, the cheapest declaration of each first, until the budget is used up. */
function chooseDeclarations(
  tools: readonly RegisteredTool[],
  clean: (text: string) => string,
): readonly string[] {
  const byServer = new Map<string, { readonly line: string; readonly name: string }[]>();
  for (const tool of tools.filter(isListed)) {
    const list = byServer.get(tool.server) ?? [];
    byServer.set(tool.server, list);
    list.push({ line: declarationOf(tool, clean), name: tool.publicName });
  }
  for (const list of byServer.values()) {
    list.sort((a, b) => a.line.length - b.line.length || (a.name < b.name ? -1 : 1));
  }
  const chosen: string[] = [];
  let room = LIMITS.declarationTokens * LIMITS.charactersPerToken;
  for (let turn = 0; ; turn += 1) {
    const offered = [...byServer.values()].flatMap((list) => list[turn] ?? []);
    if (offered.length === 0) return chosen;
    for (const { line } of offered) {
      if (line.length + 1 > room) continue;
      room -= line.length + 1;
      chosen.push(line);
    }
  }
}
