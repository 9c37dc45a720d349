import { expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startMcpServer } from '../fixtures/servers/http.ts';
import {
  ask,
  callStep,
  callThenAnswer,
  httpEntry,
  openScene,
  outcomes,
  personWho,
  resultTexts,
} from './scene.ts';

const names = (server: { calls(): readonly { readonly [key: string]: unknown }[] }) =>
  server.calls().map(({ name, arguments: given }) => `${String(name)} ${JSON.stringify(given)}`);

test('4-03: rules look at arguments; what denies holds in auto, against --yes and for a typed call', async () => {
  await using server = await startMcpServer();
  await using scene = await openScene({
    yaml: `
rules:
  - deny: s1/echo
    when: { text: "secret/*" }
  - ask: s1/echo
    when: { text: "odd*" }
servers:
${httpEntry('s1', server.url, ', permissions: auto')}`,
    steps: callThenAnswer(
      ['s1_echo', { text: 'plain' }],
      ['s1_echo', { text: './secret/key' }],
      ['s1_echo', { text: 'odd one' }],
    ),
    permissions: 'auto',
    yes: ['s1_read'],
  });
  const result = await ask(scene);
  expect(outcomes(result)).toEqual(['s1/echo ok', 's1/echo denied', 's1/echo denied']);
  expect(result.denied.map(({ by, remedy }) => [by, remedy])).toEqual([
    [
      'rule',
      expect.stringMatching(
        /^take the rule out of the config: .*config\.yaml:\d+ deny "s1\/echo" when text: "secret\/\*"$/,
      ),
    ],
    ['nobody', '--yes s1/echo'],
  ] as never);
  const typed = { name: 's1/echo', arguments: { text: 'secret/x' }, origin: 'user' } as const;
  const outcome = await scene.host.call(
    { id: 'c', invalidArguments: undefined, ...typed },
    new AbortController().signal,
  );
  expect(outcome.kind).toBe('denied');
  expect(names(server)).toEqual(['echo {"text":"plain"}']);
  expect(result.exit).toBe(5);
});

test('R12: a yes for good holds in the next session and can be taken back; the YAML is untouched', async () => {
  await using server = await startMcpServer();
  const yaml = `servers:\n${httpEntry('s1', server.url)}`;
  const steps = [callStep(['s1_read', {}]), { text: 'done' }];
  await using first = await openScene({ yaml, steps, askUser: personWho('always') });
  expect(outcomes(await ask(first))).toEqual(['s1/read ok']);
  const written = readFileSync(join(first.home, 'config.yaml'), 'utf8');
  const env = { XDG_STATE_HOME: join(first.home, '.local/state') };
  expect(existsSync(join(env.XDG_STATE_HOME, 'usher/grants.json'))).toBe(true);
  expect(readFileSync(join(first.home, 'config.yaml'), 'utf8')).toBe(written);

  await using next = await openScene({ yaml, steps, env });
  expect(outcomes(await ask(next))).toEqual(['s1/read ok']);
  const told = next.events.find(({ type }) => type === 'call_permission');
  expect(told).toMatchObject({ decision: { effect: 'allow', why: 'always allowed by you' } });
  expect(next.host.permissions().grants).toEqual([
    { server: 's1', tool: 'read', kind: 'always', scope: '', holds: true },
  ]);
  expect([next.host.forgetGrants('s1', 'read'), next.host.permissions().grants]).toEqual([1, []]);

  await using last = await openScene({ yaml, steps, env });
  expect(outcomes(await ask(last))).toEqual(['s1/read denied']);
});

test('R12: a grant ends when the server is another one under the same name', async () => {
  await using server = await startMcpServer();
  await using other = await startMcpServer();
  const steps = [callStep(['s1_read', {}]), { text: 'done' }];
  const yaml = (url: string) => `servers:\n${httpEntry('s1', url)}`;
  await using first = await openScene({
    yaml: yaml(server.url),
    steps,
    askUser: personWho('always'),
  });
  await ask(first);
  const env = { XDG_STATE_HOME: join(first.home, '.local/state') };
  const person = personWho('no');
  await using next = await openScene({ yaml: yaml(other.url), steps, env, askUser: person });
  expect(outcomes(await ask(next))).toEqual(['s1/read declined']);
  expect(person.questions[0]?.lines).toContain(
    '  ! you always allowed an earlier form of this tool; it is another one now',
  );
  expect(names(other)).toEqual([]);
});

test('hooks: one denies by arguments, one cleans results; stream and events tell of it', async () => {
  await using server = await startMcpServer();
  const gate = `grep -q forbidden && { echo "not that one" >&2; exit 2; }; exit 0`;
  const clean = `sed 's/.*/{"content":[{"type":"text","text":"cleaned"}],"isError":false}/'`;
  await using scene = await openScene({
    yaml: `
hooks:
  tool_call:
    - [/bin/sh, -c, ${JSON.stringify(gate)}]
  tool_result:
    - [/bin/sh, -c, ${JSON.stringify(clean)}]
servers:
${httpEntry('s1', server.url, ', permissions: auto')}`,
    steps: callThenAnswer(['s1_echo', { text: 'forbidden' }], ['s1_echo', { text: 'fine' }]),
  });
  const result = await ask(scene);
  expect(outcomes(result)).toEqual(['s1/echo denied', 's1/echo ok']);
  expect(resultTexts(scene)).toEqual([
    's1/echo was not called: a hook of the user denies it and says: not that one',
    'cleaned',
  ]);
  expect(names(server)).toEqual(['echo {"text":"fine"}']);
  expect(scene.events.filter(({ type }) => type === 'call_changed')).toEqual([
    {
      type: 'call_changed',
      id: expect.any(String),
      server: 's1',
      tool: 'echo',
      hook: expect.stringMatching(/config\.yaml:\d+ sh$/),
      before: expect.stringMatching(/^[0-9a-f]{64}$/),
      after: expect.stringMatching(/^[0-9a-f]{64}$/),
      reason: undefined,
    },
  ] as never);
});
