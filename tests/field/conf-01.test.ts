import { expect, test } from 'bun:test';
import { stdioCommand } from '../helpers/config.ts';
import { runUsher } from '../helpers/usher.ts';

const good = stdioCommand();

/** Each with what its one line must point at. */
const BAD: readonly (readonly [entry: object | string, key: string])[] = [
  [{ name: 'bad', command: [1] }, 'command'],
  [{ name: 'bad' }, 'url'],
  [{ name: 'bad', url: 'htp:/x' }, 'url'],
  [{ name: 'bad', command: ['npx', '-y'] }, 'command'],
  [{ name: 'bad', command: 'npx', args: '-y thing' }, 'args'],
  [{ name: 'bad', command: 'npx', env: ['A=1'] }, 'env'],
  [{ name: 'bad', command: 'npx', timeout: '30s' }, 'timeout'],
  [{ name: 'bad', command: 'npx', timeout: -1 }, 'timeout'],
  [{ name: 'bad', command: 'npx', timeout: { idle: 'soon' } }, 'idle'],
  [{ name: 'bad', command: 'npx', url: 'http://127.0.0.1:1/mcp' }, 'url'],
  [{ name: 'bad', command: 'npx', comand: 'x' }, 'command'],
  [{ name: 'bad', command: 'npx', permissions: 'maybe' }, 'permissions'],
  [{ command: 'npx' }, 'name'],
];

test('one bad entry of any kind costs itself alone, in one warning with its place', async () => {
  const runs = await Promise.all(
    BAD.map(async ([entry, key]) => {
      const config = { servers: [entry, { name: 'good', ...good, tools: ['echo'] }] };
      const run = await runUsher(['tools', '--json'], { config: config as never });
      const names = run.code === 0 ? JSON.parse(run.stdout).tools : [];
      const places = run.stderr.match(/config\.yaml:\d+:\d+/g) ?? [];
      return {
        entry,
        code: run.code,
        tools: names.map((tool: { server: string; name: string }) => [tool.server, tool.name]),
        places: places.length,
        namesKey: run.stderr.includes(key),
        trace: /\n\s+at .*\(/.test(run.stderr),
      };
    }),
  );
  expect(runs).toEqual(
    BAD.map(([entry]) => ({
      entry,
      code: 0,
      tools: [['good', 'echo']],
      places: 1,
      namesKey: true,
      trace: false,
    })),
  );
}, 20_000);

test('all problems of a file are told at once, each with line and column', async () => {
  const config = `servers:
  - name: good
    command: ${good.command}
    args: ${JSON.stringify(good.args)}
  - name: one
    command: 1
  - name: two
  - name: three
    url: "htp:/x"
`;
  const run = await runUsher(['config', 'check'], { config });
  const all = run.stdout + run.stderr;
  expect(run.code).toBe(3);
  for (const line of [6, 7, 9]) expect(all).toContain(`config.yaml:${line}:`);
});
