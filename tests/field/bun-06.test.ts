import { expect, test } from 'bun:test';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { tool } from '../fixtures/servers/script.ts';
import { runScripted } from '../helpers/scripted-run.ts';
import { runUsher, type UsherOptions } from '../helpers/usher.ts';

const any = { type: 'object', properties: {} };
const long = 'word '.repeat(50_000);
const tools = [
  tool('big', 'Big.', any, { does: { result: { content: [{ type: 'text', text: long }] } } }),
  tool('bad', 'Bad.', any, {
    does: { result: { content: [{ type: 'text', text: long }], isError: true } },
  }),
  ...Array.from({ length: 400 }, (_, n) => tool(`tool_${n}`, 'what it does '.repeat(50), any)),
];
/** 2,400 problems: far more text than a pipe holds. */
const wrong = Array.from({ length: 6 }, (_, n) => `    comand${n}: x\n`).join('');
const broken = `servers:\n${Array.from({ length: 400 }, (_, n) => `  - name: n${n}\n${wrong}`).join('')}`;

interface Path {
  readonly args: readonly string[];
  readonly code: number;
  readonly config?: string;
  /** Least size of the output, characters. */
  readonly atLeast: number;
}

const PATHS: readonly Path[] = [
  { args: ['tools', '--json'], code: 0, atLeast: 200_000 },
  { args: ['tools'], code: 0, atLeast: 5000 },
  { args: ['call', 's1', 'big', '--json'], code: 0, atLeast: 200_000 },
  { args: ['call', 's1', 'big'], code: 0, atLeast: 40_000 },
  { args: ['call', 's1', 'bad', '--json'], code: 1, atLeast: 200_000 },
  { args: ['config', 'check'], code: 3, config: broken, atLeast: 200_000 },
  { args: ['config', 'schema'], code: 0, atLeast: 1000 },
  { args: ['config', 'example'], code: 0, atLeast: 1000 },
  { args: ['--help'], code: 0, atLeast: 500 },
];

test('every way out writes all of it first, also to a slow reader', async () => {
  await using server = await startMcpServer({ tools });
  const seen = await Promise.all(
    PATHS.map(async (path) => {
      const needsServer = ['tools', 'call'].includes(path.args[0] ?? '');
      const config = path.config ?? (needsServer ? usual(server.url) : undefined);
      const options: UsherOptions = config === undefined ? {} : { config };
      const quick = await runUsher(path.args, options);
      const slow = await runUsher(path.args, { ...options, stdout: 'slow' });
      const bytes = (one: { stdout: string; stderr: string }) =>
        path.config === undefined ? one.stdout.length : one.stdout.length + one.stderr.length;
      return {
        args: path.args,
        codes: [quick.code, slow.code],
        equal: bytes(quick) === bytes(slow),
        enough: bytes(quick) >= path.atLeast,
      };
    }),
  );
  expect(seen).toEqual(
    PATHS.map((path) => ({
      args: path.args,
      codes: [path.code, path.code],
      equal: true,
      enough: true,
    })),
  );
}, 30_000);

test('a run in every output form writes all of it to a slow reader', async () => {
  const size = 300_000;
  const sizes = await Promise.all(
    ['text', 'json', 'stream-json'].map(async (form) => {
      const run = await runScripted({
        steps: [{ text: 'x'.repeat(1000), repeat: size / 1000 }],
        flags: ['--output', form],
        stdout: 'slow',
      });
      const last = run.stdout.trimEnd().split('\n').at(-1) ?? '';
      const answer = form === 'text' ? last : JSON.parse(last).answer;
      return [form, run.code, answer.length];
    }),
  );
  expect(sizes).toEqual([
    ['text', 0, size],
    ['json', 0, size],
    ['stream-json', 0, size],
  ]);
}, 20_000);

function usual(url: string): string {
  return JSON.stringify({ servers: [{ name: 's1', url }] });
}
