/** Project files at a terminal and in a script: nothing of them runs unseen. */
import { afterEach, describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stdioCommand } from '../helpers/config.ts';
import { newFolder, writeFiles } from '../helpers/places.ts';
import { type PtySession, startPty } from '../helpers/pty.ts';
import { runUsher } from '../helpers/usher.ts';

const QUESTION = /\[y\] start it.*> $/;
const PROMPT = /\n> /;
const open: PtySession[] = [];
afterEach(() => {
  for (const session of open.splice(0)) session.close();
});

/** A workspace whose project servers leave a mark when they are started. */
function workspace(names: readonly string[], more: object = {}) {
  const cwd = newFolder();
  const mark = (name: string) => join(cwd, `started-${name}`);
  const { command, args } = stdioCommand();
  const servers = Object.fromEntries(
    names.map((name) => {
      const line = `touch "${mark(name)}" && exec "$0" "$@"`;
      return [name, { command: 'sh', args: ['-c', line, command, ...args], ...more }];
    }),
  );
  writeFiles(cwd, { '.git/HEAD': '', '.mcp.json': JSON.stringify({ mcpServers: servers }) });
  return { cwd, home: newFolder(), started: () => names.filter((name) => existsSync(mark(name))) };
}

function session(
  { cwd, home }: { readonly cwd: string; readonly home: string },
  flags: string[] = [],
) {
  const started = startPty(flags, { cwd, home });
  open.push(started);
  return started;
}

describe('the question of a session', () => {
  test('comes once for each server, shows what would start, and Enter is a no', async () => {
    const place = workspace(['one', 'two'], { env: { SECRET_NAME: 'hidden-value', B: 'x' } });
    const first = session(place);
    const shown = await first.waitFor(QUESTION);
    expect(shown).toContain('.mcp.json:1 wants to run a server');
    expect(shown.replace(/\s+/g, ' ')).toContain('command: sh -c');
    expect(shown).toContain('env: SECRET_NAME=*** B=x');
    expect(shown).not.toContain('hidden-value');
    expect(place.started()).toEqual([]);
    first.send('\r');
    await first.waitFor(QUESTION);
    first.send('y\r');
    await first.waitFor(/two .*stdio/);
    await first.waitFor(PROMPT);
    // What was just answered is no news.
    expect(first.text()).not.toContain('is not started');
    first.send('/exit\r');
    expect(await first.exited).toBe(0);
    expect(place.started()).toEqual(['two']);
  });

  test('a yes is kept until the entry changes, a never for good, a no asks again', async () => {
    const place = workspace(['one', 'two', 'three']);
    const first = session(place);
    for (const answer of ['y\r', 'n\r', 'r\r']) {
      await first.waitFor(QUESTION);
      first.send(answer);
    }
    await first.waitFor(/one .*stdio/);
    first.send('/exit\r');
    expect([await first.exited, place.started()]).toEqual([0, ['one']]);
    const list = await runUsher(['mcp', 'list', '--json'], place);
    expect(
      JSON.parse(list.stdout).pending.map(({ name, state }: Record<string, string>) => [
        name,
        state,
      ]),
    ).toEqual([
      ['two', 'pending'],
      ['three', 'rejected'],
    ]);
    const path = join(place.cwd, '.mcp.json');
    writeFiles(place.cwd, {
      '.mcp.json': readFileSync(path, 'utf8').replace('touch', 'true && touch'),
    });
    const second = session(place);
    expect(await second.waitFor(QUESTION)).toContain('has changed since you decided on it');
    second.send('\x03');
    await second.waitFor('workspace');
    second.send('/exit\r');
    expect(await second.exited).toBe(0);
  });

  test('hides nothing and fakes nothing: control and bidi characters are shown as what they are', async () => {
    const place = workspace([]);
    const evil = 'good\u001b[2K\u202e\nusher> y';
    // At some width a line would begin where this one wants it to.
    const fakes = Array.from({ length: 40 }, (_, width) => `${'x'.repeat(width)}   command: true`);
    writeFiles(place.cwd, {
      '.mcp.json': JSON.stringify({
        mcpServers: { a: { command: '/bin/true', args: [evil, ...fakes], env: { A: 'b' } } },
      }),
    });
    const asked = session(place);
    const shown = await asked.waitFor(QUESTION);
    expect(shown).toContain("'good\\u{1b}[2K\\u{202e}\\nusher> y'");
    expect(asked.raw()).not.toContain('\u202e');
    expect(shown.match(/^ {2}\w[^:]*:/gm)).toEqual(['  command:', '  env:']);
    asked.send('\x04');
    await asked.waitFor('workspace');
    expect(place.started()).toEqual([]);
  });

  test('is not asked with --no-input', async () => {
    const place = workspace(['one']);
    const quiet = session(place, ['--no-input']);
    await quiet.waitFor('usher mcp approve one');
    await quiet.waitFor(PROMPT);
    expect([quiet.text().includes('start it'), place.started()]).toEqual([false, []]);
  });
});

describe('without a terminal', () => {
  test('nothing starts, a warning names the way; --approve and the variable let it run once', async () => {
    const place = workspace(['one']);
    const run = (words: string[], env: Record<string, string> = {}) =>
      runUsher(words, { ...place, env });
    const waiting = await run(['tools', '--json']);
    expect([waiting.code, place.started()]).toEqual([0, []]);
    expect(waiting.stderr).toContain('server one is not started');
    expect(waiting.stderr).toContain('usher mcp approve one');
    const named = await run(['tools', 'one']);
    expect([named.code, place.started()]).toEqual([5, []]);
    const flag = await run(['tools', 'one', '--json', '--approve', 'one']);
    expect([flag.code, JSON.parse(flag.stdout).tools.length > 0]).toEqual([0, true]);
    const listed = await run(['tools', 'one', '--json'], { USHER_MCP_ALLOWLIST: 'x,one' });
    expect(listed.code).toBe(0);
    expect((await run(['tools', 'one'])).code).toBe(5);
    const misspelled = await run(['tools', '--approve', 'oen']);
    expect([misspelled.code, misspelled.stderr]).toEqual([
      2,
      expect.stringContaining('did you mean one?'),
    ]);
  });

  test('mcp approve, reject and reset decide', async () => {
    const place = workspace(['one']);
    const run = async (...words: string[]) => {
      const { code, stdout } = await runUsher(words, place);
      return [code, stdout];
    };
    expect(await run('mcp', 'approve', 'one')).toEqual([
      0,
      expect.stringMatching(/^\.mcp\.json:1: server one approved\n {2}command: sh -c /),
    ]);
    expect((await run('tools', 'one'))[0]).toBe(0);
    expect((await run('mcp', 'reject', 'one'))[0]).toBe(0);
    expect((await run('tools', 'one'))[0]).toBe(5);
    expect(await run('mcp', 'reset')).toEqual([0, '1 decision forgotten\n']);
    expect((await run('mcp', 'approve', 'workspace'))[0]).toBe(2);
    expect((await run('mcp', 'approve', 'none'))[0]).toBe(2);
  });
});
