import { describe, expect, test } from 'bun:test';
import { AuthError, InternalError, InterruptedError } from '../../src/base/errors.ts';
import type { ExitCode } from '../../src/base/exit.ts';
import type { Host } from '../../src/host/types.ts';
import type { ServerStatus } from '../../src/mcp/types.ts';
import { createRepl } from '../../src/repl/repl.ts';
import {
  createFakeHost,
  type FakeHost,
  fakeQuestion,
  fakeServer,
  fakeTool,
  type Script,
  untilAborted,
} from './fake-host.ts';
import { createFakeTerminal, type FakeTerminal } from './fake-terminal.ts';

interface Session {
  readonly terminal: FakeTerminal;
  readonly host: FakeHost;
  readonly exit: Promise<ExitCode>;
  readonly abort: AbortController;
}

const say =
  (answer: string): Script =>
  async (_, { emit }) => {
    emit({ type: 'text', turn: 1, delta: answer });
    return { answer };
  };

function startSession(
  script: Script,
  options: Parameters<typeof createFakeTerminal>[0] & {
    readonly servers?: readonly ServerStatus[];
  } = {},
): Session {
  const terminal = createFakeTerminal(options);
  const repl = createRepl({ terminal, stateDir: undefined, version: '1.0.0' });
  const host = createFakeHost(repl, script, options.servers);
  const abort = new AbortController();
  return { terminal, host, abort, exit: repl.run(host, abort.signal) };
}

