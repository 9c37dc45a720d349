/** What a server asks, through the whole host: a real process asks, a person or a plan answers. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { JsonObject } from '../../src/base/json.ts';
import type { HostOptions } from '../../src/host/types.ts';
import { personTyping } from '../host/dialogue.ts';
import { openScene, type Scene, type SceneOptions } from './scene.ts';

const program = resolve(import.meta.dir, '../fixtures/servers/asks-stdio.ts');
const entry = (more = '') =>
  `servers:\n  - {name: forge, command: ${JSON.stringify(process.execPath)}, args: ["${program}"], permissions: auto${more}}`;

const openForge = (options: Partial<SceneOptions> = {}, more = '') =>
  openScene({ yaml: entry(more), ...options });

/** The text of one call typed by a person, parsed; the error's message where it failed. */
async function call(scene: Scene, tool: string, args: JsonObject = {}): Promise<unknown> {
  const outcome = await scene.host.call(
    {
      id: '1',
      name: `forge/${tool}`,
      arguments: args,
      invalidArguments: undefined,
      origin: 'user',
    },
    new AbortController().signal,
  );
  if (outcome.kind === 'failed') return outcome.error.message;
  return outcome.kind === 'result' ? JSON.parse(outcome.rendered.text) : outcome.kind;
}

const FORM = {
  message: 'Who are you?',
  requestedSchema: {
    type: 'object',
    properties: { name: { type: 'string' }, age: { type: 'integer', default: 30 } },
    required: ['name'],
  },
};
const SAMPLE = {
  messages: [{ role: 'user', content: { type: 'text', text: 'two and two?' } }],
  maxTokens: 20,
};

test('R30: a person fills in a form', async () => {
  const person = personTyping(['Ada', '', 'y']);
  await using scene = await openForge({ talk: person.talk });
  expect(await call(scene, 'ask', { params: FORM })).toEqual({
    action: 'accept',
    content: { name: 'Ada', age: 30 },
  });
  expect(person.shown()).toContain('*forge* asks you for input:\n  | Who are you?');
});

test('R30: without a person the answer is cancel, with a plan what it says', async () => {
  const cases: readonly [HostOptions['elicit'], unknown][] = [
    [undefined, { action: 'cancel' }],
    ['decline', { action: 'decline' }],
    ['accept', { action: 'decline' }],
    [
      [{ server: 'forge', action: 'accept', content: { name: 'Ada' } }],
      { action: 'accept', content: { age: 30, name: 'Ada' } },
    ],
    [[{ server: 'other', action: 'accept' }], { action: 'cancel' }],
  ];
  for (const [elicit, expected] of cases) {
    await using scene = await openForge({ elicit });
    expect([elicit, await call(scene, 'ask', { params: FORM })]).toEqual([elicit, expected]);
  }
});

test('what cannot be asked is told to the server with its code', async () => {
  await using scene = await openForge({ elicit: 'accept' });
  const params = { mode: 'url', message: '', url: 'file:///etc/passwd' };
  expect(await call(scene, 'ask', { params })).toEqual({
    code: -32602,
    message: 'only http and https addresses are opened',
  });
});

test('IA-44: a call that needs an address opened is made again once the server says that it is done', async () => {
  const person = personTyping(['m'], { last: 'silence' });
  await using scene = await openForge({ talk: person.talk });
  const args = { url: 'https://a.example/', elicitationId: 'e1', delayMs: 50 };
  expect(await call(scene, 'locked', args)).toEqual({ calls: 2 });
  expect(person.shown()).toContain('  host: *a.example*');
  expect(person.shown()).toEndWith('Enter tries again\nnow, Ctrl-C gives up.\n');
});

test('IA-44: Enter does not wait for the server, Ctrl-C gives the call up', async () => {
  const args = { url: 'https://a.example/', elicitationId: 'e1', delayMs: 60_000 };
  await using scene = await openForge({ talk: personTyping(['m', '']).talk });
  expect(await call(scene, 'locked', args)).toEqual({ calls: 2 });
  await using other = await openForge({ talk: personTyping(['m']).talk });
  expect(await call(other, 'locked', args)).toStartWith('server "forge" answered tools/call');
});

test('a question that the server takes back is taken off the screen', async () => {
  const person = personTyping([], { last: 'silence' });
  await using scene = await openForge({ talk: person.talk });
  expect(await call(scene, 'ask', { params: FORM, withdraw: true })).toBe('withdrawn');
  // The next one is asked: nothing holds the queue.
  expect(await call(scene, 'ask', { params: FORM, withdraw: true })).toBe('withdrawn');
  expect(person.shown().match(/asks you for input/g)).toHaveLength(2);
});

