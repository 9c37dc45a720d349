/** A host as benches need it: nobody is asked, nothing is kept. */
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { loadConfig } from '../../src/config/load.ts';
import { createHost } from '../../src/host/create.ts';
import type { Host } from '../../src/host/types.ts';

/** Not started yet. `folder` is its home and working directory; the config file is read. The caller closes it. */
export async function openBenchHost(
  folder: string,
  configFlag: string,
  maxTurns: number,
): Promise<Host> {
  const env = { PATH: String(Bun.env['PATH']), HOME: folder };
  const config = await loadConfig({ configFlag, env, cwd: folder });
  return createHost(
    {
      config,
      cwd: folder,
      askUser: undefined,
      onEvent: () => undefined,
      servers: undefined,
      toolPatterns: { only: undefined, without: [] },
      permissions: undefined,
      yes: [],
      limits: { maxTurns, maxTokens: undefined, onDenied: 'fail' },
      artifacts: 'off',
      preloadModel: false,
      patienceMs: undefined,
    },
    { env, clock: systemClock, log: silentLog },
  );
}
