/** `search` against a fake host. */
import { describe, expect, test } from 'bun:test';
import { cli, emptyConfig, reportOf, snapshotOf, statusOf, stdinOf, toolOf } from './fakes.ts';

const tools = [
  toolOf('fs', 'move_file', 'Moves or renames a file.\nAll of it.'),
  toolOf('sky', 'get_weather', 'Weather for a city.'),
];
const host = { report: reportOf([statusOf('fs'), statusOf('sky')]), snapshot: snapshotOf(tools) };
const given = { host, config: emptyConfig };

describe('search', () => {
  test('takes words with or without quotes and prints the best first', async () => {
    const run = await cli(['search', 'rename', 'a', 'file'], given);
    expect([run.exit, run.stdout]).toEqual([0, 'fs/move_file  Moves or renames a file.\n']);
  });

  test('--json is one document', async () => {
    const run = await cli(['search', 'weather', '--json'], given);
    expect(JSON.parse(run.stdout)).toEqual({
      query: 'weather',
      tools: [
        {
          server: 'sky',
          name: 'get_weather',
          publicName: 'sky_get_weather',
          exposure: 'direct',
          description: 'Weather for a city.',
          score: expect.any(Number),
        },
      ],
    });
  });

  test('--limit says how many at most, and is the limit of batch lines without their own', async () => {
    const both = await cli(['search', 'file for a city', '--json', '--limit', '2'], given);
    const one = await cli(['search', 'file for a city', '--json', '--limit', '1'], given);
    const count = ({ stdout }: { readonly stdout: string }) => JSON.parse(stdout).tools.length;
    expect([count(both), count(one)]).toEqual([2, 1]);
    const stdin = stdinOf(['{"id":1,"query":"file for a city"}\n']);
    const batch = await cli(['search', '--batch', '--limit', '1'], { ...given, stdin });
    expect(JSON.parse(batch.stdout).results).toHaveLength(1);
    for (const limit of ['0', 'x', '1001']) {
      expect((await cli(['search', 'file', '--limit', limit], given)).exit).toBe(2);
    }
  });

  test('says when nothing fits', async () => {
    const run = await cli(['search', 'zzzz'], given);
    expect([run.exit, run.stdout, run.stderr]).toEqual([
      0,
      '',
      expect.stringContaining('no tool fits'),
    ]);
  });

  test('--batch answers each line by its id, the last one without a newline too', async () => {
    const lines = ['{"id":"a","query":"rename file","limit":1}', '', '{"id":7,"query":"rain"}'];
    const run = await cli(['search', '--batch'], { ...given, stdin: stdinOf([lines.join('\n')]) });
    expect([run.exit, run.stdout]).toEqual([
      0,
      '{"id":"a","results":["fs/move_file"]}\n{"id":7,"results":["sky/get_weather"]}\n',
    ]);
  });

  test('--batch goes on after a line that is no question, and exits 2', async () => {
    const stdin = stdinOf([
      'nonsense\n{"id":"a","query":"rename","limit":0}\n{"id":"b","query":"rain"}\n',
    ]);
    const run = await cli(['search', '--batch'], { ...given, stdin });
    const answers = run.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect([run.exit, answers.map(({ id, results }) => [id, results])]).toEqual([
      2,
      [
        [null, []],
        ['a', []],
        ['b', ['sky/get_weather']],
      ],
    ]);
  });

  test('needs a query, and takes none with --batch', async () => {
    expect((await cli(['search'], given)).exit).toBe(2);
    expect((await cli(['search', '--batch', 'x'], given)).exit).toBe(2);
  });
});
