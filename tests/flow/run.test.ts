import { expect, test } from 'bun:test';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { tool } from '../fixtures/servers/script.ts';
import { writeFiles } from '../helpers/places.ts';
import {
  ask,
  callStep,
  callThenAnswer,
  httpEntry,
  offered,
  openScene,
  outcomes,
  resultTexts,
  states,
  stdioEntry,
} from './scene.ts';

const AUTO = 'mcp: {permissions: auto}\nservers:\n';

test('MM-01 MM-05 MM-06 R1: one list, servers over HTTP, stdio and built in, one answer', async () => {
  await using server = await startMcpServer();
  const yaml = [
    httpEntry('web', server.url),
    stdioEntry('local'),
    '  - {name: here, builtin: workspace}',
  ];
  await using scene = await openScene({
    yaml: AUTO + yaml.join('\n'),
    steps: callThenAnswer(
      ['web_echo', { text: 'over HTTP' }],
      ['local_echo', { text: 'over stdio' }],
      ['here_read_file', { path: 'note.txt' }],
    ),
  });
  writeFiles(scene.cwd, { 'note.txt': 'in process\n' });
  expect(states(scene.report)).toEqual({ web: 'ready', local: 'ready', here: 'ready' });
  const result = await ask(scene);
  expect({
    ...result,
    answer: result.answer.split('\n').slice(0, 2),
    toolCalls: outcomes(result),
  }).toEqual({
    answer: ['{"text":"over HTTP"}', '{"text":"over stdio"}'],
    exit: 0,
    error: undefined,
    turns: 2,
    usage: { inputTokens: 20, outputTokens: 10 },
    toolCalls: ['web/echo ok', 'local/echo ok', 'here/read_file ok'],
    denied: [],
    unknownOutcome: [],
    warnings: [],
  });
  expect(result.answer).toContain('in process');
});

test('events come in the order of what happened', async () => {
  await using server = await startMcpServer({
    tools: [tool('echo', 'Repeats.', { type: 'object' })],
  });
  await using scene = await openScene({
    yaml: AUTO + httpEntry('s1', server.url),
    steps: [{ ...callStep(['s1_echo', { n: 1 }]), text: 'looking' }, { text: ['do', 'ne'] }],
  });
  const serverStates = scene.events.map((event) => event.type === 'server' && event.status.state);
  expect([...new Set(serverStates)]).toEqual(['connecting', 'discovering', 'ready']);
  const from = scene.events.length;
  await ask(scene);
  const about = { id: 'call_1', server: 's1', tool: 'echo' };
  expect(scene.events.slice(from)).toMatchObject([
    { type: 'text', turn: 1, delta: 'looking' },
    { type: 'turn_done', turn: 1, usage: { inputTokens: 10, outputTokens: 5 } },
    {
      type: 'call_permission',
      ...about,
      decision: { effect: 'allow', why: 'mcp.permissions: auto' },
      answer: undefined,
    },
    { type: 'call_sent', ...about, arguments: { n: 1 } },
    { type: 'call_done', id: 'call_1', name: 's1_echo', outcome: { kind: 'result' } },
    { type: 'text', turn: 2, delta: 'do' },
    { type: 'text', turn: 2, delta: 'ne' },
    { type: 'turn_done', turn: 2 },
  ]);
});

test('a second prompt has the first one and its calls before it', async () => {
  await using server = await startMcpServer();
  await using scene = await openScene({
    yaml: AUTO + httpEntry('s1', server.url),
    steps: [...callThenAnswer(['s1_read', {}]), { text: 'second answer' }, { text: 'third' }],
  });
  await ask(scene, 'first');
  await ask(scene, 'second');
  const third = await ask(scene, 'third');
  expect(third.turns).toBe(1);
  expect(scene.requests.at(-1)?.seen.turns).toEqual([
    { role: 'user', text: 'first' },
    {
      role: 'assistant',
      text: '',
      calls: [{ id: 'call_1', name: 's1_read', arguments: '{}' }],
      reasoning: undefined,
    },
    { role: 'tool', results: [{ id: 'call_1', text: 'nothing to read' }] },
    { role: 'assistant', text: 'nothing to read', calls: [], reasoning: undefined },
    { role: 'user', text: 'second' },
    { role: 'assistant', text: 'second answer', calls: [], reasoning: undefined },
    { role: 'user', text: 'third' },
  ]);
});

