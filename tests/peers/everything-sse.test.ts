import { expect, test } from 'bun:test';
import { startHttpPeer } from '../helpers/peer.ts';
import { closedPort } from '../helpers/tcp.ts';
import { runUsher } from '../helpers/usher.ts';

test.each([{ transport: 'sse' }, {}])(
  'server-everything over legacy HTTP+SSE, set as %j, lists, calls and reports progress',
  async (setting) => {
    await using peer = await startHttpPeer('everything', ['sse'], closedPort());
    const url = peer.url.replace(/mcp$/, 'sse');
    const config = { servers: [{ name: 'all', url, permissions: 'auto', ...setting }] };
    const list = await runUsher(['tools', '--json'], { config });
    expect(list.code).toBe(0);
    expect(JSON.parse(list.stdout).tools.length).toBeGreaterThan(8);
    const echo = await runUsher(['call', 'all', 'echo', 'message=over here'], { config });
    expect([echo.code, echo.stdout.trim()]).toEqual([0, 'Echo: over here']);
    const steps = ['duration=0.4', 'steps=4'];
    const long = await runUsher(['call', 'all', 'trigger-long-running-operation', ...steps], {
      config,
    });
    expect(long.code).toBe(0);
    expect(long.stdout).toContain('Long running operation completed');
  },
);
