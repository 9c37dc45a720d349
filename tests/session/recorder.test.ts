import { expect, test } from 'bun:test';
import { sha256Hex } from '../../src/base/hash.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { registerSecret } from '../../src/base/redact.ts';
import type { Journal } from '../../src/session/journal.ts';
import { createRecorder, type RecordedEvent } from '../../src/session/recorder.ts';

function memoryJournal() {
  const lines: JsonObject[] = [];
  let syncs = 0;
  const journal: Journal = {
    path: '/nowhere',
    get seq() {
      return lines.length;
    },
    append(kind, fields) {
      // As it is written: without what is undefined.
      lines.push(JSON.parse(JSON.stringify({ kind, ...fields })));
      return lines.length;
    },
    sync() {
      syncs += 1;
      return Promise.resolve();
    },
    close: () => undefined,
  };
  return { journal, lines, syncs: () => syncs };
}

type Done = Extract<RecordedEvent, { type: 'call_done' }>;
type Tool = Extract<Done['outcome'], { kind: 'denied' }>['tool'];
const tool: Tool = {
  server: 'x',
  name: 'do',
  publicName: 'x_do',
  definition: {
    name: 'do',
    title: undefined,
    description: undefined,
    inputSchema: {},
    outputSchema: undefined,
    annotations: {},
    raw: {},
  },
  hidden: undefined,
  exposure: 'direct',
  source: {
    name: 'x',
    kind: 'stdio',
    identity: 'x',
    call: () => Promise.reject(new Error('not called')),
  },
};
const intent = (id: string, isReadOnly = false) => ({
  id,
  server: 'x',
  tool: 'do',
  arguments: { b: 1, a: 'hunter3-hunter3' },
  origin: 'model',
  isReadOnly,
});
const permission = (id: string, effect: 'allow' | 'ask' | 'deny'): RecordedEvent => ({
  type: 'call_permission',
  id,
  server: 'x',
  tool: 'do',
  decision: { effect, why: 'rule hunter3-hunter3' },
  answer: effect === 'ask' ? 'yes' : undefined,
});
const done = (id: string, outcome: Done['outcome']): Done => ({
  type: 'call_done',
  id,
  name: 'x_do',
  durationMs: 12.4,
  outcome,
});

test('a call is two lines: who allowed it and what it is, then how it ended; hashes, never values', async () => {
  registerSecret('hunter3-hunter3');
  const { journal, lines } = memoryJournal();
  const recorder = createRecorder(journal);
  recorder.onEvent({ type: 'server', status: { name: 'x', era: 'modern' } });
  recorder.onEvent(permission('1', 'ask'));
  await recorder.beforeSend(intent('1'));
  recorder.onEvent({
    type: 'call_changed',
    id: '1',
    server: 'x',
    tool: 'do',
    hook: 'filter',
    before: 'aa',
    after: 'bb',
    reason: undefined,
  });
  const raw = { content: [{ type: 'text', text: 'secret result' }] };
  const rendered = { text: '', isError: false, artifacts: [], omittedCharacters: 0 };
  const result = { content: [], structuredContent: undefined, isError: false, raw };
  recorder.onEvent(done('1', { kind: 'result', tool, result, rendered }));
  expect(lines).toEqual([
    {
      kind: 'intent',
      call: '1',
      server: 'x',
      tool: 'do',
      origin: 'model',
      effect: 'ask',
      why: 'rule ***',
      answer: 'yes',
      argsHash: sha256Hex('{"a":"hunter3-hunter3","b":1}'),
      era: 'modern',
      readOnly: false,
    },
    {
      kind: 'changed',
      call: '1',
      server: 'x',
      tool: 'do',
      hook: 'filter',
      before: 'aa',
      after: 'bb',
    },
    {
      kind: 'outcome',
      intent: 1,
      call: '1',
      outcome: 'ok',
      resultHash: sha256Hex(JSON.stringify(raw)),
      ms: 12,
    },
  ]);
});

test('a tool that claims to be read-only waits for no disk, another does', async () => {
  const { journal, syncs } = memoryJournal();
  const recorder = createRecorder(journal);
  expect(recorder.beforeSend(intent('1', true))).toBeUndefined();
  expect(syncs()).toBe(0);
  await recorder.beforeSend(intent('2'));
  expect(syncs()).toBe(1);
});

test('a refused call is one line, a call that was none is nothing', () => {
  const { journal, lines } = memoryJournal();
  const recorder = createRecorder(journal);
  recorder.onEvent(permission('1', 'deny'));
  const denied = { kind: 'denied', tool, by: 'rule', text: '', remedy: undefined } as const;
  recorder.onEvent(done('1', denied));
  recorder.onEvent(done('2', { kind: 'invalid', tool: undefined, text: '' }));
  expect(lines).toEqual([
    {
      kind: 'refused',
      call: '1',
      server: 'x',
      tool: 'do',
      by: 'rule',
      effect: 'deny',
      why: 'rule ***',
    },
  ]);
});

test('calls with the same id are told apart by their order', async () => {
  const { journal, lines } = memoryJournal();
  const recorder = createRecorder(journal);
  await recorder.beforeSend(intent('1'));
  await recorder.beforeSend(intent('1'));
  for (const sent of [true, false]) {
    recorder.onEvent(done('1', { kind: 'cancelled', tool, sent, text: '' }));
  }
  expect(lines.slice(2).map((line) => [line['intent'], line['outcome']])).toEqual([
    [1, 'unknown'],
    [2, 'cancelled'],
  ]);
});

test('a long text goes into the hash of its result by its own hash', async () => {
  const { journal, lines } = memoryJournal();
  const recorder = createRecorder(journal);
  const long = 'grüße '.repeat(20_000);
  const rendered = { text: '', isError: false, artifacts: [], omittedCharacters: 0 };
  const resultOf = (text: string) => ({
    content: [],
    structuredContent: undefined,
    isError: false,
    raw: { content: [{ type: 'text', text }] },
  });
  for (const [id, text] of [
    ['1', long],
    ['2', `${long}!`],
  ] as const) {
    await recorder.beforeSend(intent(id));
    recorder.onEvent(done(id, { kind: 'result', tool, result: resultOf(text), rendered }));
  }
  const hashes = lines.flatMap((line) => ('resultHash' in line ? [line['resultHash']] : []));
  expect(hashes).toEqual(
    [long, `${long}!`].map((text) =>
      sha256Hex(JSON.stringify(resultOf(`sha256:${sha256Hex(text)}`).raw)),
    ),
  );
});
