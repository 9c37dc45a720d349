import { describe, expect, test } from 'bun:test';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { tool } from '../fixtures/servers/script.ts';
import {
  ask,
  callStep,
  httpEntry,
  offered,
  openScene,
  outcomes,
  personWho,
  resultTexts,
} from './scene.ts';

const any = { type: 'object', properties: { n: { type: 'number', description: 'How many.' } } };

function script(code: string) {
  return callStep(['codemode', { code }]);
}

describe('the tool codemode', () => {
  test('is offered with defaultTools: +codemode, or when a ready server is for scripts', async () => {
    await using server = await startMcpServer({ tools: [tool('a', 'Does a.', any)] });
    const direct = `servers:\n${httpEntry('s1', server.url)}`;
    const cases = [
      [direct, ['s1_a']],
      [`defaultTools: [+codemode]\n${direct}`, ['s1_a', 'codemode']],
      [`servers:\n${httpEntry('s1', server.url, ', exposure: codemode')}`, ['codemode']],
      [
        `defaultTools: [-codemode]\nservers:\n${httpEntry('s1', server.url, ', exposure: codemode')}`,
        [],
      ],
    ] as const;
    for (const [yaml, names] of cases) {
      await using scene = await openScene({ yaml, steps: [{ text: 'ok' }] });
      await ask(scene);
      expect(offered(scene).filter((name) => name !== 'tool_search')).toEqual([...names]);
    }
  });

  test('declares the tools that only scripts reach', async () => {
    await using server = await startMcpServer({ tools: [tool('a', 'Does a.', any)] });
    const yaml = `servers:\n${httpEntry('s1', server.url, ', exposure: codemode')}`;
    await using scene = await openScene({ yaml, steps: [{ text: 'ok' }] });
    await ask(scene);
    const [declared] = scene.requests[0]?.seen.tools ?? [];
    expect(JSON.stringify(declared)).toContain(
      'tools.s1_a(args?: { /** How many. */ n?: number }): Promise<CallToolResult>;',
    );
  });

  test('asks for each call inside, not for the script, and tells calls with their parent', async () => {
    await using server = await startMcpServer({ tools: [tool('a', 'Does a.', any)] });
    const person = personWho('yes', 'no');
    await using scene = await openScene({
      yaml: `servers:\n${httpEntry('s1', server.url, ', exposure: codemode')}`,
      steps: [script('text(await tools.s1_a({n: 1})); await tools.s1_a({n: 2})'), { text: 'done' }],
      askUser: person,
    });
    const result = await ask(scene);
    expect(person.questions.map(({ arguments: args }) => args)).toEqual([{ n: 1 }, { n: 2 }]);
    expect([outcomes(result), server.calls().length]).toEqual([
      ['@codemode/codemode error', 's1/a ok', 's1/a declined'],
      1,
    ]);
    expect(resultTexts(scene)[0]).toContain('s1/a was not called: the user declined it.');
    const sent = scene.events.flatMap((event) =>
      event.type === 'call_sent' ? [`${event.server}/${event.tool} ${event.id}`] : [],
    );
    expect(sent).toHaveLength(2);
    expect(sent[1]).toBe(`s1/a ${String(sent[0]).split(' ')[1]}/1`);
  });

  test('lets a denied call inside count as a denied call of the run', async () => {
    await using server = await startMcpServer({ tools: [tool('a', 'Does a.', any)] });
    const yaml = `servers:\n${httpEntry('s1', server.url, ', exposure: codemode, toolPermissions: {a: deny}')}`;
    const steps = [script('await tools.s1_a().catch(() => 0); return 1'), { text: 'done' }];
    await using scene = await openScene({ yaml, steps });
    const result = await ask(scene);
    expect([result.answer, result.exit, result.denied.map(({ tool: name }) => name)]).toEqual([
      'done',
      5,
      ['a'],
    ]);
    await using lenient = await openScene({ yaml, steps, limits: { onDenied: 'continue' } });
    expect((await ask(lenient)).exit).toBe(0);
  });

  test('has a clock that rests while a person is asked', async () => {
    await using server = await startMcpServer({ tools: [tool('a', 'Does a.', any)] });
    const code = '// @options: {"timeout_ms": 400}\nawait tools.s1_a(); return "in time"';
    await using scene = await openScene({
      yaml: `servers:\n${httpEntry('s1', server.url, ', exposure: codemode')}`,
      steps: [script('return "warm"'), script(code), { text: 'done' }],
      askUser: {
        async ask() {
          await Bun.sleep(700);
          return { kind: 'yes' };
        },
      },
    });
    await ask(scene);
    expect(resultTexts(scene).at(-1)).toContain('\nin time');
  });

  test('keeps values from one script of a session to the next', async () => {
    await using scene = await openScene({
      yaml: 'defaultTools: [+codemode]\nservers: []',
      steps: [script('store("n", 41)'), script('return load("n") + 1'), { text: 'done' }],
    });
    await ask(scene);
    expect(resultTexts(scene).at(-1)).toContain('\n42');
  });

  test('saves images and shows where', async () => {
    await using scene = await openScene({
      yaml: 'defaultTools: [+codemode]\nservers: []',
      steps: [
        script('text("one"); image("data:image/png;base64,aGk="); text("two")'),
        { text: 'done' },
      ],
    });
    await ask(scene);
    const lines = (resultTexts(scene)[0] ?? '').split('\n');
    expect([lines[1], lines[2], lines[4], lines[5]]).toEqual([
      '==> text 1/2 <==',
      'one',
      '==> text 2/2 <==',
      'two',
    ]);
    expect(lines[3]).toMatch(/^\[image\/png 2 B saved as .+\]$/);
  });
});
