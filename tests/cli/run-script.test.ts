import { describe, expect, test } from 'bun:test';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { standardTools, tool } from '../fixtures/servers/script.ts';
import { runUsher, startUsher, type UsherOptions } from '../helpers/usher.ts';

const object = { type: 'object', properties: {} };

function house(url: string, more: object = { permissions: 'auto' }) {
  return { servers: [{ name: 's1', url, ...more }] };
}

async function run(url: string, code: string, options: UsherOptions & { flags?: string[] } = {}) {
  return runUsher(['run', 's.js', '-q', ...(options.flags ?? [])], {
    config: house(url),
    ...options,
    files: { 's.js': code },
  });
}

describe('usher run', () => {
  test('prints texts, markers of images and the value, console apart', async () => {
    await using server = await startMcpServer({ tools: standardTools });
    const outcome = await run(
      server.url,
      `text('a'); console.log('note'); const r = await tools.s1_image(); image(r.content[0]);
       return (await tools.s1.echo({ text: 'hi' })).content[0].text;`,
    );
    const lines = outcome.stdout.split('\n');
    expect([lines[0], lines[2], lines[3], outcome.stderr, outcome.code]).toEqual([
      'a',
      '{"text":"hi"}',
      '',
      'note\n',
      0,
    ]);
    expect(lines[1]).toMatch(/^\[image\/png \d+ B saved as .+\.png\]$/);
  });

  test('takes a script from stdin, and words behind it as arguments', async () => {
    const outcome = await runUsher(['run', '-', '--', '-x', 'y'], {
      stdin: { bytes: 'return args' },
    });
    expect([outcome.stdout, outcome.code]).toEqual(['["-x","y"]\n', 0]);
  });

  test('reads stdin for a script that uses input, and for no other', async () => {
    const files = { 'a.js': 'return input.trim().split("\\n").length', 'b.js': 'return 1' };
    const counted = await runUsher(['run', 'a.js'], { files, stdin: { bytes: 'a\nb\nc\n' } });
    expect(counted.stdout).toBe('3\n');
    const ignored = await runUsher(['run', 'b.js'], { files, stdin: 'silent' });
    expect([ignored.stdout, ignored.stderr]).toEqual(['1\n', '']);
  });

  test('streams what is printed while it still runs', async () => {
    await using server = await startMcpServer({
      tools: [tool('slow', 'Slow.', object, { does: { never: true } })],
    });
    const started = startUsher(['run', 's.js'], {
      config: house(server.url),
      files: { 's.js': 'text("first"); await tools.s1_slow()' },
    });
    while (!started.stderrSoFar().includes('s1/slow')) await Bun.sleep(20);
    started.kill('SIGINT');
    const outcome = await started.done;
    expect([outcome.stdout, outcome.code]).toEqual(['first\n', 130]);
  });

  test('answers Ctrl-C also while a script computes', async () => {
    const started = startUsher(['run', 's.js'], {
      files: { 's.js': 'console.log("in"); for (;;);' },
    });
    while (!started.stderrSoFar().includes('in')) await Bun.sleep(20);
    started.kill('SIGINT');
    const outcome = await started.done;
    expect([outcome.stdout, outcome.code]).toEqual(['', 130]);
    expect(outcome.ms).toBeLessThan(5_000);
  });

  test('gives one JSON document', async () => {
    await using server = await startMcpServer({ tools: standardTools });
    const outcome = await run(
      server.url,
      'text({a: 1}); console.log("c"); await tools.s1_echo({text: "x"}); throw new Error("end")',
      { flags: ['--json'] },
    );
    const { wallMs, ...document } = JSON.parse(outcome.stdout);
    expect(typeof wallMs).toBe('number');
    expect(document).toEqual({
      exit: 1,
      error: { kind: 'error', message: 'Error: end (line 1)' },
      output: ['{"a":1}'],
      console: ['c'],
      nestedCalls: {
        complete: true,
        calls: [{ id: 'run/1', tool: 's1/echo', arguments: { text: 'x' }, outcome: 'ok' }],
      },
      denied: [],
      unknownOutcome: [],
      unawaited: [],
      dropped: 0,
    });
  });

  test.each([
    ['completed', 'return 1', 0],
    ['threw', 'throw new Error("x")', 1],
    ['does not compile', 'let let', 1],
    ['tool failed', 'await tools.s1_fails()', 1],
    ['error caught', 'try { await tools.s1_breaks() } catch {}', 0],
    ['denied', 'await tools.s1_wipe()', 5],
    ['denied and caught', 'await tools.s1_wipe().catch(() => 0)', 5],
    ['out of time', '// @options: {"timeout_ms": 200}\nfor (;;);', 7],
    ['out of memory', 'const a = []; for (;;) a.push(new Array(1e5).fill(1))', 7],
    ['options that are none', '// @options: 5', 2],
  ])('exit code when it %s', async (_name, code, exit) => {
    await using server = await startMcpServer({ tools: standardTools });
    const config = house(server.url, { permissions: 'auto', toolPermissions: { wipe: 'deny' } });
    expect((await run(server.url, code, { config })).code).toBe(exit);
  });

  test('waits for the tools of a server whose names it reads', async () => {
    await using server = await startMcpServer({ tools: [tool('one', 'One.', object)] });
    const outcome = await run(
      server.url,
      'const t = tools.s1; return [Object.keys(t), "one" in t]',
    );
    expect([outcome.stdout, outcome.code]).toEqual(['[["one"],true]\n', 0]);
  });

  test('tells of a failed call that nobody awaited', async () => {
    // Long after the other call has failed.
    const late = tool('late', 'Answers late.', object, { does: { afterMs: 1000, echo: true } });
    await using server = await startMcpServer({ tools: [...standardTools, late] });
    const code = 'void (async () => tools.s1_fails())(); await tools.s1_late(); return 1';
    const outcome = await run(server.url, code);
    expect([outcome.stdout, outcome.code]).toEqual(['1\n', 0]);
    expect(outcome.stderr).toStartWith('warning: a call failed: s1/fails: ');
  });

  test('follows the mode: what would be asked is denied, with the line that allows it', async () => {
    await using server = await startMcpServer({ tools: standardTools });
    const config = house(server.url, {});
    const denied = await run(server.url, 'return await tools.s1_echo({text: "x"})', { config });
    expect([denied.code, server.calls()]).toEqual([5, []]);
    expect(denied.stderr).toContain('--yes s1/echo');
    const allowed = await run(server.url, 'return (await tools.s1_echo({text: "x"})).isError', {
      config,
      flags: ['--yes', 's1/echo'],
    });
    expect([allowed.stdout, allowed.code]).toEqual(['false\n', 0]);
    const code = 'await tools.s1_echo({text: "x"}).catch(() => 0); return 1';
    const lenient = await run(server.url, code, { config, flags: ['--on-denied', 'continue'] });
    expect([lenient.stdout, lenient.code]).toEqual(['1\n', 0]);
  });

  test('exits 9 when a call was sent and never answered', async () => {
    await using server = await startMcpServer({
      tools: [tool('lost', 'Loses.', object)],
      instead: { 'tools/call': 'reset' },
    });
    const outcome = await run(server.url, 'await tools.s1_lost()');
    expect(outcome.code).toBe(9);
  });

  test('does not wait for a server that it does not use', async () => {
    await using quick = await startMcpServer({ tools: standardTools });
    await using slow = await startMcpServer({
      tools: standardTools,
      hangAt: ['initialize', 'server/discover'],
    });
    const config = {
      servers: [
        { name: 's1', url: quick.url, permissions: 'auto' },
        {
          name: 'slow',
          url: slow.url,
          permissions: 'auto',
          protocol: 'legacy',
          timeout: { connect: '8s' },
        },
      ],
    };
    const files = { 's.js': 'return (await tools.s1_read()).content[0].text' };
    const outcome = await runUsher(['run', 's.js', '-q'], { config, files });
    expect([outcome.stdout, outcome.code]).toEqual(['nothing to read\n', 0]);
    expect(outcome.ms).toBeLessThan(5_000);
  });

  test('says why a server is not there when one of its tools is called', async () => {
    const config = { servers: [{ name: 'dead', url: 'http://127.0.0.1:9/mcp' }] };
    const files = { 's.js': 'await tools.dead_x()' };
    const outcome = await runUsher(['run', 's.js', '-q'], { config, files });
    expect(outcome.code).toBe(1);
    expect(outcome.stderr).toContain('server dead is not there');
  });

  test('refuses a bound of the output that it does not keep', async () => {
    const code = '// @options: {"max_output_tokens": 5}\ntext("x".repeat(100))';
    for (const flags of [[], ['--check']]) {
      const outcome = await runUsher(['run', '-', ...flags], { stdin: { bytes: code } });
      expect([outcome.code, outcome.stdout]).toEqual([2, '']);
      expect(outcome.stderr).toContain('usher run prints everything');
    }
  });

  test('fails when nobody handles a rejection, after what was printed', async () => {
    const code = 'text("a"); Promise.resolve().then(() => { throw new Error("x") }); return 1';
    const outcome = await runUsher(['run', '-'], { stdin: { bytes: code } });
    expect([outcome.stdout, outcome.stderr, outcome.code]).toEqual([
      'a\n1\n',
      'error: unhandled rejection: Error: x (line 1)\n',
      1,
    ]);
  });

  test.each([
    [['run'], 'which script?'],
    [['run', 'no.js'], 'no.js cannot be read: no such file'],
    [['run', '.'], 'it is a directory'],
  ])('usage: %j', async (words, text) => {
    const outcome = await runUsher(words);
    expect([outcome.code, outcome.stdout]).toEqual([2, '']);
    expect(outcome.stderr).toContain(text);
  });
});

