import { expect, test } from 'bun:test';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { callThenAnswer, runScripted } from '../helpers/scripted-run.ts';

const LINE_ENDS: Readonly<Record<string, readonly string[]>> = {
  'LF alone': ['\n'],
  'CR LF': ['\r\n'],
  'CR alone': ['\r'],
  'a mix that starts with LF': ['\n', '\r\n'],
  'a mix that starts with CR LF': ['\r\n', '\n', '\r'],
};

test.each(Object.entries(LINE_ENDS))(
  'handshake, list and call work over event streams whose lines end in %s',
  async (_name, lineEnds) => {
    const slow = { definition: { name: 'slow', inputSchema: { type: 'object' } } };
    await using server = await startMcpServer({
      replyAs: 'sse',
      lineEnds,
      tools: [{ ...slow, does: { afterMs: 60, progressEveryMs: 20 } }],
    });
    const run = await runScripted({
      servers: [{ name: 's1', url: server.url }],
      steps: callThenAnswer(['s1_slow', { text: 'hi there' }]),
    });
    expect({ code: run.code, stdout: run.stdout.trim() }).toEqual({
      code: 0,
      stdout: '{"text":"hi there"}',
    });
    expect(run.ms).toBeLessThan(5000);
  },
);
