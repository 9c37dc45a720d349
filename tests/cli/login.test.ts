/** `usher login`: what is read from stdin for it, and what is told of how it ended. */
import { describe, expect, test } from 'bun:test';
import { InterruptedError } from '../../src/base/errors.ts';
import { EXIT } from '../../src/base/exit.ts';
import type { SignInOutcome, SignInRequest, SignIns } from '../../src/host/sign-ins.ts';
import { cli, silence, stdinOf } from './fakes.ts';

type SignedIn = Extract<SignInOutcome, { kind: 'signed in' }>;

const done: SignedIn = {
  kind: 'signed in',
  scope: 'a b',
  expiresAt: '2026-01-02T03:04:05.000Z',
  issuer: 'https://id.example',
  tools: undefined,
  refused: [],
  trouble: undefined,
};

/** Signs in without anybody; `asked` collects how. */
function signInsOf(outcome: SignInOutcome, asked: SignInRequest[] = []): SignIns {
  const refuse = () => Promise.reject(new Error('not asked for'));
  return {
    signIn: refuse,
    signOut: refuse,
    forget: refuse,
    kept: refuse,
    signInNamed: async (_name, request) => {
      asked.push(request);
      return outcome;
    },
    signOutNamed: refuse,
  };
}

describe('--code -', () => {
  test.each([
    ['the first line', ['abc\nrest\n'], 'abc'],
    ['a line without an end', ['abc'], 'abc'],
    ['a line in pieces', ['http://x/?co', 'de=abc\n'], 'http://x/?code=abc'],
    ['not the blank lines before it', ['\n \r\nabc\n'], 'abc'],
    ['nothing', [], ''],
  ])('takes %s', async (_name, pieces, pasted) => {
    const asked: SignInRequest[] = [];
    const run = { stdin: stdinOf(pieces), signIns: signInsOf(done, asked) };
    expect((await cli(['login', 'work', '--code', '-'], run)).exit).toBe(EXIT.ok);
    expect(asked).toEqual([{ how: { kind: 'code', pasted }, scope: undefined }]);
  });

  test('does not outlast an interrupt on a pipe that stays silent', async () => {
    const interrupt = new AbortController();
    const running = cli(['login', 'work', '--code', '-'], {
      stdin: stdinOf([silence()]),
      signIns: signInsOf(done),
      interrupt: interrupt.signal,
    });
    interrupt.abort(new InterruptedError('SIGINT'));
    expect((await running).exit).toBe(130);
  });

  test('reads no line without end', async () => {
    const stdin = stdinOf(Array(20).fill('x'.repeat(100_000)));
    const run = await cli(['login', 'work', '--code', '-'], { stdin, signIns: signInsOf(done) });
    expect([run.exit, run.stderr]).toEqual([
      EXIT.limit,
      'error: a line of stdin is longer than 1 MiB\n',
    ]);
  });
});

describe('how it ended', () => {
  test('tells what was not granted, and what the server says all the same', async () => {
    const trouble = { message: 'it is down', hint: undefined, exit: EXIT.connect };
    const outcome = { ...done, refused: ['c'], trouble };
    const run = await cli(['login', 'work', '--json'], { signIns: signInsOf(outcome) });
    expect([run.exit, run.stderr]).toEqual([
      EXIT.connect,
      'warning: not granted: c\nwarning: it is down\n',
    ]);
    expect(JSON.parse(run.stdout)).toMatchObject({
      refusedScopes: ['c'],
      trouble: 'it is down',
    });
  });

  test('--no-input asks nobody', async () => {
    const asked: SignInRequest[] = [];
    await cli(['login', 'work', '--no-input'], { signIns: signInsOf(done, asked) });
    const [request] = asked;
    if (request?.how.kind !== 'here') throw new Error('another way');
    const { openUrl, readPaste, tell } = request.how.interaction;
    expect([openUrl, readPaste]).toEqual([undefined, undefined]);
    expect(() => tell(['an address'])).toThrow('--no-input: nobody is asked to sign in');
  });

  test('for people', async () => {
    const run = await cli(['login', 'work'], { signIns: signInsOf(done) });
    expect([run.exit, run.stdout]).toEqual([
      EXIT.ok,
      'signed in to work: by https://id.example, scope a b\n',
    ]);
  });

  test('for programs', async () => {
    const run = await cli(['login', 'work', '--json'], { signIns: signInsOf(done) });
    expect(JSON.parse(run.stdout)).toEqual({
      signedIn: true,
      issuer: 'https://id.example',
      scope: 'a b',
      expiresAt: '2026-01-02T03:04:05.000Z',
    });
  });

  test('a server that is still not content: a warning, and the exit code of that', async () => {
    const trouble = { message: 'it wants more', hint: 'do this', exit: EXIT.auth };
    const run = await cli(['login', 'work'], { signIns: signInsOf({ ...done, trouble }) });
    expect([run.exit, run.stderr]).toEqual([EXIT.auth, 'warning: it wants more\n  do this\n']);
  });

  test('an address alone on stdout, the rest on stderr', async () => {
    const outcome = { kind: 'address', url: 'https://id.example/a', lines: ['open it'] } as const;
    const run = await cli(['login', 'work', '--print-url'], { signIns: signInsOf(outcome) });
    expect([run.exit, run.stdout, run.stderr]).toEqual([
      EXIT.ok,
      'https://id.example/a\n',
      'open it\n',
    ]);
  });
});
