/** Server entries for tests of the host's parts, through the config's own builder. */
import type { JsonObject } from '../../src/base/json.ts';
import { buildServer } from '../../src/config/server-build.ts';
import type { ServerConfig } from '../../src/config/types.ts';

/** The entry with every default. Throws where the entry is not valid. */
export function serverOf(name: string, entry: JsonObject = { command: 'x' }): ServerConfig {
  const built = buildServer({ name, ...entry }, { env: {}, cwd: '/', exposure: 'direct' });
  if (built.server === undefined) throw new Error(`server ${name} is not valid`);
  return built.server;
}
