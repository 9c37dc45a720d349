/** What a snapshot offers, and what declaring it costs. */
import type { RegisteredTool, RegistrySnapshot } from '../tools/types.ts';

const BYTES_PER_TOKEN = 4;

/** All that is not hidden: what is reachable, then what only a model has. */
export function offeredTools({
  tools,
  reachable,
}: Pick<RegistrySnapshot, 'tools' | 'reachable'>): readonly RegisteredTool[] {
  return [...reachable, ...tools.filter(({ exposure }) => exposure === 'model-only')];
}

/** Estimated tokens of the declarations, a whole number: a quarter of their bytes. */
export function estimateTokens(tools: readonly RegisteredTool[]): number {
  const bytes = tools.reduce((sum, { publicName, definition }) => {
    const declared = [publicName, definition.description ?? '', definition.inputSchema];
    return sum + Buffer.byteLength(JSON.stringify(declared));
  }, 0);
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}
