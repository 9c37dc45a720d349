import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { newFolder, writeFiles } from '../helpers/places.ts';
import { callThenAnswer, runScripted, toolTexts } from '../helpers/scripted-run.ts';
import { runUsher } from '../helpers/usher.ts';

/**
 * A server that closes its stdin just before it answers the method named by its argument, and lives on for half a
 * minute. It reads by system call, so that nothing else holds the descriptor.
 */
const PROGRAM = `
import { closeSync, readSync, writeSync } from 'node:fs';
const last = process.argv[2];
const byte = Buffer.alloc(65536);
const info = { name: 'deaf', version: '1' };
let rest = '';
let isOpen = true;
setTimeout(() => process.exit(0), 30_000);
while (isOpen) {
  const count = readSync(0, byte);
  if (count === 0) process.exit(0);
  const lines = (rest + byte.toString('utf8', 0, count)).split('\\n');
  rest = lines.pop();
  for (const line of lines) if (isOpen) take(JSON.parse(line));
}
function take({ id, method, params }) {
  if (id === undefined) return;
  if (method === last) {
    isOpen = false;
    closeSync(0);
  }
  if (method === 'initialize') {
    const { protocolVersion } = params;
    put({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo: info } });
  } else if (method === 'tools/list') {
    put({ id, result: { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] } });
  } else put({ id, error: { code: -32601, message: 'unknown method' } });
}
function put(message) {
  writeSync(1, JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
}
`;
const program = join(writeFiles(newFolder(), { 'deaf.mjs': PROGRAM }), 'deaf.mjs');
const DEAF = /server "deaf"[^\n]* no longer reads its input/;

function deafServer(closesBefore: string): object {
  const timeout = { connect: '4s', idle: '4s' };
  return { name: 'deaf', command: process.execPath, args: [program, closesBefore], timeout };
}

describe.each([
  ['small', 10],
  ['200 KB', 200_000],
])('a call to a server that closed its stdin, %s', (_name, length) => {
  const text = 'y'.repeat(length);

  test('fails at once and says why', async () => {
    const run = await runUsher(['call', 'deaf', 'echo', '-'], {
      config: { servers: [deafServer('tools/list')] },
      stdin: { bytes: JSON.stringify({ text }) },
    });
    expect([run.code, run.stdout]).toEqual([4, '']);
    expect(run.stderr).toMatch(DEAF);
    expect(run.stderr).not.toMatch(/unhandled|EPIPE\b.*\n\s+at /i);
    expect(run.ms).toBeLessThan(4000);
  });

  test('is told to the model, and the run goes on', async () => {
    const run = await runScripted({
      servers: [deafServer('tools/list')],
      steps: [...callThenAnswer(['deaf_echo', { text }]).slice(0, 1), { text: 'done' }],
    });
    expect([run.code, run.stdout.trim()]).toEqual([0, 'done']);
    expect(toolTexts(run.requests).join()).toMatch(DEAF);
    expect(run.stderr).not.toMatch(/unhandled/i);
    expect(run.ms).toBeLessThan(4000);
  });
});

test('a server that closes its stdin in the handshake is reported at once', async () => {
  const run = await runUsher(['tools', 'deaf'], {
    config: { servers: [deafServer('initialize')] },
  });
  expect([run.code, run.stdout]).toEqual([4, '']);
  expect(run.stderr).toMatch(DEAF);
  expect(run.ms).toBeLessThan(4000);
});