/** As they stand on stderr. */
function problemLines(stderr: string): readonly string[] {
  return stderr.split('\n').filter((line) => line.startsWith('    line'));
}

test('what came of a script until it was ended is in its document', async () => {
  await using server = await startMcpServer({ tools: standardTools, hangAt: ['tools/call'] });
  const config = { servers: [{ name: 's1', url: server.url, permissions: 'auto' }] };
  const code = 'text("first"); await tools.s1_read();';
  const run = await runUsher(['run', '-', '-q', '--json', '--timeout', '700ms'], {
    config,
    stdin: { bytes: code },
  });
  const document = JSON.parse(run.stdout);
  expect([run.code, document.exit, document.output]).toEqual([7, 7, ['first']]);
  expect(document.nestedCalls.calls).toMatchObject([
    { tool: 's1/read', outcome: 'cancelled', error: expect.stringContaining('may have happened') },
  ]);
  expect(document.error.message).toContain('--timeout');
});

describe('usher run --check', () => {
  test('knows other names of tools, and leaves alone what is bound twice', async () => {
    await using server = await startMcpServer({
      tools: [
        tool('put', 'Puts.', { type: 'object', properties: { n: { type: 'integer' } } }),
        tool('get', 'Gets.', object),
      ],
    });
    const code = `const { s1_put, s1_get: get, s1_nope } = tools;
const t = tools
await s1_put({ n: 'x' }); await get();
await t.s1_put({ n: 'y' }); await t.s1_gett();
const { put, none = 1, ...rest } = tools.s1;
await put({ n: 'z' }); await none({}); await rest.get();
await s1_nope(); const s = tools.s1; await s.gone();
const twice = tools; function f(twice) { return twice.s1_no() }
let changed = tools; changed = { s1_no: 1 }; changed.s1_no;
const made = tools.s1_get(), o = { t: 1 }; o.t.s1_no; if (t) made.s1_no;`;
    const outcome = await run(server.url, code, { flags: ['--check'] });
    expect([outcome.code, outcome.stdout, server.calls()]).toEqual([2, '', []]);
    expect(problemLines(outcome.stderr)).toEqual([
      '    line 1: there is no tool "s1_nope"',
      '    line 3: s1_put: arguments.n: expected integer, got string',
      '    line 4: s1_put: arguments.n: expected integer, got string',
      '    line 4: there is no tool "s1_gett"; did you mean s1_get?',
      '    line 6: s1_put: arguments.n: expected integer, got string',
      '    line 7: there is no tool "s1/gone"',
    ]);
  });

  test('says which server is not connected, as text and as JSON', async () => {
    await using server = await startMcpServer({ tools: standardTools });
    const config = {
      servers: [
        { name: 's1', url: server.url, permissions: 'auto' },
        { name: 'dead', url: 'http://127.0.0.1:9/mcp' },
      ],
    };
    const files = { 's.js': 'await tools.s1_read();\nawait tools.dead_x(); await tools.dead.y();' };
    const outcome = await runUsher(['run', '--check', 's.js', '-q', '--json'], { config, files });
    const { exit, problems } = JSON.parse(outcome.stdout);
    expect([outcome.code, exit, server.calls()]).toEqual([4, 4, []]);
    const told = problems.map(({ message, ...more }: { message: string }) => [
      message.slice(0, message.indexOf(' is not connected: ')),
      more,
    ]);
    expect(told).toEqual([
      ['dead_x: server dead', { line: 2, server: 'dead' }],
      ['dead/y: server dead', { line: 2, server: 'dead' }],
    ]);
    expect(problemLines(outcome.stderr)).toHaveLength(2);
    const both = await runUsher(['run', '--check', '-', '-q', '--json'], {
      config,
      stdin: { bytes: 'await tools.dead_x(); await tools.s1_zzzzz()' },
    });
    expect([both.code, JSON.parse(both.stdout).problems[1]]).toEqual([
      2,
      { line: 1, message: 'there is no tool "s1_zzzzz"' },
    ]);
  });

  test('ends with 6 when a sign-in is all that a server lacks', async () => {
    await using server = await startMcpServer({ tools: standardTools, bearer: 'x' });
    const config = { servers: [{ name: 's1', url: server.url, auth: { type: 'oauth' } }] };
    const stdin = { bytes: 'await tools.s1_read()' };
    const outcome = await runUsher(['run', '--check', '-', '-q'], { config, stdin });
    expect([outcome.code, outcome.stdout]).toEqual([6, '']);
    expect(outcome.stderr).toContain('usher mcp login s1');
  });

  test.each([
    ['let let', 'SyntaxError: '],
    ['// @options: {"max_output_tokens": 5}', 'line 1: @options max_output_tokens is for'],
    ['// @options: 5', 'line 1: @options must be'],
  ])('says what cannot run at all as JSON as well: %s', async (bytes, start) => {
    const options = { stdin: { bytes } };
    const outcome = await runUsher(['run', '--check', '-', '--json'], options);
    const { exit, problems } = JSON.parse(outcome.stdout);
    expect([outcome.code, exit, problems.length]).toEqual([2, 2, 1]);
    expect(problems[0].message).toStartWith(start);
  });

  test('tells every problem and runs nothing', async () => {
    await using server = await startMcpServer({
      tools: [
        tool('put', 'Puts.', {
          type: 'object',
          properties: { key: { type: 'string' }, n: { type: 'integer' }, at: { type: 'object' } },
          required: ['key'],
          additionalProperties: false,
        }),
      ],
    });
    const code = `await tools.s1_put({ key: 'fine', n: 1, at: {} });
const key = 'x', more = {}; // tools.s1_nothing()
await tools.s1_put({ key, n: 'two' });
await tools.s1_put({ ...more, n: 1.5 });
await tools['s1_put']({ n: -1 });
await tools.s1.putt({}); /tools.s1_nope()/.test(\`\${tools.s1_nope2}\`);
await tools.s1_put(more); await other.tools.nothing();
await tools[key]({});`;
    const outcome = await run(server.url, code, { flags: ['--check'] });
    expect([outcome.code, outcome.stdout, server.calls()]).toEqual([2, '', []]);
    expect(problemLines(outcome.stderr)).toEqual([
      '    line 3: s1_put: arguments.n: expected integer, got string',
      '    line 4: s1_put: arguments.n: expected integer, got number 1.5',
      '    line 5: s1_put: arguments: missing required property "key"',
      '    line 6: there is no tool "s1/putt"; did you mean s1/put?',
    ]);
  });

  test('tells syntax errors, and runs what is right', async () => {
    await using server = await startMcpServer({ tools: standardTools });
    const bad = await run(server.url, 'const a = ;', { flags: ['--check'] });
    expect([bad.code, bad.stderr.includes('SyntaxError')]).toEqual([2, true]);
    const good = await run(server.url, 'return (await tools.s1_read()).content[0].text', {
      flags: ['--check'],
    });
    expect([good.code, good.stdout]).toEqual([0, 'nothing to read\n']);
  });
});
