import { expect, test } from 'bun:test';
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

const calledOn = (server: { calls(): readonly { readonly [key: string]: unknown }[] }) =>
  server
    .calls()
    .map(({ name }) => String(name))
    .toSorted();

test('MM-03 MM-21: without any mode every call is asked for, and only a yes runs it', async () => {
  await using server = await startMcpServer();
  const askUser = personWho('yes', 'no', 'deny', 'yes');
  await using scene = await openScene({
    yaml: `servers:\n${httpEntry('s1', server.url)}`,
    steps: callThenAnswer(
      ['s1_echo', { text: 'a' }],
      ['s1_wipe', {}],
      ['s1_fails', {}],
      ['s1_read', {}],
    ),
    askUser,
  });
  const result = await ask(scene);
  expect(
    askUser.questions.map(({ server: at, tool, arguments: given }) => [at, tool, given]),
  ).toEqual([
    ['s1', 'echo', { text: 'a' }],
    ['s1', 'wipe', {}],
    ['s1', 'fails', {}],
    ['s1', 'read', {}],
  ]);
  expect(outcomes(result)).toEqual([
    's1/echo ok',
    's1/wipe declined',
    's1/fails declined',
    's1/read ok',
  ]);
  expect(calledOn(server)).toEqual(['echo', 'read']);
  expect(resultTexts(scene)).toEqual([
    '{"text":"a"}',
    's1/wipe was not called: the user declined it.',
    's1/fails was not called: the user declined it and says: said deny',
    'nothing to read',
  ]);
  expect([result.exit, result.denied]).toEqual([
    0,
    [
      { server: 's1', tool: 'wipe', by: 'person', remedy: undefined },
      { server: 's1', tool: 'fails', by: 'person', remedy: undefined },
    ],
  ]);
});

test('MM-04 R10: the mode of a server replaces the global one for that server alone', async () => {
  await using one = await startMcpServer();
  await using two = await startMcpServer();
  const askUser = personWho('yes', 'yes');
  await using scene = await openScene({
    yaml: `servers:\n${httpEntry('free', one.url, ', permissions: auto')}\n${httpEntry('asked', two.url)}`,
    steps: callThenAnswer(['free_read', {}], ['asked_read', {}]),
    askUser,
  });
  await ask(scene);
  expect(askUser.questions.map(({ server }) => server)).toEqual(['asked']);

  const strict = personWho('yes', 'yes');
  await using other = await openScene({
    yaml: `mcp: {permissions: auto}\nservers:\n${httpEntry('free', one.url)}\n${httpEntry('asked', two.url, ', permissions: ask')}`,
    steps: callThenAnswer(['free_read', {}], ['asked_read', {}]),
    askUser: strict,
  });
  await ask(other);
  expect(strict.questions.map(({ server }) => server)).toEqual(['asked']);
});

test('R10: toolPermissions go before the mode, deny before everything', async () => {
  await using server = await startMcpServer();
  const askUser = personWho('yes');
  const rules = ', permissions: auto, toolPermissions: {wipe: deny, "ech*": ask}';
  await using scene = await openScene({
    yaml: `servers:\n${httpEntry('s1', server.url, rules)}`,
    steps: callThenAnswer(['s1_wipe', {}], ['s1_echo', { text: 'x' }], ['s1_read', {}]),
    askUser,
    permissions: 'auto',
    yes: ['s1/wipe'],
  });
  const result = await ask(scene);
  expect(askUser.questions.map(({ tool }) => tool)).toEqual(['echo']);
  expect(outcomes(result)).toEqual(['s1/wipe denied', 's1/echo ok', 's1/read ok']);
  expect([calledOn(server), result.exit]).toEqual([['echo', 'read'], 5]);
});

test('MM-22 R11: with nobody to ask nothing runs, the model is told, and the run ends with 5', async () => {
  await using server = await startMcpServer();
  const steps = callThenAnswer(['s1_wipe', {}]);
  const yaml = `servers:\n${httpEntry('s1', server.url)}`;
  await using scene = await openScene({ yaml, steps });
  const result = await ask(scene);
  expect(server.calls()).toEqual([]);
  expect(result).toMatchObject({
    exit: 5,
    answer: 's1/wipe was not called: it needs approval and nobody is there to ask.',
    error: undefined,
    denied: [{ server: 's1', tool: 'wipe', by: 'nobody', remedy: '--yes s1/wipe' }],
  });

  await using lenient = await openScene({ yaml, steps, limits: { onDenied: 'continue' } });
  const other = await ask(lenient);
  expect([other.exit, other.denied]).toEqual([0, [...result.denied]]);
});

test('the remedy that is named does allow the call', async () => {
  await using server = await startMcpServer();
  await using scene = await openScene({
    yaml: `servers:\n${httpEntry('s1', server.url)}`,
    steps: callThenAnswer(['s1_odd_name_v2', {}], ['s1_wipe', {}]),
    yes: ['s1/odd-name.v2'],
  });
  expect(outcomes(await ask(scene))).toEqual(['s1/odd-name.v2 ok', 's1/wipe denied']);
});

test('an answer for the session is not asked again, in this prompt and the next', async () => {
  await using server = await startMcpServer();
  const askUser = personWho('session', 'no');
  const twice = [callStep(['s1_read', {}]), callStep(['s1_read', {}]), { text: 'done' }];
  await using scene = await openScene({
    yaml: `servers:\n${httpEntry('s1', server.url)}`,
    steps: [...twice, callStep(['s1_read', {}], ['s1_wipe', {}]), { text: 'done' }],
    askUser,
  });
  const results = [await ask(scene), await ask(scene)];
  expect(results.flatMap(outcomes)).toEqual([
    's1/read ok',
    's1/read ok',
    's1/read ok',
    's1/wipe declined',
  ]);
  expect(askUser.questions.map(({ tool }) => tool)).toEqual(['read', 'wipe']);
});

test('a call that a person types is its own consent, a deny rule aside', async () => {
  await using server = await startMcpServer();
  await using scene = await openScene({
    yaml: `servers:\n${httpEntry('s1', server.url, ', toolPermissions: {wipe: deny}')}`,
  });
  const call = (name: string) =>
    scene.host.call(
      { id: name, name, arguments: {}, invalidArguments: undefined, origin: 'user' },
      new AbortController().signal,
    );
  const kinds = [(await call('s1/read')).kind, (await call('s1/wipe')).kind];
  expect(kinds).toEqual(['result', 'denied']);
  expect(calledOn(server)).toEqual(['read']);
});

test('parallel calls are asked for one at a time, in their order, and allowed ones do not wait', async () => {
  await using server = await startMcpServer();
  let open = 0;
  const log: string[] = [];
  const readDone = Promise.withResolvers<void>();
  await using scene = await openScene({
    yaml: `servers:\n${httpEntry('s1', server.url, ', toolPermissions: {read: auto}')}`,
    steps: callThenAnswer(['s1_read', {}], ['s1_wipe', {}], ['s1_structured', {}]),
    askUser: {
      async ask({ tool }) {
        open += 1;
        log.push(`ask ${tool} ${open}`);
        await readDone.promise;
        open -= 1;
        return { kind: 'yes' };
      },
    },
    onEvent: (event) => {
      if (event.type === 'call_done' && event.name === 's1_read') readDone.resolve();
    },
  });
  const result = await ask(scene);
  expect([log, outcomes(result)]).toEqual([
    ['ask wipe 1', 'ask structured 1'],
    ['s1/read ok', 's1/wipe ok', 's1/structured ok'],
  ]);
});
