/**
 * Which tools are offered and what declaring them costs, from the few fields that matter: both the registry
 * and the surfaces that show tools ask here. Knows no registry.
 */

const BYTES_PER_TOKEN = 4;

interface Definition {
  readonly description: string | undefined;
  readonly inputSchema: object;
}

const costs = new WeakMap<Definition, number>();

/** Estimated tokens of a declaration: a quarter of the bytes of name, description and schema. */
export function declarationTokens(definition: Definition, publicName: string): number {
  let bytes = costs.get(definition);
  if (bytes === undefined) {
    const parts = ['', definition.description ?? '', definition.inputSchema];
    bytes = Buffer.byteLength(JSON.stringify(parts));
    costs.set(definition, bytes);
  }
  return (bytes + Buffer.byteLength(publicName)) / BYTES_PER_TOKEN;
}

/** Estimated tokens of the declarations of `tools`, a whole number. */
export function totalTokens(
  tools: readonly { readonly definition: Definition; readonly publicName: string }[],
): number {
  return Math.ceil(
    tools.reduce((sum, tool) => sum + declarationTokens(tool.definition, tool.publicName), 0),
  );
}

/** All that is not hidden: what is reachable, then what only a model has. */
export function offeredTools<T extends { readonly exposure: string }>(snapshot: {
  readonly tools: readonly T[];
  readonly reachable: readonly T[];
}): readonly T[] {
  const { tools, reachable } = snapshot;
  return [...reachable, ...tools.filter(({ exposure }) => exposure === 'model-only')];
}
