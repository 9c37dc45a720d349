/** `usher tools`: what is offered to the model, and why the rest is not. */
import { EXIT, type ExitCode } from '../../base/exit.ts';
import type { Log } from '../../base/log.ts';
import { offeredTools } from '../../base/offered.ts';
import type { Host } from '../../host/types.ts';
import type { ServerStatus } from '../../mcp/types.ts';
import type { Explanation } from '../../permission/explain.ts';
import type { HiddenReason, RegisteredTool, RegistrySnapshot } from '../../tools/types.ts';
import { firstLine, twoColumns } from '../columns.ts';
import type { Context } from '../context.ts';
import { findServer } from '../target.ts';
import { withTools } from '../tool-house.ts';
import { oneWord } from '../words.ts';

type Explain = (tool: RegisteredTool) => Explanation;

/** Lists the tools. 4 when every server is down, or one with `--strict`. */
export async function runTools(context: Context, words: readonly string[]): Promise<ExitCode> {
  const { options, output, log } = context;
  const word = oneWord(words, 'tools');
  const target = await findServer(context, word);
  return withTools(context, target, 'tools', async (host, report) => {
    const whole = host.snapshot();
    const snapshot = word === undefined ? whole : ofServers(whole, report.servers);
    const explain = options.why ? host.explain : undefined;
    if (options.output === 'json') output.json(toolsDocument(snapshot, options.all, explain));
    else
      output.text(
        explain === undefined ? toolsText(snapshot, output.columns()) : whyText(snapshot, explain),
      );
    if (options.why) tellHooks(host, log);
    if (offeredTools(snapshot).length === 0) log.info('no tool is offered to the model');
    return EXIT.ok;
  });
}

/** Without the tools that stand for no server. */
function ofServers(snapshot: RegistrySnapshot, servers: readonly ServerStatus[]): RegistrySnapshot {
  const isOurs = (tool: RegisteredTool) => servers.some(({ name }) => name === tool.server);
  const { tools, reachable, hidden } = snapshot;
  return {
    ...snapshot,
    tools: tools.filter(isOurs),
    reachable: reachable.filter(isOurs),
    hidden: hidden.filter(isOurs),
  };
}

/** The list items verbatim, with server, name and publicName; with `explain` what a model's call meets. */
export function toolsDocument(snapshot: RegistrySnapshot, all: boolean, explain?: Explain) {
  const shown = ({ server, name, publicName, definition }: RegisteredTool) => ({
    ...definition.raw,
    server,
    name,
    publicName,
  });
  const exposed = offeredTools(snapshot).map((tool) => ({
    ...shown(tool),
    ...(tool.exposure === 'direct' ? {} : { exposure: tool.exposure }),
    ...(all ? { exposed: true } : {}),
    ...(explain === undefined ? {} : { permission: permissionOf(explain(tool)) }),
  }));
  const hidden = snapshot.hidden.map((tool) => ({
    ...shown(tool),
    exposed: false,
    reason: reasonText(tool.hidden),
  }));
  return { tools: all ? [...exposed, ...hidden] : exposed };
}

/** One line per tool: its full name, then the beginning of its description or why it is hidden. */
function toolsText(snapshot: RegistrySnapshot, columns: number | undefined): string {
  const rows = [
    ...offeredTools(snapshot).map((tool) => [fullName(tool), aboutOf(tool)] as const),
    ...snapshot.hidden.map(
      (tool) => [fullName(tool), `(hidden: ${reasonText(tool.hidden)})`] as const,
    ),
  ];
  return twoColumns(rows, columns);
}

/** Two columns: the tool, then what a model's call meets and what says so; what holds for some arguments below. */
function whyText(snapshot: RegistrySnapshot, explain: Explain): string {
  const reached = [...new Set([...snapshot.tools, ...snapshot.reachable])];
  const rows = reached.flatMap((tool) => {
    const { effect, why, sometimes } = explain(tool);
    return [
      [fullName(tool), `${effect.padEnd(5)}  ${why}`] as const,
      ...sometimes.map((rule) => ['', `${rule.effect.padEnd(5)}  ${rule.why}`] as const),
    ];
  });
  const hidden = snapshot.hidden.map(
    (tool) => [fullName(tool), `hidden  ${reasonText(tool.hidden)}`] as const,
  );
  return twoColumns([...rows, ...hidden]);
}

function permissionOf({ effect, why, sometimes }: Explanation) {
  return { effect, why, sometimes };
}

function tellHooks(host: Host, log: Log): void {
  const asked = host.permissions().hooks.filter((hook) => hook.includes(' tool_call: '));
  for (const hook of asked) log.info(`asked about each call as well: ${hook}`);
}

function aboutOf({ exposure, definition }: RegisteredTool): string {
  const about = firstLine(definition.description);
  return exposure === 'deferred' || exposure === 'codemode' ? `(${exposure}) ${about}` : about;
}

function fullName({ server, name }: RegisteredTool): string {
  return `${server}/${name}`;
}

function reasonText(reason: HiddenReason | undefined): string {
  switch (reason?.kind) {
    case undefined:
      return '';
    case 'not_listed':
      return 'not in tools: of its server';
    case 'excluded':
      return `excluded by ${reason.pattern}`;
    case 'binary':
      return `needs binary data at ${reason.schemaPath}; binary: keep offers it`;
    case 'exposure':
      return 'exposure: hidden';
    case 'flag':
      return 'left out by --tool, --no-tool or defaultTools';
    case 'tokens':
      return `about ${reason.tokens} tokens, maxToolTokens is ${reason.maxTokens}`;
    case 'locked':
      return `withheld: ${reason.change === 'new' ? 'not in usher.lock' : 'changed since usher.lock'}`;
    case 'malformed':
      return `cannot be used: ${reason.problem}`;
  }
}
