/** What the protocol's own SDK clients get from a server: the oracle for what usher gets. */
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernHttp,
} from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';

/** How a server is reached, in the words of usher's config. */
export type PeerEntry =
  | { readonly url: string }
  | {
      readonly command: string;
      readonly args: readonly string[];
      readonly env?: Readonly<Record<string, string>>;
      readonly cwd?: string;
    };

export interface Told {
  /** List items as sent, in order. */
  readonly tools: readonly Readonly<Record<string, unknown>>[];
  /** The result of the call, or the message of the error. */
  readonly answer: { readonly result: unknown } | { readonly error: string };
  readonly version: string | undefined;
}

interface Question {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** As usher declares them: some servers list more tools then. */
const CAPABILITIES = { roots: {}, elicitation: { form: {}, url: {} } };
const INFO = { name: 'oracle', version: '1.0.0' };

/** By SDK v1, which speaks the revisions up to 2025-11-25. */
export async function askLegacyClient(entry: PeerEntry, question: Question): Promise<Told> {
  const client = new Client(INFO, { capabilities: CAPABILITIES });
  const transport =
    'url' in entry
      ? new StreamableHTTPClientTransport(new URL(entry.url))
      : new StdioClientTransport({ ...stdio(entry), stderr: 'ignore' });
  // The SDK's own transports do not pass its own interface under exactOptionalPropertyTypes.
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  try {
    const { tools } = await client.request({ method: 'tools/list' }, ResultSchema);
    const params = { name: question.tool, arguments: question.args };
    const answer = await outcome(client.request({ method: 'tools/call', params }, ResultSchema));
    return { tools: listOf(tools), answer, version: undefined };
  } finally {
    await client.close();
  }
}

/** By SDK v2, negotiating as it does by itself. */
export async function askModernClient(entry: PeerEntry, question: Question): Promise<Told> {
  const client = new ModernClient(INFO, {
    capabilities: CAPABILITIES,
    versionNegotiation: { mode: 'auto' },
  });
  const transport =
    'url' in entry
      ? new ModernHttp(new URL(entry.url))
      : new ModernStdio({ ...stdio(entry), stderr: 'ignore' });
  await client.connect(transport);
  try {
    const { tools } = await client.listTools();
    const call = client.callTool({ name: question.tool, arguments: { ...question.args } });
    const answer = await outcome(call);
    return { tools: listOf(tools), answer, version: client.getNegotiatedProtocolVersion() };
  } finally {
    await client.close();
  }
}

function stdio(entry: Exclude<PeerEntry, { url: string }>) {
  const { command, args, env = {}, cwd } = entry;
  const own = { PATH: String(Bun.env['PATH']), HOME: String(Bun.env['HOME']), ...env };
  return { command, args: [...args], env: own, ...(cwd === undefined ? {} : { cwd }) };
}

async function outcome(call: Promise<unknown>): Promise<Told['answer']> {
  try {
    return { result: await call };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

function listOf(tools: unknown): Told['tools'] {
  return Array.isArray(tools) ? tools : [];
}
