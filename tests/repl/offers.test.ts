import { describe, expect, test } from 'bun:test';
import { systemClock } from '../../src/base/clock.ts';
import { UsageError } from '../../src/base/errors.ts';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import { createBuiltin } from '../../src/host/builtin.ts';
import { ServerOffers } from '../../src/host/server-offers.ts';
import type { Host } from '../../src/host/types.ts';
import { runCommand } from '../../src/repl/commands.ts';
import { createPaint } from '../../src/repl/render.ts';
import { serverOf } from '../host/server-config.ts';
import { createFakeHost, fakeServer } from './fake-host.ts';

const ANSWERS: Readonly<Record<string, JsonObject>> = {
  'resources/list': { resources: [{ uri: 'docs://a', title: 'The \u001b[31mA' }] },
  'resources/templates/list': { resourceTemplates: [{ uriTemplate: 'docs://{n}', name: 'page' }] },
  'prompts/list': {
    prompts: [
      { name: 'review', description: 'Reviews', arguments: [{ name: 'code', required: true }] },
    ],
  },
};

/** A session's host with one server whose lists are above; `filled` are the requests to read. */
function hostWithDocs(answers = ANSWERS) {
  const base = createBuiltin(serverOf('docs', { builtin: 'workspace' }), '/tmp');
  const offers = new ServerOffers(
    {
      ...base,
      kind: 'http',
      status: () => ({ ...base.status(), capabilities: { resources: {}, prompts: {} } }),
      request: (method): Promise<JsonValue> => {
        const answer = answers[method];
        return answer === undefined
          ? Promise.reject(new UsageError(`no ${method}`))
          : Promise.resolve(answer);
      },
    },
    systemClock,
  );
  const filled: JsonValue[] = [];
  const fake = createFakeHost({ askUser: nobody, onEvent: () => undefined }, async () => ({}), [
    fakeServer('docs'),
  ]);
  const host: Host = {
    ...fake,
    offers: () => [offers],
    parseArguments: (_tool, words) => Promise.resolve({ words }),
    read: (request) => {
      filled.push({ ...request });
      return Promise.resolve({
        kind: 'cancelled',
        tool: undefined,
        sent: false,
        text: 'The call was cancelled.',
      });
    },
  };
  const run = (line: string) => runCommand(line, host, VIEW, new AbortController().signal);
  return { run, filled, host };
}

const VIEW = { columns: 80, paint: createPaint(false) };

const nobody = { ask: () => Promise.resolve({ kind: 'nobody', reason: 'test' } as const) };

describe('/resources and /prompts', () => {
  test('list what servers offer, one clean line each', async () => {
    const { run } = hostWithDocs();
    expect(await run('/resources')).toEqual({
      kind: 'lines',
      lines: [
        'docs: 2 resources',
        expect.stringMatching(/^ {2}docs:\/\/a {2}The [^\u001b]*A$/),
        '  docs://{n}  page',
      ],
    });
    expect(await run('/prompts docs')).toEqual({
      kind: 'lines',
      lines: ['docs: 1 prompt', '  /docs:review code*  Reviews'],
    });
  });

  test('say so where there is none, or where the list fails', async () => {
    expect(await hostWithDocs().run('/prompts other')).toEqual({
      kind: 'lines',
      lines: ['other offers no prompts.'],
    });
    for (const kind of ['resources', 'prompts']) {
      const { host } = hostWithDocs();
      const lines = [`No server offers ${kind}.`];
      const none = { ...host, offers: () => [] };
      expect(await runCommand(`/${kind}`, none, VIEW, new AbortController().signal)).toEqual({
        kind: 'lines',
        lines,
      });
    }
    expect(await hostWithDocs({}).run('/prompts')).toEqual({
      kind: 'lines',
      lines: ['docs: no prompts/list'],
    });
  });
});

describe('/server:prompt (R26)', () => {
  test('is filled in with its words, quoted parts whole, or one object', async () => {
    const { run, filled } = hostWithDocs();
    await run('/docs:review code="a b" \'tone=very kind\'  x=1');
    await run('/docs:review {"code": "a b"}');
    await run('/docs:review');
    const request = (words: readonly string[]) => ({
      kind: 'prompt',
      server: 'docs',
      name: 'review',
      arguments: { words },
    });
    expect(filled).toEqual([
      request(['code=a b', 'tone=very kind', 'x=1']),
      request(['{"code": "a b"}']),
      request([]),
    ]);
  });

  test('that was not filled in, or of no server, is told', async () => {
    const { run } = hostWithDocs();
    expect(await run('/docs:review code=x')).toEqual({
      kind: 'lines',
      lines: ['The call was cancelled.'],
    });
    expect(await run('/dosc:review')).toEqual({
      kind: 'lines',
      lines: ['There is no server dosc with prompts.'],
    });
  });
});
