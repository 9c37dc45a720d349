import { afterAll, describe, expect, test } from 'bun:test';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { registerSecret } from '../../src/base/redact.ts';
import { killAll, spawnChild } from '../../src/base/spawn.ts';
import { createHookRunner } from '../../src/calls/hook-process.ts';
import { createHooks, type HookCall } from '../../src/calls/hooks.ts';
import type { HookCommand } from '../../src/config/types.ts';
import type { ToolResult } from '../../src/tools/types.ts';
import { newFolder } from '../helpers/places.ts';
import { isAlive } from '../helpers/processes.ts';
import { textResult } from '../tools/samples.ts';

const never = new AbortController().signal;
const cwd = newFolder();
afterAll(killAll);

/** Waits last a hundredth: 5 s are 50 ms. */
const hurried: Clock = {
  now: () => systemClock.now() * 100,
  date: () => new Date(0),
  after: (delayMs, action) => systemClock.after(delayMs / 100, action),
};

const call: HookCall = {
  server: 'gh',
  tool: 'push',
  publicName: 'gh_push',
  arguments: { repo: 'acme/x' },
  annotations: { destructiveHint: true },
  trusted: false,
  session: null,
  surface: 'run',
  parentToolCallId: null,
};

const shell = (script: string): HookCommand => ({
  command: '/bin/sh',
  args: ['-c', script],
  place: 'c.yaml:3',
});

function hooksOf(
  toolCall: readonly HookCommand[],
  toolResult: readonly HookCommand[] = [],
  clock = systemClock,
) {
  const env = { PATH: String(Bun.env['PATH']), ONLY: 'this' };
  const hooks = createHooks(
    { toolCall, toolResult },
    createHookRunner({ spawn: spawnChild, clock, env, cwd }),
  );
  if (hooks === undefined) throw new Error('no hooks');
  return hooks;
}
const ask = (...scripts: readonly string[]) => hooksOf(scripts.map(shell)).beforeCall(call, never);
const filter = (result: ToolResult, ...scripts: readonly string[]) =>
  hooksOf([], scripts.map(shell)).afterCall(call, result, never);
const say = (answer: object) => `cat >/dev/null; echo '${JSON.stringify(answer)}'`;

test('without commands there are no hooks', () => {
  const run = () => Promise.reject(new Error('not run'));
  expect(createHooks({ toolCall: [], toolResult: [] }, run)).toBeUndefined();
  expect(createHooks(undefined, run)).toBeUndefined();
});

