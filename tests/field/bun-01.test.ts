import { describe, expect, test } from 'bun:test';
import { join, resolve } from 'node:path';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { tool } from '../fixtures/servers/script.ts';
import { writeConfig } from '../helpers/config.ts';
import { newFolder } from '../helpers/places.ts';
import { runScripted } from '../helpers/scripted-run.ts';
import { runUsher, type UsherOptions, usherBinary } from '../helpers/usher.ts';

const unit = 'ä word and 漢字; ';
const answer = { text: unit, repeat: 15_000 };
const expected = `${unit.repeat(15_000)}\n`;

describe('an answer of 300 KB', () => {
  test.each([undefined, 'slow'] as const)(
    'arrives whole at a reader that is %p',
    async (stdout) => {
      const manner: UsherOptions = stdout === undefined ? {} : { stdout };
      const run = await runScripted({ steps: [answer], ...manner });
      expect(run.code).toBe(0);
      expect([run.stdout.length, run.stdout === expected]).toEqual([expected.length, true]);
    },
  );

  test('ends quietly when the reader goes away', async () => {
    const run = await runScripted({ steps: [answer], stdout: 'head' });
    expect([run.code, run.stdout.length > 0]).toEqual([0, true]);
    expect(run.stderr).not.toMatch(/EPIPE|broken pipe|error/i);
  });
});

describe('a list of 300 KB', () => {
  test('has as many bytes in a file, through a pipe, a slow pipe and at a waiting parent', async () => {
    const description = 'what it does '.repeat(50);
    const any = { type: 'object', properties: {} };
    const tools = Array.from({ length: 450 }, (_, n) => tool(`t${n}`, description, any));
    await using server = await startMcpServer({ tools });
    const folder = newFolder();
    const config = writeConfig(folder, { servers: [{ name: 's1', url: server.url }] });
    const command = `"${usherBinary}" tools --json --config "${config}"`;
    const file = join(folder, 'out');
    const shell = async (line: string) => {
      const env = { PATH: String(Bun.env['PATH']), HOME: folder };
      const child = Bun.spawn(['bash', '-o', 'pipefail', '-c', line], {
        env,
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      return { text: await child.stdout.text(), code: await child.exited };
    };
    const parent = `process.stdout.write(String(require('node:child_process').execFileSync(
      process.argv[1], ['tools', '--json', '--config', process.argv[2]], { maxBuffer: 1e8 }).length))`;
    const results = [
      await shell(`${command} >"${file}"; echo "$?:"; wc -c <"${file}"`),
      await shell(`${command} | wc -c`),
      await shell(`${command} | (sleep 1; wc -c)`),
      await shell(
        `"${process.execPath}" -e "$(cat <<'X'\n${parent}\nX\n)" "${usherBinary}" "${config}"`,
      ),
      await shell(`${command} | head -c 10`),
    ];
    const whole = Bun.file(file).size;
    expect(whole).toBeGreaterThan(300_000);
    expect(JSON.parse(await Bun.file(resolve(file)).text()).tools).toHaveLength(450);
    expect(
      results.slice(0, 4).map((one) => [one.code, Number(one.text.split(':').at(-1))]),
    ).toEqual(Array.from({ length: 4 }, () => [0, whole]));
    expect(results[0]?.text).toStartWith('0:');
    expect([results[4]?.code, results[4]?.text.length]).toEqual([0, 10]);
  }, 20_000);

  test('gives the exit code of the work, not of the pipe', async () => {
    const text = 'x'.repeat(300_000);
    await using server = await startMcpServer({
      tools: [
        tool(
          'big',
          'Big.',
          { type: 'object' },
          {
            does: { result: { content: [{ type: 'text', text }], isError: true } },
          },
        ),
      ],
    });
    const run = await runUsher(['call', 's1', 'big', '--json'], {
      config: { servers: [{ name: 's1', url: server.url }] },
      stdout: 'slow',
    });
    expect(run.code).toBe(1);
    expect(JSON.parse(run.stdout).content[0].text.length).toBe(text.length);
  });
});