describe('a session', () => {
  test('streams an answer below the prompt and leaves with /exit', async () => {
    const { terminal, host, exit } = startSession(async (_, { emit }) => {
      emit({ type: 'text', turn: 1, delta: 'Hello, ' });
      emit({ type: 'text', turn: 1, delta: 'person.' });
      return { answer: 'Hello, person.' };
    });
    terminal.type('hi there\r');
    await terminal.shows('person.');
    terminal.type('/exit\r');
    expect(await exit).toBe(0);
    expect(terminal.screen()).toEqual([
      'usher 1.0.0, scripted. /help lists the commands.',
      '> hi there',
      'Hello, person.',
      '> /exit',
    ]);
    expect(host.log).toEqual(['close']);
    expect(terminal.isOpen()).toBe(false);
  });

  test('shows an answer that did not stream, once', async () => {
    const { terminal, exit } = startSession(async () => ({ answer: 'whole' }));
    terminal.type('a\r');
    await terminal.shows('whole');
    terminal.type('\x04');
    expect(await exit).toBe(0);
    expect(terminal.screen().filter((row) => row.includes('whole'))).toEqual(['whole']);
  });

  test('does nothing on empty lines and leaves on Ctrl-D', async () => {
    const { terminal, host, exit } = startSession(say('x'));
    terminal.type('\r');
    terminal.type('   \r');
    terminal.type('\x04');
    expect(await exit).toBe(0);
    expect(host.prompts).toEqual([]);
  });

  test('announces calls, shows progress as one line and the result', async () => {
    const step = Promise.withResolvers<void>();
    const { terminal, exit } = startSession(async (_, { emit }) => {
      const call = { id: '1', server: 'files', tool: 'read_text' };
      emit({ type: 'text', turn: 1, delta: 'Looking.' });
      emit({ type: 'call_sent', ...call, arguments: { path: 'a\u202eb\u001b[2J' } });
      for (const progress of [1, 2, 3]) {
        emit({
          type: 'call_progress',
          ...call,
          progress: { progress, total: 4, message: 'still\nreading' },
        });
      }
      await step.promise;
      const tool = fakeTool('files', 'read_text');
      const result = { content: [], structuredContent: undefined, isError: false, raw: {} };
      const rendered = { text: 'ok', isError: false, artifacts: [], omittedCharacters: 0 };
      const outcome = { kind: 'result', tool, result, rendered } as const;
      emit({ type: 'call_done', id: '1', name: 'files_read_text', outcome, durationMs: 12.4 });
      emit({ type: 'retry', turn: 2, notice: 'model: 429, again in 1 s' });
      emit({ type: 'text', turn: 2, delta: 'par' });
      emit({ type: 'text_reset', turn: 2, reason: 'the stream broke' });
      emit({ type: 'text', turn: 2, delta: 'Done.' });
      return { answer: 'Done.' };
    });
    terminal.type('go\r');
    await terminal.shows('3/4');
    expect(terminal.screen().slice(2)).toEqual([
      'Looking.',
      '→ files/read_text {"path":"a\\u{202e}b\\u001b[2J"}',
      '  files/read_text ███████████████░░░░░ 3/4 still\\nreading',
    ]);
    step.resolve();
    await terminal.shows('Done.');
    terminal.type('\x04');
    await exit;
    expect(terminal.screen().slice(4)).toEqual([
      '✓ files/read_text 12 ms',
      '… model: 429, again in 1 s',
      'par',
      '(starting again: the stream broke)',
      'Done.',
      '>',
    ]);
  });

  test('escapes what a model streams, emoji and their joiners excepted', async () => {
    const { terminal, exit } = startSession(async (_, { emit }) => {
      for (const delta of [
        'a\x1b]0;title\x07',
        '👨\u200d',
        '👩 x\u200by\r',
        '\nz\ud83d',
        '\ude00',
      ]) {
        emit({ type: 'text', turn: 1, delta });
      }
      return { answer: 'done' };
    });
    terminal.type('go\r');
    await terminal.shows('😀');
    terminal.type('\x04');
    await exit;
    expect(terminal.screen().slice(2, 4)).toEqual([
      'a\\u{1b}]0;title\\u{7}👨\u200d👩 x\\u{200b}y',
      'z😀',
    ]);
  });

  test('gives an answer raw to a stream that is not the screen', async () => {
    const { terminal, exit } = startSession(say('a\x1b[31mb'), { answerOnScreen: false });
    terminal.type('go\r');
    terminal.type('\x04');
    await exit;
    expect(terminal.answer()).toBe('a\x1b[31mb\n');
    expect(terminal.screen().slice(1)).toEqual(['> go', '>']);
  });

  test('goes on after a failed run, with the error, its hint and the remedy of a denied call', async () => {
    const { terminal, host, exit } = startSession(async (text) =>
      text === 'second'
        ? { answer: 'fine' }
        : {
            exit: 8,
            error: { code: 'provider', message: 'model said 401', hint: 'set OPENAI_API_KEY' },
            denied: [{ server: 'files', tool: 'write', by: 'rule', remedy: '--yes files/write' }],
            unknownOutcome: [{ server: 'files', tool: 'send' }],
            warnings: ['cut \x1b[2J'],
          },
    );
    terminal.type('first\r');
    await terminal.shows('OPENAI');
    terminal.type('second\r');
    await terminal.shows('fine');
    terminal.type('\x04');
    expect(await exit).toBe(0);
    expect(terminal.screen().slice(2)).toEqual([
      '! cut \\u{1b}[2J',
      '! files/send was sent and not answered: it may have happened',
      '! files/write was denied',
      '  --yes files/write',
      '✗ model said 401',
      '  set OPENAI_API_KEY',
      '> second',
      'fine',
      '>',
    ]);
    expect(host.prompts).toEqual(['first', 'second']);
  });

  test('tells a failure once that is a warning as well', async () => {
    const { terminal, exit } = startSession(async (_, { emit }) => {
      const error = { code: 'limit', message: 'cut off', hint: 'raise it' } as const;
      emit({ type: 'warning', message: 'cut off', hint: 'raise it' });
      return { answer: 'half', exit: 7, error, warnings: ['cut off'] };
    });
    terminal.type('first\r');
    await terminal.shows('half');
    terminal.type('\x04');
    expect(await exit).toBe(0);
    expect(terminal.screen().slice(2)).toEqual(['! cut off', '  raise it', 'half', '>']);
  });

  test('keeps what is typed during a run for the next prompt', async () => {
    const step = Promise.withResolvers<void>();
    const { terminal, host, exit } = startSession(async (text) => {
      if (text === 'one') await step.promise;
      return { answer: text.toUpperCase() };
    });
    terminal.type('one\r');
    await terminal.shows('waiting for the model');
    terminal.type('two\rthr');
    step.resolve();
    await terminal.shows('> thr');
    terminal.type('ee\r');
    await terminal.shows('THREE');
    terminal.type('\x04');
    await exit;
    expect(host.prompts).toEqual(['one', 'two', 'three']);
    expect(terminal.screen().slice(1, -1)).toEqual([
      '> one',
      'ONE',
      '> two',
      'TWO',
      '> three',
      'THREE',
    ]);
  });

  test('prints news of servers above the line being typed', async () => {
    const github = fakeServer('github', { state: 'connecting' });
    const terminal = createFakeTerminal();
    const repl = createRepl({ terminal, stateDir: undefined, version: '1.0.0' });
    const host = createFakeHost(repl, say(''), [github]);
    const exit = repl.run(host, new AbortController().signal);
    terminal.type('half');
    repl.onEvent({ type: 'server', status: { ...github, state: 'discovering' } });
    repl.onEvent({ type: 'server', status: { ...github, state: 'ready' } });
    repl.onEvent({ type: 'server', status: { ...github, state: 'ready' } });
    repl.note('from the log\x07');
    expect(terminal.screen().slice(1)).toEqual([
      '● github is ready, 2 tools',
      'from the log\\u{7}',
      '> half',
    ]);
    terminal.type('\x15\x04');
    expect(await exit).toBe(0);
  });

  test('reads whole lines on a terminal without cursor movement', async () => {
    const { terminal, host, exit } = startSession(say('yes'), { rich: false });
    terminal.type('one\n');
    await terminal.shows('yes');
    terminal.type('/exi');
    terminal.type('t\n');
    expect(await exit).toBe(0);
    expect(host.prompts).toEqual(['one']);
    // The keyboard's echo is not in the grid, so an answer stands behind its prompt here.
    expect(terminal.screen().slice(1)).toEqual(['> yes', '>']);
  });

  test('ends the prompt line of such a terminal when nothing is typed behind it', async () => {
    const { terminal, exit } = startSession(say(''), { rich: false });
    terminal.signal('SIGINT');
    await terminal.shows('Press');
    terminal.endInput();
    expect(await exit).toBe(0);
    expect(terminal.screen().slice(1)).toEqual([
      '>',
      'Press Ctrl-C again or type /exit to leave.',
      '>',
    ]);
    expect(terminal.cursor()).toEqual([4, 0]);
  });
});