describe('a tool_call hook', () => {
  test('is told the whole call on stdin, with the given environment alone, in the working directory', async () => {
    const seen = join(newFolder(), 'seen');
    expect(await ask(`cat >${seen}; env >${seen}.env; pwd >${seen}.pwd`)).toEqual([]);
    expect(JSON.parse(readFileSync(seen, 'utf8'))).toEqual(call);
    const names = readFileSync(`${seen}.env`, 'utf8').match(/^\w+(?==)/gm) ?? [];
    expect(names.filter((name) => !['PWD', 'SHLVL', 'OLDPWD', '_'].includes(name)).sort()).toEqual([
      'ONLY',
      'PATH',
    ]);
    expect(readFileSync(`${seen}.pwd`, 'utf8').trim()).toEndWith(cwd);
  });

  test('allows, asks or denies, with a reason', async () => {
    expect(
      await ask(
        say({ decision: 'allow' }),
        say({ decision: 'ask', reason: 'look at it' }),
        say({ decision: 'deny' }),
      ),
    ).toEqual([
      { effect: 'allow', why: 'hook c.yaml:3 sh: allow', reason: undefined },
      { effect: 'ask', why: 'hook c.yaml:3 sh: look at it', reason: 'look at it' },
      { effect: 'deny', why: 'hook c.yaml:3 sh: deny', reason: undefined },
    ]);
  });

  test('that denies is the last one asked', async () => {
    const mark = join(newFolder(), 'mark');
    const verdicts = await ask(say({ decision: 'deny' }), `touch ${mark}`);
    expect([verdicts.length, existsSync(mark)]).toEqual([1, false]);
  });

  test('with exit code 2 denies, its stderr is the reason, harmless and without secrets', async () => {
    registerSecret('canary-in-a-hook');
    const script = `printf 'no \\033[31mway\\ncanary-in-a-hook' >&2; exit 2`;
    expect(await ask(script)).toEqual([
      { effect: 'deny', why: 'hook c.yaml:3 sh: no way ***', reason: 'no way ***' },
    ]);
  });

  test.each([
    ['exit code 1', 'echo broken >&2; exit 1', 'exit code 1: broken'],
    ['an end by a signal', 'kill -9 $$', 'ended by SIGKILL'],
    ['an answer that is no JSON', 'echo yes', 'its answer is no JSON'],
    ['no decision', 'echo {}', 'answered with neither allow, ask nor deny'],
    [
      'an unknown decision',
      say({ decision: 'maybe' }),
      'answered with neither allow, ask nor deny',
    ],
    ['a bare word', 'echo \'"allow"\'', 'answered with neither allow, ask nor deny'],
    [
      'a reason that is no text',
      say({ decision: 'allow', reason: 5 }),
      'answered with neither allow, ask nor deny',
    ],
    ['two documents', `${say({ decision: 'allow' })}; echo '{}'`, 'its answer is no JSON'],
    [
      'two decisions',
      `cat >/dev/null; echo '{"decision": "deny", "decision": "allow"}'`,
      'its answer says "decision" twice',
    ],
    ['too much to say', 'head -c 70000 /dev/zero', 'it wrote more than 64 KiB'],
    ['too much on stderr', 'head -c 70000 /dev/zero >&2', 'it wrote more than 64 KiB'],
  ])('with %s denies', async (_, script, why) => {
    expect(await ask(script)).toEqual([
      { effect: 'deny', why: `hook c.yaml:3 sh: ${why}`, reason: undefined },
    ]);
  });

  test('that cannot be started denies', async () => {
    const missing = { command: '/no/such/hook', args: [], place: 'c.yaml:3' };
    const [verdict] = await hooksOf([missing]).beforeCall(call, never);
    expect(verdict?.effect).toBe('deny');
    expect(verdict?.why).toContain('/no/such/hook');
  });

  test('that is silent for 5 s denies, and its whole group is gone', async () => {
    const pids = join(newFolder(), 'pids');
    const slow = shell(`sleep 600 & echo $! $$ >${pids}; wait`);
    const verdicts = await hooksOf([slow], [], hurried).beforeCall(call, never);
    expect(verdicts).toEqual([
      { effect: 'deny', why: 'hook c.yaml:3 sh: no answer within 5s', reason: undefined },
    ]);
    const started = existsSync(pids)
      ? readFileSync(pids, 'utf8').trim().split(' ').map(Number)
      : [];
    expect(started.filter(isAlive)).toEqual([]);
  });

  test('leaves nothing behind after an answer', async () => {
    const pid = join(newFolder(), 'pid');
    const script = `sleep 600 >/dev/null 2>&1 & echo $! >${pid}; ${say({ decision: 'allow' })}`;
    expect(await ask(script)).toEqual([
      { effect: 'allow', why: 'hook c.yaml:3 sh: allow', reason: undefined },
    ]);
    expect(isAlive(Number(readFileSync(pid, 'utf8')))).toBe(false);
  });

  test('need not read what it is told', async () => {
    const big = { ...call, arguments: { text: 'x'.repeat(1_000_000) } };
    const verdicts = await hooksOf([shell(`echo '{"decision":"allow"}'`)]).beforeCall(big, never);
    expect(verdicts.map(({ effect }) => effect)).toEqual(['allow']);
  });

  test('is no shell line: its arguments arrive as they are', async () => {
    const program = join(newFolder(), 'hook');
    writeFileSync(program, `#!/bin/sh\nprintf '{"decision":"ask","reason":"%s"}' "$1"\n`);
    chmodSync(program, 0o755);
    const hook = { command: program, args: ['$(id); *'], place: 'c.yaml:3' };
    const [verdict] = await hooksOf([hook]).beforeCall(call, never);
    expect(verdict?.reason).toBe('$(id); *');
  });

  test('ends with the call', async () => {
    const controller = new AbortController();
    const asked = hooksOf([shell('sleep 600')]).beforeCall(call, controller.signal);
    controller.abort(new Error('cancelled'));
    await expect(asked).rejects.toThrow('cancelled');
  });
});

