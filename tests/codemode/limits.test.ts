import { describe, expect, test } from 'bun:test';
import { openHouse, textResult, texts } from './house.ts';

const SECOND = '// @options: {"timeout_ms": 1000}\n';

describe('a script that does not end by itself', () => {
  test.each([
    ['a loop', 'for (;;);'],
    ['a loop that catches', 'for (;;) { try { for (;;); } catch {} }'],
    ['a loop of promises', 'for (;;) await null'],
    ['a regular expression', '/(a+)+$/.test("a".repeat(50) + "b")'],
    ['a join', 'new Array(1e9) + ""'],
    ['a deep value', 'let o = {}, p = o; for (;;) { p.a = {}; p = p.a }'],
  ])('is ended a little after its limit, with what it printed: %s', async (_name, code) => {
    using house = openHouse();
    const startedAt = performance.now();
    const outcome = await house.run(`${SECOND}text('before'); ${code}`);
    expect([texts(outcome), outcome.error?.kind]).toEqual([['before'], 'limit']);
    expect(performance.now() - startedAt).toBeLessThan(3_500);
    expect(texts(await house.run('return "next"'))).toEqual(['next']);
  });

  test.each([
    ['const a = []; for (;;) a.push(new Array(1e5).fill(1))'],
    ['"x".repeat(2 ** 29)'],
    ['"x".padStart(2 ** 30)'],
    ['let s = "x"; for (;;) s += s'],
    ['new ArrayBuffer(2 ** 30)'],
  ])(
    'has its own memory only: %s',
    async (code) => {
      using house = openHouse();
      const before = process.memoryUsage().rss;
      const { error } = await house.run(code);
      expect(error?.message).toMatch(
        /out of memory|string too long|invalid string length|invalid array buffer length/,
      );
      expect(process.memoryUsage().rss - before).toBeLessThan(900 * 2 ** 20);
      expect(texts(await house.run('return "next"'))).toEqual(['next']);
    },
    20_000,
  );
});

test('a script lists very many tools in a moment', async () => {
  const tools = Array.from({ length: 4_000 }, (_, n) => ({ name: `t${n}` }));
  using house = openHouse({ tools });
  const code = 'return [Object.keys(tools).length, Object.keys(tools.s).length, "t7" in tools.s]';
  const { wallMs, ...outcome } = await house.run(code);
  expect(texts({ wallMs, ...outcome })).toEqual(['[4001,4000,true]']);
  expect(wallMs).toBeLessThan(2_000);
});

test('a script that has no memory left for its own error is told so', async () => {
  using house = openHouse();
  const { error } = await house.run('return [..."a".repeat(3e7)].length');
  const starved = { kind: 'limit', message: 'out of memory: a script has 256 MiB' } as const;
  expect(error).toEqual(starved);
  const thrown = await house.run('throw null');
  expect(thrown.error).toEqual({ kind: 'error', message: 'thrown: null' });
});

describe('output of a script', () => {
  test('is bounded in characters, and what is over is counted', async () => {
    using house = openHouse();
    const outcome = await house.run('for (let i = 0; i < 4; i++) text("x".repeat(5e6))');
    const lengths = texts(outcome).map(({ length }) => length);
    expect([outcome.error, lengths, outcome.dropped]).toEqual([
      undefined,
      [5e6, 5e6, 5e6, 16_777_216 - 15e6],
      1,
    ]);
  });

  test.each(['text("x".repeat(16_777_217))', 'console.log("x".repeat(16_777_217))'])(
    'is counted where a single one is over: %s',
    async (code) => {
      using house = openHouse();
      const outcome = await house.run(code);
      const [kept = ''] = [...texts(outcome), ...outcome.console];
      expect([outcome.error, kept.length, outcome.dropped]).toEqual([undefined, 16_777_216, 1]);
    },
  );

  test('is bounded in items', async () => {
    using house = openHouse();
    const outcome = await house.run('for (let i = 0; i < 100010; i++) console.log(i)');
    expect([outcome.console.length, outcome.console.at(-1), outcome.dropped]).toEqual([
      100_000,
      '99999',
      10,
    ]);
  }, 20_000);
});