describe('editing on the screen', () => {
  test('redraws a wrapped line where it stands', async () => {
    const { terminal, exit } = startSession(say(''), { columns: 12 });
    const line = 'abcdefghijklmnopqrst';
    terminal.type(line);
    terminal.type('\x1b[H\x1b[CX\x7f\x05!');
    // The greeting takes five rows of this width.
    const shown = terminal.screen().slice(-2);
    expect(shown).toEqual(['> abcdefghij', 'klmnopqrst!']);
    terminal.type('\x15\x04');
    await exit;
  });

  test('finds its place again after the terminal became narrower', async () => {
    const { terminal, exit } = startSession(say(''), { columns: 60 });
    terminal.type('0123456789abcdefghij');
    terminal.resize(12);
    terminal.type('!');
    expect(terminal.screen().slice(-2)).toEqual(['> 0123456789', 'abcdefghij!']);
    terminal.resize(40);
    expect(terminal.screen().at(-1)).toBe('> 0123456789abcdefghij!');
    terminal.type('\x15\x04');
    await exit;
  });

  test('shows a part of a line that is higher than the terminal', async () => {
    const { terminal, host, exit } = startSession(say('ok'), { rows: 5 });
    terminal.type('\x1b[200~1\n2\n3\n4\n5\n6\x1b[201~');
    expect(terminal.screen().slice(1)).toEqual(['  3', '  4', '  5', '  6']);
    terminal.type('\r');
    await terminal.shows('ok');
    terminal.type('\x04');
    await exit;
    expect(host.prompts).toEqual(['1\n2\n3\n4\n5\n6']);
  });

  test('completes names with Tab and lists the choices', async () => {
    const { terminal, exit } = startSession(say(''), {
      servers: [fakeServer('files'), fakeServer('github'), fakeServer('gitlab')],
    });
    terminal.type('/to\tg\t\t');
    expect(terminal.screen().slice(1)).toEqual(['github  gitlab', '> /tools git']);
    terminal.type('\x15fil\t');
    expect(terminal.screen().at(-1)).toBe('> files');
    terminal.type('\x7f/\t');
    expect(terminal.screen().at(-1)).toBe('> files/read_text');
    terminal.type('\x15\x04');
    await exit;
  });

  test('gives the terminal back on Ctrl-Z', async () => {
    const { terminal, exit } = startSession(say(''));
    terminal.type('ab');
    terminal.type('\x1ac');
    expect(terminal.suspended.count).toBe(1);
    expect(terminal.screen().slice(1)).toEqual(['> ab', '> abc']);
    terminal.type('\x15\x04');
    await exit;
  });
});

