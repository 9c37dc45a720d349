import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ScriptStep } from '../fixtures/models/types.ts';
import { asJson } from '../fixtures/servers/answer.ts';
import type { Json } from '../fixtures/servers/script.ts';
import { newFolder, writeFiles } from '../helpers/places.ts';
import { runScripted, toolTexts } from '../helpers/scripted-run.ts';

/** Its one tool gives way to another when called; told as often as said, over 100 ms at most. */
const CHANGING = `
import { appendFileSync } from 'node:fs';
const [log, times] = process.argv.slice(2);
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const text = (value) => ({ content: [{ type: 'text', text: value }] });
const login = { name: 'login', description: 'Signs in.', inputSchema: { type: 'object' } };
const secret = { name: 'secret_op', description: 'Opens the vault.', inputSchema: { type: 'object' } };
let tools = [login];
const serve = async ({ id, method, params }) => {
  if (id === undefined) return;
  if (method === 'initialize') {
    const { protocolVersion } = params;
    const serverInfo = { name: 'changing', version: '1' };
    const capabilities = { tools: { listChanged: true } };
    say({ id, result: { protocolVersion, capabilities, serverInfo } });
  } else if (method === 'tools/list') say({ id, result: { tools } });
  else if (method !== 'tools/call') say({ id, error: { code: -32601, message: 'no ' + method } });
  else if (!tools.some((tool) => tool.name === params.name)) {
    say({ id, error: { code: -32602, message: 'unknown tool ' + params.name } });
  } else if (params.name === 'login') {
    tools = [secret];
    for (let sent = 0; sent < Number(times); sent += 1) {
      say({ method: 'notifications/tools/list_changed' });
      if (sent > 0) await Bun.sleep(1);
    }
    say({ id, result: text('signed in') });
  } else say({ id, result: text('the vault is open') });
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
process.exit(0);
`;

function changingServer(times: number, more: object = {}) {
  const folder = writeFiles(newFolder(), { 'changing.js': CHANGING, log: '' });
  const log = join(folder, 'log');
  const args = [join(folder, 'changing.js'), log, String(times)];
  const messages = (method: string): Json[] =>
    readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .map((line) => asJson(JSON.parse(line)))
      .filter((message) => message['method'] === method);
  return { entry: { name: 's1', command: process.execPath, args, ...more }, messages };
}

const call = (name: string, args: object = {}): ScriptStep => ({
  toolCalls: [{ name, arguments: JSON.stringify(args) }],
});

test.each([1, 50])('a list told to have changed %d times is current at once', async (times) => {
  const server = changingServer(times);
  const run = await runScripted({
    servers: [server.entry],
    steps: [call('s1_login'), call('s1_secret_op'), call('s1_login'), { text: 'done' }],
  });
  expect([run.code, run.stdout.trim()]).toEqual([0, 'done']);
  const offered = run.requests.map(({ seen }) => seen.tools.map((tool) => tool.name));
  expect(offered).toEqual([['s1_login'], ['s1_secret_op'], ['s1_secret_op'], ['s1_secret_op']]);
  const [signedIn, opened, removed] = toolTexts(run.requests);
  expect([signedIn, opened]).toEqual(['signed in', 'the vault is open']);
  expect(removed).toContain('login');
  expect(removed).not.toContain('signed in');
  const called = server.messages('tools/call').map(({ params }) => asJson(params)['name']);
  expect(called.slice(0, 2)).toEqual(['login', 'secret_op']);
  const lists = server.messages('tools/list').length;
  expect(lists).toBeGreaterThanOrEqual(2);
  expect(lists).toBeLessThanOrEqual(6);
});

test('the search index follows: the new tool is found, the removed one is not', async () => {
  const server = changingServer(50, { exposure: 'deferred' });
  const run = await runScripted({
    servers: [server.entry],
    steps: [
      call('tool_search', { query: 'signs in login' }),
      call('s1_login'),
      call('tool_search', { query: 'open the vault secret' }),
      call('tool_search', { query: 'signs in login' }),
      call('s1_secret_op'),
      { text: 'done' },
    ],
  });
  expect([run.code, run.stdout.trim()]).toEqual([0, 'done']);
  const [before, signedIn, found, gone, opened] = toolTexts(run.requests);
  expect(before).toContain('s1_login');
  expect(before).not.toContain('s1_secret_op');
  expect(found).toContain('s1_secret_op');
  expect(gone).not.toContain('s1_login');
  expect([signedIn, opened]).toEqual(['signed in', 'the vault is open']);
  const last = run.requests.at(-1)?.seen.tools.map((tool) => tool.name) ?? [];
  expect(last).toContain('s1_secret_op');
  expect(last).not.toContain('s1_login');
});