test('parallel calls run together and their results come in the order of the calls', async () => {
  const slow = tool('slow', 'Takes its time.', { type: 'object' }, { does: { afterMs: 150 } });
  const fast = tool('fast', 'Takes none.', { type: 'object' });
  await using server = await startMcpServer({ tools: [slow, fast] });
  const done: string[] = [];
  await using scene = await openScene({
    yaml: AUTO + httpEntry('s1', server.url),
    steps: callThenAnswer(['s1_slow', { n: 1 }], ['s1_fast', { n: 2 }], ['s1_slow', { n: 3 }]),
    onEvent: (event) => {
      if (event.type === 'call_sent' || event.type === 'call_done')
        done.push(`${event.type} ${event.id}`);
    },
  });
  const result = await ask(scene);
  expect(done.slice(0, 4)).toEqual([
    'call_sent call_1',
    'call_sent call_2',
    'call_sent call_3',
    'call_done call_2',
  ]);
  expect(resultTexts(scene)).toEqual(['{"n":1}', '{"n":2}', '{"n":3}']);
  expect(result.toolCalls.map(({ arguments: given }) => given)).toEqual([
    { n: 1 },
    { n: 2 },
    { n: 3 },
  ]);
});

test('MM-13 R6: the same call twice is two calls on the server', async () => {
  await using server = await startMcpServer();
  await using scene = await openScene({
    yaml: AUTO + httpEntry('s1', server.url),
    steps: [callStep(['s1_echo', { text: 'x' }]), ...callThenAnswer(['s1_echo', { text: 'x' }])],
  });
  await ask(scene);
  const calls = server.calls().map(({ name, arguments: given }) => ({ name, given }));
  const one = { name: 'echo', given: { text: 'x' } };
  expect(calls).toEqual([one, one]);
});

test('MM-20: only listed tools are offered, and no other can be called', async () => {
  await using server = await startMcpServer();
  await using scene = await openScene({
    yaml: AUTO + httpEntry('s1', server.url, ', tools: [echo, "odd*", raed]'),
    steps: callThenAnswer(['s1_read', {}], ['s1_odd_name_v2', { a: 1 }]),
  });
  const result = await ask(scene);
  expect(offered(scene, 0)).toEqual(['s1_echo', 's1_odd_name_v2']);
  expect(outcomes(result)).toEqual(['s1/read invalid', 's1/odd-name.v2 ok']);
  expect(server.calls().map(({ name }) => name)).toEqual(['odd-name.v2']);
  expect(scene.report.warnings).toEqual([
    {
      message: 's1: the server has no tool "raed" (listed in tools:)',
      hint: 'did you mean "read"?',
    },
  ]);
});

test('MM-20: an empty list offers nothing', async () => {
  await using server = await startMcpServer();
  await using scene = await openScene({
    yaml: AUTO + httpEntry('s1', server.url, ', tools: []'),
    steps: [{ text: 'nothing to use: {{tools}}' }],
  });
  expect((await ask(scene)).answer).toBe('nothing to use: ');
  expect(offered(scene)).toEqual([]);
});

test.each(['openai', 'responses', 'anthropic', 'google'] as const)(
  'the wire format %s carries tools, calls and results',
  async (format) => {
    await using server = await startMcpServer();
    await using scene = await openScene({
      format,
      yaml: AUTO + httpEntry('s1', server.url),
      steps: callThenAnswer(['s1_echo', { text: 'äö' }], ['s1_read', {}]),
    });
    const result = await ask(scene);
    expect([result.answer, result.exit, outcomes(result)]).toEqual([
      '{"text":"äö"}\nnothing to read',
      0,
      ['s1/echo ok', 's1/read ok'],
    ]);
    expect(scene.requests.map(({ breach }) => breach)).toEqual([undefined, undefined]);
  },
);
