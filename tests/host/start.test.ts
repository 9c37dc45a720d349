import { expect, test } from 'bun:test';
import { AuthError, ConnectError } from '../../src/base/errors.ts';
import type { ConfigWarning } from '../../src/config/types.ts';
import { createBuiltin } from '../../src/host/builtin.ts';
import { judgeStart } from '../../src/host/start.ts';
import type { ServerState, ServerStatus } from '../../src/mcp/types.ts';
import { serverOf } from './server-config.ts';

interface Case {
  readonly state: ServerState;
  readonly error?: ServerStatus['error'];
  readonly required?: boolean;
  readonly named?: readonly string[];
  readonly problems?: readonly ConfigWarning[];
}

function fatalOf({ state, error, required = false, named, problems = [] }: Case) {
  const builtin = createBuiltin(serverOf('here', { builtin: 'workspace' }), '/');
  const status: ServerStatus = { ...builtin.status(), name: 'db', state, error };
  const servers = [serverOf('db', { command: 'x', required }), serverOf('other')];
  const facts = { status: [status], problems, warnings: [], readyMs: 5 };
  const report = judgeStart(servers, named, facts);
  expect({ ...report, fatal: undefined }).toEqual({
    servers: [status],
    warnings: [],
    readyMs: 5,
    fatal: undefined,
  });
  return report.fatal;
}

test('a server that is down matters only when it is required or named', () => {
  const error = new ConnectError('refused');
  const fatal = { server: 'db', message: 'refused', exit: 4 } as const;
  expect([
    fatalOf({ state: 'failed', error }),
    fatalOf({ state: 'failed', error, named: ['other'] }),
    fatalOf({ state: 'failed', error, required: true }),
    fatalOf({ state: 'failed', error, named: ['db'] }),
    fatalOf({ state: 'ready', required: true, named: ['db'] }),
    fatalOf({ state: 'connecting', required: true }),
  ]).toEqual([undefined, undefined, fatal, fatal, undefined, undefined]);
});

test('a missing token is 6, a failure without a reason is still said', () => {
  expect([
    fatalOf({ state: 'needs_auth', error: new AuthError('needs a token'), required: true }),
    fatalOf({ state: 'failed', error: new AuthError('refused'), required: true }),
    fatalOf({ state: 'closed', required: true }),
  ]).toEqual([
    { server: 'db', message: 'needs a token', exit: 6 },
    { server: 'db', message: 'refused', exit: 6 },
    { server: 'db', message: 'server db is not there', exit: 4 },
  ]);
});

test('a required entry that cannot be used is as good as down, unless it was left out', () => {
  const problem = { message: 'f:1:2 servers.db', hint: 'mend it', skipped: 'db', required: true };
  const fatalFor = (named?: readonly string[], required = true) =>
    judgeStart([serverOf('other')], named, {
      status: [],
      problems: [
        { ...problem, skipped: 'b', required: false },
        { ...problem, required },
      ],
      warnings: [],
      readyMs: 5,
    }).fatal;
  const fatal = { server: 'db', message: 'f:1:2 servers.db', hint: 'mend it', exit: 4 } as const;
  expect([fatalFor(), fatalFor(['db']), fatalFor(['other']), fatalFor(undefined, false)]).toEqual([
    fatal,
    fatal,
    undefined,
    undefined,
  ]);
});

test('an entry that is required and cannot be used is as good as down, unless others are named', () => {
  const bad = { message: 'entry bad: no url', hint: 'add one', skipped: 'bad', required: true };
  const fatal = { server: 'bad', message: 'entry bad: no url', hint: 'add one', exit: 4 } as const;
  expect([
    fatalOf({ state: 'ready', problems: [{ ...bad, required: false }] }),
    fatalOf({ state: 'ready', problems: [{ ...bad, skipped: undefined }] }),
    fatalOf({ state: 'ready', problems: [bad] }),
    fatalOf({ state: 'ready', problems: [bad], named: ['db'] }),
    fatalOf({ state: 'ready', problems: [bad], named: ['bad'] }),
  ]).toEqual([undefined, undefined, fatal, undefined, fatal]);
});