describe('Ctrl-C and signals', () => {
  test('at an empty prompt the first says how to leave, the second leaves with 130', async () => {
    const { terminal, host, exit } = startSession(say(''));
    terminal.type('\x03');
    await terminal.shows('Press Ctrl-C again or type /exit to leave.');
    terminal.type('\x03');
    expect(await exit).toBe(130);
    expect(host.log).toEqual(['close']);
  });

  test('with text typed it clears the line and does not count', async () => {
    const { terminal, host, exit } = startSession(say('ok'));
    terminal.type('\x03');
    terminal.type('abc\x03');
    terminal.type('\x03');
    terminal.type('hi\r');
    await terminal.shows('ok');
    terminal.type('\x03');
    terminal.type('\x04');
    expect(await exit).toBe(0);
    expect(host.prompts).toEqual(['hi']);
  });

  test('in a run it cancels that run and the next prompt works', async () => {
    const { terminal, host, exit } = startSession(async (text, { signal }) => {
      if (text === 'next') return { answer: 'worked' };
      const reason = await untilAborted(signal).catch((thrown: unknown) => thrown);
      expect(reason).toEqual(new InterruptedError());
      return { exit: 130, error: { code: 'interrupted', message: 'x', hint: undefined } };
    });
    terminal.type('slow\r');
    await terminal.shows('waiting for the model');
    terminal.type('dropped\x03');
    await terminal.shows('cancelled');
    terminal.type('next\r');
    await terminal.shows('worked');
    terminal.type('\x04');
    expect(await exit).toBe(0);
    expect(host.prompts).toEqual(['slow', 'next']);
    expect(host.log).toEqual(['close']);
    expect(terminal.screen().slice(1)).toEqual([
      '> slow',
      'cancelling … (Ctrl-C again ends usher at once)',
      'cancelled',
      '> next',
      'worked',
      '>',
    ]);
  });

  test('a second one kills the children at once and ends with 130', async () => {
    const { terminal, host, exit } = startSession(() => new Promise(() => undefined));
    terminal.type('stuck\r');
    await terminal.shows('waiting for the model');
    terminal.type('\x03');
    terminal.type('\x03');
    expect(await exit).toBe(130);
    expect(host.log).toEqual(['killNow']);
    expect(terminal.isOpen()).toBe(false);
    expect(terminal.screen().slice(1)).toEqual([
      '> stuck',
      'cancelling … (Ctrl-C again ends usher at once)',
    ]);
  });

  test('SIGINT from outside means the same as the key', async () => {
    const { terminal, exit } = startSession(() => new Promise(() => undefined));
    terminal.type('stuck\r');
    await terminal.shows('waiting for the model');
    terminal.signal('SIGINT');
    await terminal.shows('cancelling');
    terminal.signal('SIGINT');
    expect(await exit).toBe(130);
  });

  test.each([
    ['SIGQUIT', 131],
    ['SIGTERM', 143],
    ['SIGHUP', 143],
  ] as const)('%s closes and ends with %d', async (name, code) => {
    const { terminal, host, exit } = startSession(async (_, { signal }) => {
      await untilAborted(signal);
      return {};
    });
    terminal.type('long\r');
    await terminal.shows('waiting for the model');
    terminal.signal(name);
    expect(await exit).toBe(code);
    expect(host.log).toEqual(['close']);
  });

  test('an abort from the caller ends with the exit of its reason', async () => {
    const { abort, host, exit } = startSession(say(''));
    abort.abort(new InterruptedError('SIGTERM'));
    expect(await exit).toBe(143);
    expect(host.log).toEqual(['close']);
  });

  test('a Ctrl-C while it closes kills the children and waits no longer', async () => {
    const terminal = createFakeTerminal();
    const repl = createRepl({ terminal, stateDir: undefined, version: '1.0.0' });
    const host = createFakeHost(repl, say(''));
    const closing = Promise.withResolvers<void>();
    const slow = {
      ...host,
      close() {
        closing.resolve();
        return new Promise<void>(() => undefined);
      },
    };
    const exit = repl.run(slow, new AbortController().signal);
    terminal.type('\x04');
    await closing.promise;
    terminal.type('\x03');
    expect(await exit).toBe(130);
    expect(host.log).toEqual(['killNow']);
  });

  test('a fault that nobody caught closes everything and rejects', async () => {
    const { terminal, host, exit } = startSession(() => new Promise(() => undefined));
    terminal.type('go\r');
    await terminal.shows('waiting for the model');
    const fault = new TypeError('our bug');
    terminal.crash(fault);
    const thrown = await exit.catch((error: unknown) => error);
    expect(thrown).toEqual(new InternalError('our bug', { cause: fault }));
    expect(host.log).toEqual(['close']);
    expect(terminal.isOpen()).toBe(false);
  });

  test('the end of input ends the session with 0', async () => {
    const { terminal, exit } = startSession(say(''));
    terminal.endInput();
    expect(await exit).toBe(0);
  });
});