test('IA-44: after a decline the call fails as the server said', async () => {
  const person = personTyping(['d']);
  await using scene = await openForge({ talk: person.talk });
  const failure = await call(scene, 'locked', { url: 'https://a.example/' });
  expect(failure).toStartWith('server "forge" answered tools/call with an error: sign in');
  expect(person.left()).toEqual([]);
});

test('IA-44: three rounds are enough', async () => {
  await using scene = await openForge({ elicit: 'accept' });
  const url = 'https://a.example/';
  expect(await call(scene, 'locked', { url, times: 9 })).toStartWith('server "forge" answered');
  // 4 calls were made. Of this one 5 to 7 are refused as well, and 8 is answered.
  expect(await call(scene, 'locked', { url, times: 7 })).toEqual({ calls: 8 });
});

test('R31: sampling is not declared and not answered unless the config says ask', async () => {
  await using scene = await openForge({ talk: personTyping([]).talk });
  expect(await call(scene, 'capabilities')).toEqual({
    roots: {},
    elicitation: { form: {}, url: {} },
  });
  expect(await call(scene, 'sample', { params: SAMPLE })).toEqual({
    code: -32601,
    message: 'Method not found: sampling/createMessage',
  });
});

test('R31: with sampling: ask the model answers after a yes, and nothing is sent after a no', async () => {
  const person = personTyping(['n', 'y']);
  await using scene = await openForge(
    { talk: person.talk, steps: [{ text: 'four' }] },
    ', sampling: ask',
  );
  expect(await call(scene, 'capabilities')).toMatchObject({ sampling: {} });
  expect(await call(scene, 'sample', { params: SAMPLE })).toEqual({
    code: -1,
    message: 'User rejected sampling request',
  });
  expect(scene.requests).toEqual([]);
  expect(await call(scene, 'sample', { params: SAMPLE })).toEqual({
    role: 'assistant',
    content: { type: 'text', text: 'four' },
    model: 'openai-compatible/scripted',
    stopReason: 'endTurn',
  });
  expect(scene.requests.map(({ body }) => body)).toMatchObject([{ max_tokens: 20 }]);
});

test('R31: roots are the working directory', async () => {
  await using scene = await openForge();
  expect(await call(scene, 'roots')).toMatchObject({ roots: [{ uri: `file://${scene.cwd}` }] });
});

test('R31: what a server logs goes to a file, and it is asked for more only when wanted', async () => {
  const logOf = (scene: Scene) =>
    readFileSync(join(scene.home, '.local/state/usher/mcp.log'), 'utf8').replaceAll(/^\S+ /gm, '');
  const params = { level: 'warning', logger: 'db', data: { slow: true } };
  await using quiet = await openForge();
  await call(quiet, 'log', { params });
  expect(logOf(quiet)).toBe('forge warning db: {"slow":true}\n');

  await using loud = await openForge({ serverLogLevel: 'debug' });
  await call(loud, 'log', { params });
  expect(logOf(loud).split('\n').toSorted()).toEqual([
    '',
    'forge notice {"level":"debug"}',
    'forge warning db: {"slow":true}',
  ]);
});

test('questions of servers and questions of permission come one at a time', async () => {
  const order: string[] = [];
  let open = 0;
  const one = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    open += 1;
    order.push(`${what} ${open}`);
    await new Promise((resolve) => setImmediate(resolve));
    open -= 1;
    return work();
  };
  const person = personTyping(['/decline', '/decline']);
  await using scene = await openForge({
    yaml: `${entry()}\n  - {name: second, command: ${JSON.stringify(process.execPath)}, args: ["${program}"], permissions: ask}`,
    talk: (conversation, signal) => one('talk', () => person.talk(conversation, signal)),
    askUser: { ask: () => one('ask', async () => ({ kind: 'yes' })) },
    steps: [
      {
        toolCalls: [
          { name: 'second_roots', arguments: '{}' },
          { name: 'forge_ask', arguments: JSON.stringify({ params: FORM }) },
          { name: 'second_ask', arguments: JSON.stringify({ params: FORM }) },
        ],
      },
      { text: 'done' },
    ],
  });
  const { answer } = await scene.host.prompt('go', new AbortController().signal);
  expect([answer, order.toSorted()]).toEqual(['done', ['ask 1', 'ask 1', 'talk 1', 'talk 1']]);
});
