/** What a saved conversation had declared by search or by call is declared again when it goes on. */
import type { ModelMessage } from '../model/types.ts';
import type { Registry } from '../tools/registry.ts';
import { foundNames, TOOL_SEARCH } from '../tools/search-tool.ts';

/**
 * A function that declares the tools, in the order of the conversation, as far as their servers list them by
 * now: to be called before each snapshot. Names that no server has any more wait in vain.
 */
export function createRecall(registry: Registry, history: readonly ModelMessage[]): () => void {
  let waiting = [...new Set(history.flatMap(namesOf))];
  return () => {
    if (waiting.length === 0) return;
    const { resolve } = registry.snapshot();
    const left: string[] = [];
    const found = waiting.flatMap((name) => {
      const one = resolve(name);
      if (one.kind === 'found') return [one.tool];
      left.push(name);
      return [];
    });
    waiting = left;
    registry.load(found);
  };
}

function namesOf(message: ModelMessage): readonly string[] {
  switch (message.role) {
    case 'user':
      return [];
    case 'assistant':
      return message.toolCalls.map(({ name }) => name);
    case 'tool':
      return message.results.flatMap(({ name, status, text }) =>
        name === TOOL_SEARCH.name && status === 'ok' ? foundNames(text) : [],
      );
  }
}
