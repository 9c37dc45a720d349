import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { asJson } from '../fixtures/servers/answer.ts';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { tool } from '../fixtures/servers/script.ts';
import { newFolder, writeFiles } from '../helpers/places.ts';
import { callThenAnswer, runScripted, toolTexts } from '../helpers/scripted-run.ts';

/** Replies to notifications in the ways named by its arguments after the log file. */
const SLOPPY = `
import { appendFileSync } from 'node:fs';
const [log, ...ways] = process.argv.slice(2);
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const error = { code: -32601, message: 'grumble' };
const tool = (name) => ({ name, inputSchema: { type: 'object' } });
let first;
const replies = {
  'null id': () => say({ id: null, error }),
  'id 0': () => say({ id: 0, error }),
  'used id': () => say({ id: first, error }),
  'no id': () => say({ result: {} }),
};
const serve = ({ id, method, params }) => {
  if (method === 'initialize') {
    first = id;
    const { protocolVersion } = params;
    const serverInfo = { name: 'sloppy', version: '1' };
    say({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
  } else if (method === 'tools/list') say({ id, result: { tools: [tool('echo'), tool('stuck')] } });
  else if (method === 'tools/call' && params.name === 'echo') {
    say({ id, result: { content: [{ type: 'text', text: JSON.stringify(params.arguments) }] } });
  } else if (id === undefined) for (const way of ways) replies[way]();
  else if (method !== 'tools/call') say({ id, error });
  if (method === 'notifications/cancelled') {
    say({ id: params.requestId, error: { code: -32603, message: 'cannot be cancelled' } });
  }
};
let rest = '';
for await (const chunk of Bun.stdin.stream()) {
  const lines = (rest + new TextDecoder().decode(chunk)).split('\\n');
  rest = lines.pop();
  for (const line of lines) {
    appendFileSync(log, line + '\\n');
    serve(JSON.parse(line));
  }
}
appendFileSync(log, JSON.stringify({ method: 'end of input' }) + '\\n');
process.exit(0);
`;

function sloppyServer(...ways: readonly string[]) {
  const folder = writeFiles(newFolder(), { 'sloppy.js': SLOPPY, log: '' });
  const log = join(folder, 'log');
  const methods = () => {
    const lines = readFileSync(log, 'utf8').trim().split('\n');
    return lines.map((line) => asJson(JSON.parse(line))['method']);
  };
  const args = [join(folder, 'sloppy.js'), log, ...ways];
  return { entry: { name: 's1', command: process.execPath, args }, methods };
}

const EVERY_WAY = ['null id', 'id 0', 'used id', 'no id'];
const count = (methods: readonly unknown[], name: string) =>
  methods.filter((method) => method === name).length;

test.each([...EVERY_WAY.map((way) => [way]), EVERY_WAY])(
  'stdio: replies to a notification are ignored: %s',
  async (...ways) => {
    const server = sloppyServer(...ways);
    const run = await runScripted({
      servers: [server.entry],
      steps: callThenAnswer(['s1_echo', { a: 1 }]),
    });
    expect([run.code, run.stdout.trim()]).toEqual([0, '{"a":1}']);
    expect(run.stderr).not.toContain('grumble');
    const methods = server.methods();
    const wanted = ['initialize', 'notifications/initialized', 'tools/call', 'end of input'];
    expect(wanted.map((name) => count(methods, name))).toEqual([1, 1, 1, 1]);
    expect(methods).toContain('tools/list');
  },
);

test('stdio: a cancellation answered with errors leaves the connection as it was', async () => {
  const server = sloppyServer(...EVERY_WAY);
  const [stuck] = callThenAnswer(['s1_stuck', {}]);
  const run = await runScripted({
    servers: [{ ...server.entry, timeout: { idle: '500ms' }, restartOnTimeout: false }],
    steps: [{ ...stuck }, ...callThenAnswer(['s1_echo', { a: 2 }])],
  });
  expect([run.code, run.stdout.trim()]).toEqual([9, '{"a":2}']);
  expect(run.stderr).not.toContain('grumble');
  const [late] = toolTexts(run.requests);
  expect(late).not.toContain('cannot be cancelled');
  const methods = server.methods();
  const wanted = ['initialize', 'notifications/cancelled', 'tools/call', 'end of input'];
  expect(wanted.map((name) => count(methods, name))).toEqual([1, 1, 2, 1]);
});

const error = { code: -32_601, message: 'grumble' };

test.each([
  ['null id', 200, { id: null, error }],
  ['id 0', 200, { id: 0, error }],
  ['no id', 200, { result: {} }],
  ['null id and status 400', 400, { id: null, error }],
])('HTTP: replies to a notification are ignored: %s', async (_name, status, reply) => {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ jsonrpc: '2.0', ...reply });
  await using server = await startMcpServer({
    notified: { status, headers, body },
    tools: [tool('echo', 'One.', { type: 'object' })],
  });
  const run = await runScripted({
    servers: [{ name: 's1', url: server.url }],
    steps: callThenAnswer(['s1_echo', { a: 1 }]),
  });
  expect([run.code, run.stdout.trim()]).toEqual([0, '{"a":1}']);
  expect(run.stderr).not.toContain('grumble');
  expect(server.calls()).toHaveLength(1);
  expect(count(server.methods(), 'initialize')).toBe(1);
});
