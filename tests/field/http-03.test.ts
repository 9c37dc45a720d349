import { expect, test } from 'bun:test';
import { type RawReply, startMcpServer } from '../fixtures/servers/http.ts';
import { runUsher } from '../helpers/usher.ts';

const json = { 'content-type': 'application/json' };
const REPLIES: Readonly<Record<string, RawReply>> = {
  '202 without a body': { status: 202 },
  '202 that claims JSON and has no body': { status: 202, headers: json },
  '204': { status: 204 },
  '200 with length 0': { status: 200, headers: { 'content-length': '0' } },
  '200 with {}': { status: 200, headers: json, body: '{}' },
  '200 with null': { status: 200, headers: json, body: 'null' },
  '200 with an empty event stream': {
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
  },
  '202 with plain text': { status: 202, headers: { 'content-type': 'text/plain' }, body: 'OK' },
};

test.each(Object.entries(REPLIES))(
  'a notification answered by %s is taken as delivered',
  async (_name, notified) => {
    await using server = await startMcpServer({ notified });
    const run = await runUsher(['tools', '--json'], {
      config: { servers: [{ name: 's1', url: server.url, tools: ['echo', 'read'] }] },
    });
    expect(run.code).toBe(0);
    expect(JSON.parse(run.stdout).tools).toHaveLength(2);
    expect(run.stderr.toLowerCase()).not.toMatch(/warn|error|unexpected|parse|202|204/);
  },
);
