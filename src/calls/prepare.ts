/** The steps before anything is sent: resolve, reachability, arguments. Pure. */
import { isDeeperThan, MAX_JSON_DEPTH } from '../base/depth.ts';
import type { JsonObject } from '../base/json.ts';
import { shorten } from '../base/text.ts';
import { sanitizeLabel, sanitizeText } from '../results/sanitize.ts';
import type { CallOrigin, HiddenReason, RegisteredTool, RegistrySnapshot } from '../tools/types.ts';
import { checkArguments } from '../tools/validate.ts';
import type { CallOutcome, ToolCall } from './types.ts';

const MAX_SHOWN = 200;
const MAX_SCHEMA = 8000;

export type Prepared =
  | { readonly kind: 'ready'; readonly tool: RegisteredTool; readonly arguments: JsonObject }
  | Extract<CallOutcome, { kind: 'invalid' }>;

/** The tool and its arguments, or why nothing can be sent, in words that help to mend the call. */
export function prepareCall(call: ToolCall, snapshot: RegistrySnapshot): Prepared {
  const resolution = snapshot.resolve(call.name);
  const name = sanitizeLabel(call.name, MAX_SHOWN);
  switch (resolution.kind) {
    case 'unknown': {
      const { nearest } = resolution;
      const hint = nearest.length === 0 ? '' : ` Did you mean ${nearest.join(' or ')}?`;
      return invalid(`There is no tool "${name}".${hint}`);
    }
    case 'ambiguous':
      return invalid(
        `"${name}" fits several tools: ${resolution.candidates.join(', ')}. Name one.`,
      );
    case 'gone':
      // Tools of our own have no server that a model could know of.
      return invalid(
        resolution.server.startsWith('@')
          ? `${sanitizeLabel(resolution.name, MAX_SHOWN)} is not offered in this run.`
          : `${resolution.server}/${resolution.name} is no longer offered by its server.`,
      );
    case 'found':
      return prepareFound(call, resolution.tool, name, snapshot);
  }
}

function prepareFound(
  call: ToolCall,
  tool: RegisteredTool,
  name: string,
  snapshot: RegistrySnapshot,
): Prepared {
  const { hidden } = tool;
  if (hidden !== undefined && !isReachable(hidden, call.origin)) {
    const text = call.origin === 'user' ? hiddenText(tool, hidden) : `There is no tool "${name}".`;
    return invalid(text, tool);
  }
  const given = argumentsOf(call);
  if (typeof given === 'string') {
    const shown = JSON.stringify(shorten(given, MAX_SHOWN));
    return invalid(
      `The arguments of ${tool.publicName} must be one JSON object, got ${shown}.${schemaText(tool, snapshot)}`,
      tool,
    );
  }
  if (isDeeperThan(given)) {
    return invalid(
      `The arguments of ${tool.publicName} nest deeper than ${MAX_JSON_DEPTH} levels.`,
      tool,
    );
  }
  // A person's call sends what it is given.
  const problems = call.origin === 'user' ? [] : checkArguments(tool.definition.inputSchema, given);
  if (problems.length === 0)
    return aimed(call, { kind: 'ready', tool, arguments: given }, snapshot);
  const lines = problems.map((problem) => `- ${problem}`).join('\n');
  return invalid(
    `The arguments do not fit the schema of ${tool.publicName}; nothing was sent:\n${lines}${schemaText(tool, snapshot)}`,
    tool,
  );
}

/** The schema of a tool that was not declared, so that the next call can fit. */
function schemaText(tool: RegisteredTool, { tools }: RegistrySnapshot): string {
  if (tools.some(({ publicName }) => publicName === tool.publicName)) return '';
  const schema = sanitizeText(JSON.stringify(tool.definition.inputSchema));
  return `\nIts schema: ${shorten(schema, MAX_SCHEMA)}`;
}

/** The call itself, or the one that its tool stands for; that one stands for no other. */
function aimed(
  call: ToolCall,
  ready: Extract<Prepared, { kind: 'ready' }>,
  snapshot: RegistrySnapshot,
): Prepared {
  const { tool } = ready;
  const aim = tool.source.aim?.(tool.name, ready.arguments);
  switch (aim?.kind) {
    case undefined:
      return ready;
    case 'tool':
      return { kind: 'ready', tool: aim.tool, arguments: aim.arguments };
    case 'invalid':
      return invalid(aim.text, tool);
    case 'call': {
      const target = snapshot.resolve(aim.name);
      const isAnother = target.kind === 'found' && target.tool.source.aim !== undefined;
      if (isAnother) return invalid(`${tool.publicName} calls tools of servers only.`, tool);
      const { name, arguments: given } = aim;
      return prepareCall(
        { ...call, name, arguments: given, invalidArguments: undefined },
        snapshot,
      );
    }
  }
}

const OVERRULED: ReadonlySet<HiddenReason['kind']> = new Set(['binary', 'exposure', 'tokens']);

/** Only what the user did not rule out by a list or a flag can be called by a person all the same. */
function isReachable(hidden: HiddenReason, origin: CallOrigin): boolean {
  return origin === 'user' && OVERRULED.has(hidden.kind);
}

function hiddenText(tool: RegisteredTool, hidden: HiddenReason): string {
  const path = `${tool.server}/${tool.name}`;
  switch (hidden.kind) {
    case 'not_listed':
      return `${path} is not exposed by your config (tools:). Add ${JSON.stringify(tool.name)} to tools: of server ${tool.server}.`;
    case 'excluded':
      return `${path} is not exposed by your config (tools:). Take ${JSON.stringify(hidden.pattern)} out of tools: of server ${tool.server}.`;
    case 'flag':
      return `${path} is left out by --tool, --no-tool or defaultTools.`;
    case 'locked':
      return `${path} is withheld: it is ${reasonOfLock(hidden.change)}. usher mcp approve --diff ${tool.server} shows and accepts it.`;
    case 'malformed':
      return `${path} cannot be used: ${hidden.problem}.`;
    case 'binary':
    case 'exposure':
    case 'tokens':
      return `${path} is hidden.`;
  }
}

function reasonOfLock(change: 'changed' | 'new'): string {
  return change === 'new' ? 'not in usher.lock' : 'not what usher.lock says';
}

/** The arguments, or the text that is no JSON object; nothing, white space and `null` are `{}`. */
function argumentsOf(call: ToolCall): JsonObject | string {
  const text = call.invalidArguments;
  if (text === undefined) return call.arguments;
  const trimmed = text.trim();
  return trimmed === '' || trimmed === 'null' ? {} : text;
}

function invalid(text: string, tool?: RegisteredTool): Prepared {
  return { kind: 'invalid', tool, text };
}