describe('a permission question', () => {
  const askAll =
    (...tools: readonly string[]): Script =>
    async (_, { ask, signal }) => {
      const answers = await Promise.all(
        tools.map((tool) => ask.ask(fakeQuestion(tool, ['  {"a":1}']), signal)),
      );
      return { answer: answers.map((answer) => JSON.stringify(answer)).join('\n') };
    };

  test('comes one at a time, shows everything on v, asks again when unclear', async () => {
    const { terminal, exit } = startSession(askAll('read', 'write'));
    terminal.type('go\r');
    await terminal.shows('Allow?');
    expect(terminal.screen().join('\n')).not.toContain('files/write');
    terminal.type('v\r');
    await terminal.shows('everything about read');
    terminal.type('please\r');
    await terminal.shows('Please answer');
    terminal.type('S\r');
    await terminal.shows('files/write');
    terminal.type('d\r');
    await terminal.shows('Why not?');
    terminal.type('not today\r');
    await terminal.shows('not today"}');
    terminal.type('\x04');
    await exit;
    expect(terminal.screen().slice(2)).toEqual([
      '',
      'Allow files/read ?',
      '  {"a":1}',
      '  y once, s session, a always, n no, d no and say why, v',
      '    view everything',
      'Allow? [y/s/a/n/d/v] v',
      'everything about read',
      'Allow? [y/s/a/n/d/v] please',
      '  Please answer y, s, a, n, d or v, then Enter.',
      'Allow? [y/s/a/n/d/v] S',
      '',
      'Allow files/write ?',
      '  {"a":1}',
      '  y once, s session, a always, n no, d no and say why, v',
      '    view everything',
      'Allow? [y/s/a/n/d/v] d',
      'Why not? not today',
      '{"kind":"session"}',
      '{"kind":"deny","reason":"not today"}',
      '>',
    ]);
  });

  test.each([
    ['y', 'y\r', '{"kind":"yes"}'],
    ['n', 'n\r', '{"kind":"no"}'],
    ['Ctrl-C', '\x03', '{"kind":"no"}'],
    ['end of input', '\x04', '{"kind":"no"}'],
    ['d with its reason', 'd too much\r', '{"kind":"deny","reason":"too much"}'],
    ['d without a reason', 'd\r\r', '{"kind":"no"}'],
  ])('takes %s', async (_, keys, answer) => {
    const { terminal, host, exit } = startSession(askAll('read'));
    terminal.type('go\r');
    await terminal.shows('Allow?');
    for (const key of keys) {
      terminal.type(key);
      await Bun.sleep(0);
    }
    await terminal.shows(answer);
    terminal.type('\x04');
    expect(await exit).toBe(0);
    expect(host.log).toEqual(['close']);
  });

  test('is never answered by what was typed before it', async () => {
    const step = Promise.withResolvers<void>();
    const { terminal, exit } = startSession(async (text, ports) => {
      if (text !== 'go') return { answer: `got ${text}` };
      await step.promise;
      return askAll('read')(text, ports);
    });
    terminal.type('go\r');
    await terminal.shows('waiting for the model');
    terminal.type('y\r');
    step.resolve();
    await terminal.shows('Allow?');
    terminal.type('n\r');
    await terminal.shows('got y');
    expect(terminal.screen().join('\n')).toContain('{"kind":"no"}');
    terminal.type('\x04');
    await exit;
  });

  test('nothing comes between it and its answer: lines of other calls wait', async () => {
    const { terminal, exit } = startSession(async (_, { ask, emit, signal }) => {
      const answer = ask.ask(fakeQuestion('read'), signal);
      await Bun.sleep(0);
      emit({ type: 'warning', message: 'Allow files/fake ?', hint: undefined });
      await answer;
      return { answer: 'done' };
    });
    terminal.type('go\r');
    await terminal.shows('Allow?');
    await Bun.sleep(0);
    expect(terminal.screen().join('\n')).not.toContain('files/fake');
    terminal.type('y\r');
    await terminal.shows('done');
    terminal.type('\x04');
    await exit;
    const rows = terminal.screen();
    const at = rows.findIndex((row) => row.includes('files/fake'));
    expect(rows[at - 1]).toBe('Allow? [y/s/a/n/d/v] y');
  });

  test('goes away when its run is ended', async () => {
    const { terminal, exit } = startSession(askAll('read', 'write'));
    terminal.type('go\r');
    await terminal.shows('Allow?');
    terminal.signal('SIGTERM');
    expect(await exit).toBe(143);
    expect(terminal.screen().join('\n')).not.toContain('files/write');
  });

  test('keeps the answer that streams meanwhile until it is answered', async () => {
    const { terminal, exit } = startSession(async (_, { ask, emit, signal }) => {
      const answer = ask.ask(fakeQuestion('read'), signal);
      await Bun.sleep(0);
      emit({ type: 'text', turn: 1, delta: 'streamed' });
      await answer;
      return { answer: 'streamed' };
    });
    terminal.type('go\r');
    await terminal.shows('Allow?');
    await Bun.sleep(0);
    expect(terminal.screen().at(-1)).toBe('Allow? [y/s/a/n/d/v]');
    terminal.type('y\r');
    await terminal.shows('streamed');
    terminal.type('\x04');
    await exit;
    expect(terminal.screen().slice(-3)).toEqual(['Allow? [y/s/a/n/d/v] y', 'streamed', '>']);
  });
});

