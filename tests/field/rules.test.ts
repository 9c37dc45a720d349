/** Rules and hooks at the binary: what is denied stays denied, and every decision says why. */
import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { tool } from '../fixtures/servers/script.ts';
import { stdioServer } from '../helpers/config.ts';
import { newFolder } from '../helpers/places.ts';
import { callThenAnswer, runScripted, toolTexts } from '../helpers/scripted-run.ts';
import { runUsher } from '../helpers/usher.ts';

const any = { type: 'object', properties: {} };
const server = (marker: string) =>
  stdioServer('s1', {
    tools: [
      tool('mark', 'Marks.', any, { does: { writes: marker } }),
      tool('see', 'Sees.', any, { annotations: { readOnlyHint: true } }),
    ],
  });

test('a deny rule on arguments holds against auto and --yes; the model, stderr and the stream say so', async () => {
  const marker = join(newFolder(), 'marker');
  const run = await runScripted({
    servers: [server(marker)],
    mcp: { permissions: 'auto' },
    root: { rules: [{ deny: 's1/mark', when: { path: 'secrets/*' } }] },
    steps: callThenAnswer(['s1_mark', { path: 'a/../secrets/key' }]),
    flags: ['--yes', 's1/mark', '--permissions', 'auto', '--output', 'stream-json'],
  });
  expect([run.code, existsSync(marker)]).toEqual([5, false]);
  expect(toolTexts(run.requests)[0]).toContain('a rule of the user');
  const events = run.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const why = expect.stringMatching(/config\.yaml:\d+ deny "s1\/mark" when path: "secrets\/\*"$/);
  expect(events.find(({ type }) => type === 'permission')).toMatchObject({ effect: 'deny', why });
  expect(events.at(-1).denied).toMatchObject([{ server: 's1', tool: 'mark', by: 'rule' }]);
});

test('a call that a person types is denied by a rule as well', async () => {
  const marker = join(newFolder(), 'marker');
  const config = { rules: [{ deny: 's1/m*' }], servers: [server(marker)] };
  const run = await runUsher(['call', 's1/mark'], { config });
  expect([run.code, existsSync(marker), run.stdout]).toEqual([5, false, '']);
  expect(run.stderr).toContain('deny "s1/m*"');
});

test('usher tools --why names the rule with its line, for every tool', async () => {
  const config = {
    rules: [{ deny: 's1/m*' }, { allow: 's1/see', when: { path: 'docs/*' } }],
    servers: [server('/nowhere')],
  };
  const run = await runUsher(['tools', '--why'], { config });
  expect([run.code, run.stdout.replace(/\S*config\.yaml/g, 'config.yaml')]).toEqual([
    0,
    [
      's1/mark  deny   config.yaml:3 deny "s1/m*"',
      's1/see   ask    mcp.permissions: ask',
      '         allow  config.yaml:6 allow "s1/see" when path: "docs/*"',
      '',
    ].join('\n'),
  ]);
});

test('an example in a rule that does not hold keeps usher from starting', async () => {
  const config = {
    rules: [{ allow: 's1/*', examples: [{ call: 's1/mark', expect: 'deny' }] }],
    servers: [server('/nowhere')],
  };
  const run = await runUsher(['tools'], { config });
  expect([run.code, run.stdout]).toEqual([3, '']);
  expect(run.stderr).toMatch(
    /config\.yaml:\d+:\d+ rules\[0\]\.examples\[0\]: this example gives allow, expected deny/,
  );
});

test('a hook that dies denies; one that answers with a changed result is all that anyone sees', async () => {
  const marker = join(newFolder(), 'marker');
  const dead = { hooks: { tool_call: [['/bin/sh', '-c', 'exit 3']] }, servers: [server(marker)] };
  const refused = await runUsher(['call', 's1/mark'], { config: dead });
  expect([refused.code, existsSync(marker)]).toEqual([5, false]);
  expect(refused.stderr).toContain('sh: exit code 3');
  const answer = JSON.stringify({ content: [{ type: 'text', text: 'clean' }], isError: false });
  const clean = {
    hooks: { tool_result: [['/bin/sh', '-c', `cat >/dev/null; echo '${answer}'`]] },
    servers: [server(marker)],
  };
  const seen = await runUsher(['call', 's1/see', 'secret=x', '--json'], { config: clean });
  expect([seen.code, JSON.parse(seen.stdout)]).toEqual([0, JSON.parse(answer)]);
});
