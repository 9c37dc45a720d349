import type { RegistrySnapshot } from '../tools/types.ts';
import type { ModelProvider } from './types.ts';
export function createOfflineModel(_o: { snapshot: () => RegistrySnapshot }): ModelProvider {
  throw new Error('todo');
}