describe('commands', () => {
  const servers = [
    fakeServer('files'),
    fakeServer('github', {
      kind: 'http',
      state: 'needs_auth',
      era: undefined,
      protocolVersion: undefined,
      tools: [],
      readyMs: undefined,
      error: new AuthError('github wants a token\x1b[2J', { hint: 'set GITHUB_TOKEN' }),
    }),
    fakeServer('broken', {
      state: 'failed',
      era: undefined,
      protocolVersion: undefined,
      tools: [],
      readyMs: undefined,
      error: new AuthError('exited with 1; its stderr ends:\nno such file'),
    }),
  ];
  const run = async (...lines: readonly string[]) => {
    const { terminal, host, exit } = startSession(say(''), { servers, columns: 80 });
    for (const line of lines) {
      terminal.type(`${line}\r`);
      await Bun.sleep(0);
    }
    terminal.type('\x04');
    await exit;
    return { rows: terminal.screen().slice(1, -1), host };
  };

  test('/tools shows exposed tools and why others are hidden', async () => {
    const { rows } = await run('/tools');
    expect(rows.join('\n')).toMatchInlineSnapshot(`
      "> /tools
      files: 1 of 2 tools
        read_text  Does read_text.
        write      hidden: not in \`tools:\`
      github: needs a token
      broken: failed"
    `);
  });

  test('/mcp shows states, errors and what to do', async () => {
    const { rows } = await run('/mcp');
    expect(rows.join('\n')).toMatchInlineSnapshot(`
      "> /mcp
      ● files   stdio, ready, legacy 2025-11-25, 1 of 2 tools, 12 ms
      ! github  http, needs a token
          github wants a token\\u{1b}[2J
          set GITHUB_TOKEN
      ✗ broken  stdio, failed
          exited with 1; its stderr ends:
          no such file
          /mcp reconnect broken"
    `);
  });

  test('/mcp reconnect connects one server again', async () => {
    const { rows, host } = await run('/mcp reconnect files', '/mcp reconnect');
    expect(host.log).toEqual(['reconnect files', 'close']);
    expect(rows).toEqual([
      '> /mcp reconnect files',
      '● files  stdio, ready, legacy 2025-11-25, 1 of 2 tools, 12 ms',
      '> /mcp reconnect',
      'Usage: /mcp, /mcp reconnect NAME, or /mcp login NAME',
    ]);
  });

  test('Ctrl-C ends the waiting for a reconnect', async () => {
    const terminal = createFakeTerminal();
    const repl = createRepl({ terminal, stateDir: undefined, version: '1.0.0' });
    const host = createFakeHost(repl, say(''), servers);
    const asked = Promise.withResolvers<void>();
    const slow: Host = {
      ...host,
      reconnect(_, signal) {
        asked.resolve();
        return untilAborted(signal);
      },
    };
    const exit = repl.run(slow, new AbortController().signal);
    terminal.type('/mcp reconnect files\r');
    await asked.promise;
    terminal.type('\x03');
    await terminal.shows('cancelled');
    terminal.type('\x04');
    expect(await exit).toBe(0);
    expect(host.log).toEqual(['close']);
  });

  test('unknown commands and servers name the nearest', async () => {
    const { rows, host } = await run('/tolls', '/zzzzzzzz', '/tools gihub', '/etc/hosts says?');
    expect(rows).toEqual([
      '> /tolls',
      'Unknown command /tolls. Did you mean /tools?',
      '> /zzzzzzzz',
      'Unknown command /zzzzzzzz. /help lists them.',
      '> /tools gihub',
      'There is no server gihub. Did you mean github?',
      '> /etc/hosts says?',
    ]);
    expect(host.prompts).toEqual(['/etc/hosts says?']);
  });

  test('/help names every command', async () => {
    const { rows } = await run('/help');
    for (const name of ['/tools', '/mcp', '/mcp reconnect', '/help', '/exit']) {
      expect(rows.join('\n')).toContain(`  ${name}`);
    }
  });
});
