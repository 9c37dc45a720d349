/** Real third-party servers out of node_modules. */
import { resolve } from 'node:path';

const modules = resolve(import.meta.dir, '../../node_modules');

/** What runs them: Node where it is, as their users do, else this Bun. */
const runtime = Bun.which('node') ?? process.execPath;

const PROGRAMS = {
  everything: '@modelcontextprotocol/server-everything/dist/index.js',
  filesystem: '@modelcontextprotocol/server-filesystem/dist/index.js',
  memory: '@modelcontextprotocol/server-memory/dist/index.js',
  thinking: '@modelcontextprotocol/server-sequential-thinking/dist/index.js',
  github: '@modelcontextprotocol/server-github/dist/index.js',
  notion: '@notionhq/notion-mcp-server/bin/cli.mjs',
  git: '@cyanheads/git-mcp-server/dist/index.js',
  context7: '@upstash/context7-mcp/dist/index.js',
  kubernetes: 'kubernetes-mcp-server/bin/index.js',
} as const;

export type PeerName = keyof typeof PROGRAMS;

/** `command` and `args` of a peer over stdio. */
export function peerCommand(
  name: PeerName,
  ...args: readonly string[]
): { command: string; args: string[] } {
  return { command: runtime, args: [resolve(modules, PROGRAMS[name]), ...args] };
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
