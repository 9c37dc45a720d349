/** kill -9 at many moments of a run with three calls: the next run goes on, and repeats nothing. */
import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { startModelServer } from '../fixtures/models/server.ts';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { tool } from '../fixtures/servers/script.ts';
import { scriptedModel } from '../helpers/config.ts';
import { newFolder } from '../helpers/places.ts';
import { runScripted } from '../helpers/scripted-run.ts';
import { runUsher, startUsher } from '../helpers/usher.ts';

const ANY = { type: 'object', properties: {} };
const TOOLS = ['first', 'second', 'third'];
/** After the effect of a call: at once, and a little later, when its outcome or the next turn is being written. */
const MOMENTS = TOOLS.flatMap((name) => [0, 2, 5, 10].map((delayMs) => ({ name, delayMs })));

test.each(MOMENTS)(
  'killed $delayMs ms after the effect of the $name call',
  async ({ name, delayMs }) => {
    const home = newFolder();
    const mark = (one: string) => join(home, `effect-${one}`);
    await using server = await startMcpServer({
      tools: TOOLS.map((one) => tool(one, one, ANY, { does: { writes: mark(one) } })),
    });
    const calls = TOOLS.map((one, index) => ({
      toolCalls: [{ id: `call_${index}`, name: `s_${one}`, arguments: '{}' }],
    }));
    const model = await startModelServer({
      format: 'openai',
      script: [...calls, { text: 'all done', stall: true }],
    });
    const servers = [{ name: 's', url: server.url }];
    const config = { model: scriptedModel(model), mcp: { permissions: 'auto' }, servers };
    const run = startUsher(['-p', 'go', '--session', 'one'], { home, cwd: home, config });
    while (!existsSync(mark(name))) await Bun.sleep(0);
    if (delayMs > 0) await Bun.sleep(delayMs);
    run.kill('SIGKILL');
    expect((await run.done).code).toBe(137);
    await model.close();
    const effects = TOOLS.filter((one) => existsSync(mark(one)));

    const verify = await runUsher(['audit', 'verify', 'one'], { home, cwd: home });
    expect([verify.code, verify.stderr]).toEqual([0, '']);
    const before = server.calls().length;
    const again = await runScripted({
      home,
      cwd: home,
      servers,
      prompt: 'and?',
      flags: ['--session', 'one'],
      steps: [{ text: 'told' }],
    });
    expect([again.code, again.stdout, server.calls().length]).toEqual([0, 'told\n', before]);
    const [request] = again.requests;
    expect(request?.breach).toBeUndefined();
    // Every call that had an effect is in the history, and none of them is told as not run.
    const told = (request?.seen.turns ?? []).flatMap((turn) =>
      turn.role === 'tool' ? turn.results : [],
    );
    expect(told.length).toBeGreaterThanOrEqual(effects.length);
    expect(told.slice(0, effects.length).filter(({ text }) => text.startsWith('Not run'))).toEqual(
      [],
    );
  },
  20_000,
);
