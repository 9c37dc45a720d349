/** A fake stdio server for the bench: `stdio-server TOOLS INIT_MS`. Compiled, so that it starts fast. */
import { makeTools } from './tools.ts';

const [tools = '10', initMs = '0'] = process.argv.slice(2);
const decoder = new TextDecoder();
let rest = '';
for await (const chunk of Bun.stdin.stream()) {
  const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) await answer(JSON.parse(line));
}

async function answer(message: {
  id?: number;
  method: string;
  params?: { arguments?: { text?: string } };
}) {
  if (message.id === undefined) return;
  if (message.method === 'initialize') await Bun.sleep(Number(initMs));
  const results: Record<string, unknown> = {
    initialize: {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'bench', version: '1' },
    },
    'tools/list': { tools: makeTools(Number(tools)) },
    'tools/call': { content: [{ type: 'text', text: message.params?.arguments?.text ?? '' }] },
  };
  const result = results[message.method];
  const body =
    result === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, ...body })}\n`);
}
