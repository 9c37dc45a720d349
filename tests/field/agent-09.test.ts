import { expect, test } from 'bun:test';
import { startModelServer } from '../fixtures/models/server.ts';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { tool } from '../fixtures/servers/script.ts';
import { scriptedModel } from '../helpers/config.ts';
import { startPty } from '../helpers/pty.ts';

const any = { type: 'object', properties: {} };

test('after Ctrl-C in the middle of two calls every call has one result and the next prompt works', async () => {
  await using server = await startMcpServer({
    replyAs: 'sse',
    tools: [tool('quick', 'Quick.', any), tool('stuck', 'Stuck.', any, { does: { never: true } })],
  });
  const model = await startModelServer({
    format: 'openai',
    script: [
      {
        toolCalls: [
          { id: 'one', name: 's1_quick', arguments: '{"n":1}' },
          { id: 'two', name: 's1_stuck', arguments: '{}' },
        ],
      },
      { text: 'second answer' },
    ],
  });
  const session = startPty([], {
    config: {
      model: scriptedModel(model),
      mcp: { permissions: 'auto' },
      servers: [{ name: 's1', url: server.url }],
    },
  });
  try {
    await session.waitFor(/\/help lists[^\n]*\n> /);
    session.send('do both\r');
    await session.waitFor('s1/stuck');
    while (server.calls().length < 2) await Bun.sleep(10);
    session.send('\x03');
    await session.waitFor(/cancel|interrupt|stopped/i);
    session.send('and now?\r');
    await session.waitFor('second answer');

    const last = model.requests.at(-1);
    expect(last?.breach).toBeUndefined();
    const results = last?.seen.turns.flatMap((turn) => (turn.role === 'tool' ? turn.results : []));
    expect(results?.map((one) => one.id)).toEqual(['one', 'two']);
    expect(results?.[0]?.text).toBe('{"n":1}');
    expect(results?.[1]?.text).toMatch(/cancel|interrupt|abort|unknown/i);
    expect(server.methods()).toContain('notifications/cancelled');
    session.send('/exit\r');
    expect(await session.exited).toBe(0);
  } finally {
    session.close();
    await model.close();
  }
}, 30_000);
