import { expect, test } from 'bun:test';
import { DEFAULT_RULES } from '../fixtures/models/types.ts';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { runScripted } from '../helpers/scripted-run.ts';

test.each(['reasoning-required', 'reasoning-forbidden'] as const)(
  'a thinking model with the rule %s gets what it wants, and its thoughts stay off stdout',
  async (rule) => {
    await using server = await startMcpServer();
    const reasoning = ['let me ', 'think'];
    const run = await runScripted({
      servers: [{ name: 's1', url: server.url }],
      steps: {
        rules: [...DEFAULT_RULES, rule],
        steps: [
          { reasoning, toolCalls: [{ name: 's1_echo', arguments: '{"text":"a"}' }] },
          { reasoning, toolCalls: [{ name: 's1_echo', arguments: '{"text":"b"}' }] },
          { reasoning, text: 'answered' },
        ],
      },
    });
    expect([run.code, run.stdout]).toEqual([0, 'answered\n']);
    expect(run.requests.map((request) => request.breach)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  },
);
