/** Real servers of both generations: usher lists and gets what the server's own SDK client lists and gets. */
import { afterAll, describe, expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { startModernSdk } from '../fixtures/servers/modern-sdk.ts';
import { peerCommand, startHttpPeer } from '../helpers/peer.ts';
import { newFolder, writeFiles } from '../helpers/places.ts';
import { closedPort } from '../helpers/tcp.ts';
import { runUsher } from '../helpers/usher.ts';
import { askLegacyClient, askModernClient, type PeerEntry, type Told } from './oracle.ts';

const ROW_MS = 60_000;
const modernStdio = resolve(import.meta.dir, '../fixtures/servers/modern-stdio.ts');
const modern = startModernSdk();
const strict = startModernSdk({ legacy: 'reject' });
const everything = await startHttpPeer('everything', ['streamableHttp'], closedPort());
afterAll(() => Promise.all([modern, strict, everything].map((one) => one[Symbol.asyncDispose]())));

interface Peer {
  readonly entry: PeerEntry;
  readonly ask: typeof askLegacyClient;
  readonly era: 'legacy' | 'modern';
  readonly tool: string;
  readonly args?: Readonly<Record<string, unknown>>;
}

const folder = realpathSync(writeFiles(newFolder(), { 'notes.txt': 'remember\n' }));
const repository = newRepository();
const kubeconfig = join(
  writeFiles(newFolder(), {
    config: JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'none',
      clusters: [{ name: 'none', cluster: { server: 'https://127.0.0.1:9' } }],
      contexts: [{ name: 'none', context: { cluster: 'none', user: 'nobody' } }],
      users: [{ name: 'nobody', user: {} }],
    }),
  }),
  'config',
);
const legacy = { ask: askLegacyClient, era: 'legacy' } as const;
const newer = { ask: askModernClient, era: 'modern' } as const;

const PEERS: Readonly<Record<string, Peer>> = {
  'server-everything over stdio': {
    ...legacy,
    entry: peerCommand('everything', 'stdio'),
    tool: 'echo',
    args: { message: 'hi 🙂' },
  },
  'server-everything over HTTP': {
    ...legacy,
    entry: { url: everything.url },
    tool: 'get-structured-content',
    args: { location: 'New York' },
  },
  'server-filesystem': {
    ...legacy,
    entry: { ...peerCommand('filesystem', folder), cwd: folder },
    tool: 'read_text_file',
    args: { path: join(folder, 'notes.txt') },
  },
  'server-memory': {
    ...legacy,
    entry: { ...peerCommand('memory'), env: { MEMORY_FILE_PATH: join(newFolder(), 'm.jsonl') } },
    tool: 'read_graph',
  },
  'server-sequential-thinking': {
    ...legacy,
    entry: peerCommand('thinking'),
    tool: 'sequentialthinking',
    args: { thought: 'a', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
  },
  'server-github, of 2024': {
    ...legacy,
    entry: { ...peerCommand('github'), env: { GITHUB_PERSONAL_ACCESS_TOKEN: 'dummy' } },
    tool: 'search_repositories',
    args: {},
  },
  'notion-mcp-server': {
    ...legacy,
    entry: {
      ...peerCommand('notion'),
      // So that it reaches nobody: a proxy that is not there.
      env: { NOTION_TOKEN: 'dummy', HTTPS_PROXY: 'http://127.0.0.1:9' },
    },
    tool: 'API-get-self',
  },
  'git-mcp-server': {
    ...legacy,
    entry: { ...peerCommand('git'), env: { MCP_LOG_LEVEL: 'error', GIT_BASE_DIR: repository } },
    tool: 'git_branch',
    args: { path: repository },
  },
  'kubernetes-mcp-server, on the Go SDK': {
    ...newer,
    entry: peerCommand('kubernetes', '--kubeconfig', kubeconfig),
    tool: 'configuration_view',
    args: { minified: false },
  },
  'context7-mcp': { ...newer, entry: peerCommand('context7'), tool: 'query-docs', args: {} },
  'server 2.4 over stdio': {
    ...newer,
    entry: { command: process.execPath, args: [modernStdio] },
    tool: 'echo',
    args: { text: 'hi 🙂' },
  },
  'server 2.4 over stdio, without the older revisions': {
    ...newer,
    entry: { command: process.execPath, args: [modernStdio, 'reject'] },
    tool: 'echo',
    args: { text: 'hi 🙂' },
  },
  'server 2.4 over HTTP': {
    ...newer,
    entry: { url: modern.url },
    tool: 'region',
    args: { region: 'us-west1' },
  },
  'server 2.4 over HTTP, without the older revisions': {
    ...newer,
    entry: { url: strict.url },
    tool: 'echo',
    args: { text: 'hi 🙂' },
  },
};

describe.each(Object.entries(PEERS))('%s', (_name, { entry, ask, era, tool, args = {} }) => {
  test(
    'is listed and called as by its own SDK',
    async () => {
      const oracle = await ask(entry, { tool, args });
      const config = { servers: [{ name: 's', ...entry }] };
      const check = await runUsher(['mcp', 'list', '--check', '--json'], run(config));
      expect(JSON.parse(check.stdout).servers[0]).toMatchObject({ state: 'ready', era });
      const list = await runUsher(['tools', 's', '--all', '--json'], run(config));
      expect(toolsOf(list.stdout)).toEqual(toolsOf(JSON.stringify({ tools: oracle.tools })));
      const call = await runUsher(['call', 's', tool, JSON.stringify(args), '--json'], run(config));
      expectSame(call, oracle.answer);
    },
    ROW_MS,
  );
});

function run(config: object) {
  return { config, cwd: folder, timeoutMs: 30_000 };
}

/** As the server sent them: without what usher says of its own. */
function toolsOf(stdout: string): readonly unknown[] {
  const { tools }: { readonly tools: readonly Record<string, unknown>[] } = JSON.parse(stdout);
  return tools.map(({ server, publicName, exposed, reason, ...tool }) => tool).sort(byName);
}

function byName(a: { readonly name?: unknown }, b: { readonly name?: unknown }): number {
  return String(a.name).localeCompare(String(b.name));
}

function expectSame(
  call: { readonly code: number; readonly stdout: string; readonly stderr: string },
  answer: Told['answer'],
): void {
  if ('error' in answer) {
    // The SDK puts the code before the server's words.
    const words = answer.error.replace(/^MCP error -?\d+: /, '');
    expect([
      call.code > 0,
      call.stderr.includes(words.split('\n')[0] ?? '') || call.stderr,
    ]).toEqual([true, true]);
    return;
  }
  const { resultType, _meta, ...result } = JSON.parse(call.stdout);
  expect(result).toMatchObject(withoutMeta(answer.result));
}

function withoutMeta(result: unknown): Record<string, unknown> {
  const { resultType, _meta, ...rest } = JSON.parse(JSON.stringify(result));
  return rest;
}

function newRepository(): string {
  const place = realpathSync(writeFiles(newFolder(), { 'a.txt': 'a\n' }));
  const git = (...words: readonly string[]) => {
    const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.org'];
    spawnSync('git', [...identity, ...words], { cwd: place });
  };
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-q', '-m', 'one');
  return place;
}
