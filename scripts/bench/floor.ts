/**
 * The floor: the least that a Bun-compiled host can do, written by hand. Connects all servers at once, lists
 * their tools, makes one streaming chat request, runs the calls, prints the text. No validation, retries,
 * permissions, limits or rendering. Measured beside usher in the same run.
 *
 *   floor FILE.json prompt TEXT | floor FILE.json call SERVER TOOL JSON | floor FILE.json hello
 *   FILE.json: { baseUrl, servers: [{ name, url } | { name, command, args }] }
 */
import { readFileSync } from 'node:fs';

type Json = Record<string, unknown>;
type Request = (method: string, params: Json) => Promise<Json>;
interface Server {
  readonly name: string;
  readonly url?: string;
  readonly command?: string;
  readonly args?: readonly string[];
}
interface Connected {
  readonly name: string;
  readonly request: Request;
}

const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'floor', version: '1' },
};

async function connectHttp(name: string, url: string): Promise<Connected> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  let lastId = 0;
  const post = (message: Json) =>
    fetch(url, { method: 'POST', headers, body: JSON.stringify(message) });
  const request: Request = async (method, params) => {
    lastId += 1;
    const response = await post({ jsonrpc: '2.0', id: lastId, method, params });
    const session = response.headers.get('mcp-session-id');
    if (session !== null) headers['mcp-session-id'] = session;
    return resultOf(await response.text());
  };
  const initialized = await request('initialize', INITIALIZE);
  headers['mcp-protocol-version'] = String(initialized['protocolVersion']);
  void post({ jsonrpc: '2.0', method: 'notifications/initialized' }).then((r) => r.text());
  return { name, request };
}

/** The result of a JSON body or of the last event of an SSE body. */
function resultOf(body: string): Json {
  const json = body.startsWith('{') ? body : body.slice(body.lastIndexOf('data: ') + 6).trim();
  return JSON.parse(json).result;
}

async function connectStdio(
  name: string,
  command: string,
  args: readonly string[],
): Promise<Connected> {
  const child = Bun.spawn([command, ...args], { stdin: 'pipe', stdout: 'pipe', stderr: 'ignore' });
  const waiting = new Map<number, (result: Json) => void>();
  let lastId = 0;
  const read = async () => {
    const decoder = new TextDecoder();
    let rest = '';
    for await (const chunk of child.stdout) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const message = JSON.parse(line);
        waiting.get(message.id)?.(message.result);
      }
    }
  };
  void read();
  const send = (message: Json) => {
    child.stdin.write(`${JSON.stringify(message)}\n`);
    child.stdin.flush();
  };
  const request: Request = (method, params) => {
    lastId += 1;
    const id = lastId;
    send({ jsonrpc: '2.0', id, method, params });
    return new Promise((resolve) => waiting.set(id, resolve));
  };
  await request('initialize', INITIALIZE);
  send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return { name, request };
}

function connect(server: Server): Promise<Connected> {
  return server.url === undefined
    ? connectStdio(server.name, server.command ?? '', server.args ?? [])
    : connectHttp(server.name, server.url);
}

interface WireCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { name: string; arguments: string };
}

async function askModel(baseUrl: string, messages: unknown[], tools: unknown[]) {
  const response = await fetch(`${baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer x' },
    body: JSON.stringify({ model: 'fake', stream: true, messages, tools }),
  });
  const calls: WireCall[] = [];
  let text = '';
  for (const event of (await response.text()).split('\n\n')) {
    if (!event.startsWith('data: {')) continue;
    const delta = JSON.parse(event.slice(6)).choices[0]?.delta ?? {};
    text += delta.content ?? '';
    for (const part of delta.tool_calls ?? []) {
      calls[part.index] ??= {
        id: part.id,
        type: 'function',
        function: { name: '', arguments: '' },
      };
      const call = calls[part.index];
      if (call === undefined) continue;
      call.function.name += part.function.name ?? '';
      call.function.arguments += part.function.arguments ?? '';
    }
  }
  return { text, calls };
}

async function runPrompt(config: { baseUrl: string; servers: Server[] }, prompt: string) {
  const owner = new Map<string, { readonly connected: Connected; readonly tool: string }>();
  const tools: unknown[] = [];
  const lists = await Promise.all(
    config.servers.map(async (server) => {
      const connected = await connect(server);
      return { connected, listed: (await connected.request('tools/list', {}))['tools'] };
    }),
  );
  for (const { connected, listed } of lists) {
    if (!Array.isArray(listed)) continue;
    for (const tool of listed) {
      const name = `${connected.name}_${tool.name}`;
      owner.set(name, { connected, tool: tool.name });
      const { description, inputSchema: parameters } = tool;
      tools.push({ type: 'function', function: { name, description, parameters } });
    }
  }
  const messages: unknown[] = [{ role: 'user', content: prompt }];
  for (;;) {
    const { text, calls } = await askModel(config.baseUrl, messages, tools);
    if (calls.length === 0) return text;
    messages.push({ role: 'assistant', content: text, tool_calls: calls });
    const results = await Promise.all(
      calls.map((call) => {
        const target = owner.get(call.function.name);
        return target?.connected.request('tools/call', {
          name: target.tool,
          arguments: JSON.parse(call.function.arguments),
        });
      }),
    );
    calls.forEach((call, index) => {
      messages.push({ role: 'tool', tool_call_id: call.id, content: textOf(results[index]) });
    });
  }
}

function textOf(result: Json | undefined): string {
  const content = result?.['content'];
  return Array.isArray(content) ? String(content[0]?.text) : '';
}

const [file = '', mode, first = '', tool = '', json = '{}'] = process.argv.slice(2);
if (mode === 'hello') {
  console.log('hello');
} else {
  const config = JSON.parse(readFileSync(file, 'utf8'));
  if (mode === 'prompt') {
    console.log(await runPrompt(config, first));
  } else {
    const server = config.servers.find((entry: Server) => entry.name === first);
    const { request } = await connect(server);
    console.log(textOf(await request('tools/call', { name: tool, arguments: JSON.parse(json) })));
  }
  process.exit(0);
}
