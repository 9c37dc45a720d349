import { describe, expect, test } from 'bun:test';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { runScripted, toolTexts } from '../helpers/scripted-run.ts';

const half = { name: 's1_echo', arguments: '{"text":"half' };
const whole = { name: 's1_echo', arguments: '{"text":"whole"}' };

describe('a reply that hit the output limit inside its calls', () => {
  test.each([
    ['in the middle of the arguments', [half]],
    ['just behind them', [whole]],
    ['in the second of two', [whole, half]],
  ])('%s: nothing runs, and the run ends soon and says why', async (_name, toolCalls) => {
    await using server = await startMcpServer();
    const run = await runScripted({
      servers: [{ name: 's1', url: server.url }],
      steps: { steps: [{ toolCalls, finish: 'length' }], after: 'repeat' },
    });
    expect([run.code, run.stdout]).toEqual([7, '']);
    expect(server.calls()).toEqual([]);
    expect(run.requests.length).toBeLessThan(10);
    expect(run.stderr).toMatch(/limit|length|cut/i);
    for (const request of run.requests.slice(1)) expect(request.breach).toBeUndefined();
  });

  test('each of its calls gets an error result that the model can act on', async () => {
    await using server = await startMcpServer();
    const run = await runScripted({
      servers: [{ name: 's1', url: server.url }],
      steps: [{ toolCalls: [whole, half], finish: 'length' }, { text: 'shorter now' }],
    });
    expect([run.code, run.stdout.trim(), server.calls()]).toEqual([0, 'shorter now', []]);
    expect(toolTexts(run.requests)).toHaveLength(2);
  });
});

test('unterminated arguments under another finish reason do not run either', async () => {
  await using server = await startMcpServer();
  const run = await runScripted({
    servers: [{ name: 's1', url: server.url }],
    steps: [{ toolCalls: [half], finish: 'tool_calls' }, { text: 'mended' }],
  });
  expect([run.code, run.stdout.trim(), server.calls()]).toEqual([0, 'mended', []]);
  expect(toolTexts(run.requests)).toEqual([
    'not run: this reply was cut off in the middle of the arguments of a call. Send its calls again, whole.',
  ]);
});

test('plain text cut by length is shown, with a warning and exit code 7', async () => {
  const run = await runScripted({ steps: [{ text: 'as far as it', finish: 'length' }] });
  expect([run.code, run.stdout.trim()]).toEqual([7, 'as far as it']);
  expect(run.stderr).toMatch(/length|limit|cut/i);
});
