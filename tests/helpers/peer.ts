/** Real third-party servers out of node_modules. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

/** What runs them: Node where it is, as their users do, else this Bun. */
const runtime = Bun.which('node') ?? process.execPath;

const PROGRAMS = {
  everything: '@modelcontextprotocol/server-everything',
  filesystem: '@modelcontextprotocol/server-filesystem',
  context7: '@upstash/context7-mcp',
} as const;

export type PeerName = keyof typeof PROGRAMS;

/** `command` and `args` of a peer over stdio. */
export function peerCommand(
  name: PeerName,
  ...args: readonly string[]
): { command: string; args: string[] } {
  const manifest = require.resolve(`${PROGRAMS[name]}/package.json`);
  return { command: runtime, args: [join(dirname(manifest), 'dist/index.js'), ...args] };
}

export interface RunningPeer extends AsyncDisposable {
  readonly url: string;
}

/** Starts a peer that listens on $PORT; resolves once it says so. */
export async function startHttpPeer(
  name: PeerName,
  args: readonly string[],
  port: number,
): Promise<RunningPeer> {
  const { command, args: all } = peerCommand(name, ...args);
  const child = Bun.spawn([command, ...all], {
    env: { PATH: String(Bun.env['PATH']), PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await Promise.race([saysListening(child.stdout), saysListening(child.stderr)]);
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await child.exited;
    },
  };
}

async function saysListening(stream: ReadableStream<Uint8Array>): Promise<void> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of stream.values({ preventCancel: true })) {
    text += decoder.decode(chunk, { stream: true });
    if (/listening|running/.test(text)) return;
  }
  // The other stream may still say it; an end of both shows in the test's limit.
  await new Promise(() => undefined);
}