describe('a tool_result hook', () => {
  const changed = {
    content: [{ type: 'text', text: 'clean' }],
    structuredContent: { a: 1 },
    isError: false,
  };

  test('gets call and result, and with nothing to say leaves the result as it is', async () => {
    const seen = join(newFolder(), 'seen');
    const result = textResult('secret');
    const passed = await filter(result, `cat >${seen}`);
    expect(passed).toEqual({ result, changes: [] });
    expect(JSON.parse(readFileSync(seen, 'utf8'))).toEqual({
      call,
      content: [{ type: 'text', text: 'secret' }],
      structuredContent: null,
      isError: false,
    });
  });

  test('replaces content, structuredContent and isError together; both hashes are told', async () => {
    const passed = await filter(textResult('secret'), say(changed));
    expect(passed.result).toEqual({ ...changed, raw: changed });
    const [change] = passed.changes;
    expect(change).toEqual({
      hook: 'c.yaml:3 sh',
      before: expect.stringMatching(/^[0-9a-f]{64}$/),
      after: expect.stringMatching(/^[0-9a-f]{64}$/),
      reason: undefined,
    });
    expect(change?.after).not.toBe(change?.before);
  });

  test('one after the other, each gets what the one before made', async () => {
    const upper = `sed 's/.*"clean".*/{"content":[{"type":"text","text":"CLEAN"}],"isError":true}/'`;
    const passed = await filter(textResult('secret'), say(changed), upper);
    expect(passed.result.content).toEqual([{ type: 'text', text: 'CLEAN' }]);
    expect([passed.result.isError, passed.result.structuredContent]).toEqual([true, undefined]);
    expect(passed.changes.map(({ before }) => before)).toEqual([
      expect.any(String),
      passed.changes[0]?.after,
    ] as never);
  });

  test('that answers with the same is no change', async () => {
    const same = { content: [{ type: 'text', text: 'x' }], isError: false };
    expect((await filter(textResult('x'), say(same))).changes).toEqual([]);
  });

  const withheld = 'did not answer with {content, structuredContent, isError}';
  test.each([
    ['exit code 2', 'echo private >&2; exit 2', 'private'],
    ['exit code 1', 'exit 1', 'exit code 1'],
    ['no JSON', 'echo x', 'its answer is no JSON'],
    [
      'two contents',
      `echo '{"content":[],"content":[],"isError":false}'`,
      'its answer says "content" twice',
    ],
    ['no content', say({ isError: false }), withheld],
    ['content alone', say({ content: [] }), withheld],
    ['blocks that are none', say({ content: ['text'], isError: false }), withheld],
    ['a block without its text', say({ content: [{ type: 'text' }], isError: false }), withheld],
    ['keys that nobody knows', say({ ...changed, _meta: {} }), withheld],
  ])('with %s withholds the result, and nothing of it is left', async (_, script, reason) => {
    const { result, changes } = await filter(textResult('secret'), script, 'touch /no');
    const text = `gh/push was called, but its result is withheld by a hook of the user (c.yaml:3 sh: ${reason}). Do not repeat the call.`;
    const content = [{ type: 'text', text }];
    expect(result).toEqual({
      content,
      structuredContent: undefined,
      isError: true,
      raw: { content, isError: true },
    });
    expect(changes).toEqual([
      { hook: 'c.yaml:3 sh', before: expect.any(String) as never, after: undefined, reason },
    ]);
    expect(JSON.stringify(result)).not.toContain('secret');
  });
});