describe('calls of a script', () => {
  test('come back in their places, however they end', async () => {
    const waits: Record<string, () => void> = {};
    using house = openHouse({
      tools: ['a', 'b', 'c'].map((name) => ({
        name,
        does: () =>
          new Promise((resolve) => {
            waits[name] = () => resolve(textResult(name, name === 'b'));
            // Out of order: the last one first.
            if (name === 'c') for (const one of ['c', 'b', 'a']) waits[one]?.();
          }),
      })),
    });
    const outcome = await house.run(`
      const all = await Promise.allSettled([tools.s_a(), tools.s_b(), tools.s_c()]);
      return all.map((one) => one.value?.content[0].text ?? one.reason.message)`);
    expect(texts(outcome)).toEqual(['["a","b","c"]']);
  });

  test('are never more than 32 at once', async () => {
    let now = 0;
    let most = 0;
    using house = openHouse({
      tools: [
        {
          name: 'wait',
          async does() {
            now += 1;
            most = Math.max(most, now);
            await Promise.resolve();
            await new Promise((resolve) => setImmediate(resolve));
            now -= 1;
            return textResult('ok');
          },
        },
      ],
    });
    const outcome = await house.run(
      'return (await Promise.all(Array.from({length: 200}, () => tools.s_wait()))).length',
    );
    expect([texts(outcome), most]).toEqual([['200'], 32]);
  });

  test('are cancelled and named when the script ends without them', async () => {
    let reason: unknown;
    using house = openHouse({
      tools: [
        { name: 'quick' },
        {
          name: 'slow',
          does: ({ signal }) =>
            new Promise((_resolve, reject) =>
              signal.addEventListener('abort', () => {
                reason = signal.reason;
                reject(signal.reason);
              }),
            ),
        },
      ],
    });
    const outcome = await house.run('tools.s_slow(); await tools.s_quick(); return 1');
    expect([texts(outcome), outcome.unawaited, String(reason)]).toEqual([
      ['1'],
      ['s_slow'],
      'Error: the script has ended',
    ]);
    expect(outcome.nestedCalls.calls.map((call) => call.outcome)).toEqual(['ok', 'cancelled']);
  });

  test('that answer after the deadline are dropped', async () => {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    using house = openHouse({
      tools: [{ name: 'late', does: () => late.then(() => textResult('late')) }],
    });
    await house.run('return "warm"');
    const outcome = await house.run(
      '// @options: {"timeout_ms": 200}\ntext("x"); await tools.s_late()',
    );
    resolve();
    expect([texts(outcome), outcome.error]).toEqual([
      ['x'],
      { kind: 'limit', message: 'the script was not done within 200 ms (timeout_ms)' },
    ]);
    expect(texts(await house.run('return "next"'))).toEqual(['next']);
  });
});

describe('an abort', () => {
  test('ends a script that computes, and its calls', async () => {
    using house = openHouse({ tools: [{ name: 'a' }] });
    const controller = new AbortController();
    const running = house.run('await tools.s_a(); for (;;);', { signal: controller.signal });
    setTimeout(() => controller.abort(new Error('stop')), 300);
    expect(running).rejects.toThrow('stop');
    await running.catch(() => undefined);
    expect(house.sent).toHaveLength(1);
  });
});

describe('workers', () => {
  test('are two, and others wait for their turn', async () => {
    const order: string[] = [];
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { promise: bothIn, resolve: tellBothIn } = Promise.withResolvers<void>();
    using house = openHouse({
      tools: [
        {
          name: 'enter',
          async does({ arguments: { n } }) {
            order.push(String(n));
            if (order.length === 2) tellBothIn();
            if (typeof n === 'number') await gates[n]?.promise;
            return textResult('ok');
          },
        },
      ],
    });
    const scripts = [0, 1, 2, 3].map((n) => house.run(`await tools.s_enter({n: ${n}})`));
    await bothIn;
    gates[0]?.resolve();
    await scripts[0];
    await scripts[2];
    await scripts[3];
    expect(order.toSorted()).toEqual(['0', '1', '2', '3']);
    expect(order.slice(0, 2).toSorted()).toEqual(['0', '1']);
    gates[1]?.resolve();
    await scripts[1];
  });

  test('run 500 scripts in a row without growing', async () => {
    using house = openHouse({
      tools: [{ name: 'a' }, { name: 'b', does: () => textResult('b', true) }],
    });
    const code = `
      const [a, b] = [await tools.s_a({x: 'y'.repeat(1000)}), await tools.s_b().catch((error) => error)];
      if (N % 10 === 0) throw new Error('outside');
      return a.content.length + b.message`;
    const run = async (from: number, to: number) => {
      for (let n = from; n < to; n += 1) {
        const outcome = await house.run(code.replace('N', String(n)));
        expect(outcome.error === undefined).toBe(n % 10 !== 0);
      }
      Bun.gc(true);
      return process.memoryUsage().rss;
    };
    const early = await run(0, 100);
    const late = await run(100, 500);
    expect(late - early).toBeLessThan(64 * 2 ** 20);
  }, 60_000);
});

describe('a namespace that is still connecting', () => {
  test('is waited for alone', async () => {
    const asked: string[] = [];
    const server = (name: string) => ({
      name,
      description: undefined,
      instructions: undefined,
      problem: undefined,
    });
    using house = openHouse({
      tools: [{ name: 'a' }, { name: 'a', server: 'slow' }],
      servers: () => [server('s'), server('slow'), server('other')],
      pending: () => ['slow', 'other'],
      async awaitServer(name) {
        asked.push(name);
      },
    });
    await house.run('await tools.s_a()');
    expect(asked).toEqual([]);
    await house.run('await tools.slow_a(); await describeTool("slow_a")');
    expect(asked).toEqual(['slow', 'slow']);
    await house.run('await searchTools("a")');
    expect(asked.slice(2)).toEqual(['slow', 'other']);
  });
});
