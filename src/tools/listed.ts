/** Judges one server's list: what is hidden, how the rest is exposed, what the user should know. Pure. */
import { declarationTokens, totalTokens } from '../base/offered.ts';
import { type ConfiguredExposure, configuredExposure } from './exposure.ts';
import { type ExposureRules, type FilterWarning, hiddenReason } from './filter.ts';
import { plainName } from './naming.ts';
import type { HiddenReason, ToolDefinition } from './types.ts';

export interface ListedTool {
  readonly definition: ToolDefinition;
  readonly hidden: HiddenReason | undefined;
  readonly exposure: ConfiguredExposure;
}

/**
 * Over `maxToolTokens` a server's declarations are deferred all together; a tool that costs more than that
 * alone is hidden.
 */
export function judgeTools(
  server: string,
  definitions: readonly ToolDefinition[],
  rules: ExposureRules,
): { readonly tools: readonly ListedTool[]; readonly warnings: readonly FilterWarning[] } {
  const tools = definitions.map((definition): ListedTool => {
    const hidden = hiddenReason(definition, rules) ?? tokenReason(server, definition, rules);
    const exposure = configuredExposure(definition.name, rules);
    return { definition, hidden, exposure: hidden === undefined ? exposure : 'hidden' };
  });
  const binary = binaryWarnings(server, tools);
  const { maxToolTokens } = rules;
  if (maxToolTokens === undefined) return { tools, warnings: binary };
  const isSent = ({ exposure }: ListedTool) => exposure === 'direct' || exposure === 'auto';
  const tokens = totalTokens(
    tools
      .filter(isSent)
      .map(({ definition }) => ({ definition, publicName: nameOf(server, definition) })),
  );
  const isOver = tokens > maxToolTokens;
  return {
    tools: isOver
      ? tools.map((tool) => (isSent(tool) ? { ...tool, exposure: 'deferred' as const } : tool))
      : tools,
    warnings: [
      ...binary,
      ...costWarnings(server, tools),
      ...(isOver ? [deferredWarning(server, tokens, maxToolTokens)] : []),
    ],
  };
}

function tokenReason(
  server: string,
  definition: ToolDefinition,
  { maxToolTokens }: ExposureRules,
): HiddenReason | undefined {
  if (maxToolTokens === undefined) return undefined;
  const tokens = Math.ceil(declarationTokens(definition, nameOf(server, definition)));
  return tokens > maxToolTokens ? { kind: 'tokens', tokens, maxTokens: maxToolTokens } : undefined;
}

function nameOf(server: string, { name }: ToolDefinition): string {
  return plainName({ server, name }, 'server_tool');
}

function deferredWarning(server: string, tokens: number, maxTokens: number): FilterWarning {
  return {
    message: `${server}: its tools cost about ${tokens} tokens, maxToolTokens is ${maxTokens}; they are deferred`,
    hint: `list fewer under tools: of server ${server}, or raise maxToolTokens`,
  };
}

function costWarnings(server: string, tools: readonly ListedTool[]): readonly FilterWarning[] {
  return tools.flatMap(({ definition, hidden }) =>
    hidden?.kind === 'tokens'
      ? [
          {
            message: `${server}/${definition.name} is hidden: it alone costs about ${hidden.tokens} tokens, maxToolTokens is ${hidden.maxTokens}`,
            hint: `raise maxToolTokens of server ${server}`,
          },
        ]
      : [],
  );
}

function binaryWarnings(server: string, tools: readonly ListedTool[]): readonly FilterWarning[] {
  return tools.flatMap(({ definition, hidden }) =>
    hidden?.kind === 'binary'
      ? [
          {
            message: `${server}/${definition.name} is hidden: it needs binary data at ${hidden.schemaPath}`,
            hint: `binary: keep in server ${server} offers it all the same`,
          },
        ]
      : [],
  );
}
