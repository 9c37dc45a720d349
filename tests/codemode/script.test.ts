import { afterAll, describe, expect, test } from 'bun:test';
import { type House, openHouse, textResult, texts } from './house.ts';

const house: House = openHouse({
  tools: [
    { name: 'echo' },
    { name: 'fails', does: () => textResult('the disk is full', true) },
    { name: 'secret-wipe', server: 'a-b', description: 'Wipes.\nMore.' },
    {
      name: 'typed',
      outputSchema: { type: 'object', properties: { n: { type: 'number' } } },
      does: () => ({
        content: [],
        structuredContent: { n: 5 },
        isError: true,
        raw: { content: [], structuredContent: { n: 5 }, isError: true },
      }),
    },
    {
      name: 'needs',
      inputSchema: {
        type: 'object',
        properties: { path: { type: 'string' } },
        required: ['path'],
      },
    },
    { name: 'gone' },
  ],
  denied: ['s/gone'],
});
afterAll(() => house.bridge.close());

/** Texts of a script that completes; its error otherwise. */
async function shown(code: string): Promise<readonly string[] | string> {
  const outcome = await house.run(code);
  return outcome.error === undefined ? texts(outcome) : outcome.error.message;
}

describe('a script', () => {
  test('prints texts as they are and values as JSON, and what it returns', async () => {
    expect(await shown('text("a\\n"); text({a: [1]}); return null')).toEqual([
      'a\n',
      '{"a":[1]}',
      'null',
    ]);
  });

  test('prints nothing for a return without a value', async () => {
    expect(await shown('return')).toEqual([]);
  });

  test('shows what JSON cannot carry', async () => {
    const code = `
      const o = {}; o.self = o;
      text(o); text(1n); text(Symbol('s')); text(function f() {}); text(undefined);
      text(new Map([[1, 2]])); text(new Set([1])); text([NaN, -Infinity]); text('a\\ud800b');
      text(new Error('bad'));`;
    expect(await shown(code)).toEqual([
      '{"self":"[Circular]"}',
      '1n',
      'Symbol(s)',
      '[Function f]',
      'undefined',
      '{"[Map]":[[1,2]]}',
      '{"[Set]":[1]}',
      '["NaN","-Infinity"]',
      'a\ufffdb',
      'Error: bad (line 5)',
    ]);
  });

  test('keeps its console apart, in order', async () => {
    const { console, items } = await house.run('console.log("a", {b: 1}); console.error("c")');
    expect([console, items]).toEqual([['a {"b":1}', 'c'], []]);
  });

  test.each([
    ['const a = 1;\nfoo bar', "SyntaxError: expecting ';' (line 2)"],
    ['let x: number = 1', "SyntaxError: expecting ';' (line 1)"],
    ['import fs from "fs"', "SyntaxError: expecting '(' (line 1)"],
    ['\n\nnull.x', "TypeError: cannot read property 'x' of null (line 3)"],
    ['require("fs")', "ReferenceError: 'require' is not defined (line 1)"],
    ['return await import("fs")', "ReferenceError: could not load module 'fs'"],
    ['throw {a: 1}', 'thrown: {"a":1}'],
    ['eval("1")', "ReferenceError: 'eval' is not defined (line 1)"],
    ['await new Promise(() => {})', 'the script waits for a promise that nothing can settle'],
    ['(function f() { f() })()', 'InternalError: stack overflow'],
  ])('ends with words that help: %j', async (code, message) => {
    expect(await shown(code)).toStartWith(message);
  });

  test('keeps what it printed before it failed', async () => {
    const outcome = await house.run('text("first"); await tools.s_fails(); text("never")');
    expect([texts(outcome), outcome.error]).toEqual([
      ['first'],
      { kind: 'error', message: 'ToolError: the disk is full' },
    ]);
  });

  test('tells every reason of a failure that has several', async () => {
    using house = openHouse();
    const code =
      'const e = new RangeError("b"); await Promise.any([Promise.reject("a"), Promise.reject(e)])';
    const { error } = await house.run(code);
    expect(error?.message).toBe('AggregateError: thrown: a; RangeError: b (line 1) (line 1)');
  });

  test('ends at exit, whatever would catch it', async () => {
    const code = 'text(1); try { exit() } catch { text(2) } finally { text(3) } text(4)';
    expect(await shown(code)).toEqual(['1']);
  });

  test('reads options of its first line only', async () => {
    const limited = await house.run('// @options: {"timeout_ms": 300}\nfor (;;);');
    expect(limited.error?.kind).toBe('limit');
    expect(house.run('\n// @options: {}')).rejects.toThrow('line 2: @options must be the first');
    expect(house.run('// @options: {"timeout": 1}')).rejects.toThrow('has no "timeout"');
    expect(house.run('// @options: {"timeout_ms": 0}')).rejects.toThrow('at least 1');
  });

  test('takes images as data URL, image_url or block, and nothing else', async () => {
    const outcome = await house.run(`
      image('data:image/png;base64,aGk=');
      image({ image_url: { url: 'data:image/webp;base64,aGk=' } });
      image({ type: 'image', mimeType: 'image/gif', data: 'aGk=' });
      image('https://example.com/a.png');`);
    expect(outcome.items).toEqual([
      { kind: 'image', mimeType: 'image/png', data: 'aGk=' },
      { kind: 'image', mimeType: 'image/webp', data: 'aGk=' },
      { kind: 'image', mimeType: 'image/gif', data: 'aGk=' },
    ]);
    expect(outcome.error?.message).toStartWith('TypeError: image() takes a data URL');
  });

  test('gets arguments and input only where a person gives them', async () => {
    const given = { args: ['a', '--b'], input: 'in' };
    expect(texts(await house.run('return [args, input]', { given }))).toEqual([
      '[["a","--b"],"in"]',
    ]);
    expect(await shown('return typeof args + typeof input')).toEqual(['undefinedundefined']);
  });
});

describe('a sandbox', () => {
  test('reaches nothing of the host', async () => {
    const names = 'process Bun fetch require setTimeout postMessage WebAssembly navigator eval';
    const code = `return '${names}'.split(' ').filter((name) => name in globalThis)`;
    expect(await shown(code)).toEqual(['[]']);
  });

  test('has no way out through constructors, prototypes or errors', async () => {
    const code = `
      const roots = [tools, tools.s_echo, text, console.log, searchTools, ALL_TOOLS, Promise];
      try { await tools.s_fails() } catch (error) { roots.push(error, error.result) }
      const globals = await Promise.all(roots.filter(Boolean).map((root) => {
        const make = root.constructor?.constructor ?? Function;
        return make('return [typeof process, typeof postMessage, this === globalThis].join()')();
      }));
      return [...new Set(globals)]`;
    expect(await shown(code)).toEqual(['["undefined,undefined,true"]']);
  });

  test('keeps built-ins as they are, and lets objects have their own', async () => {
    const code = `
      Array.prototype.map = () => 'evil'; JSON.parse = 1; Promise.prototype.then = 2;
      globalThis.tools = 3; globalThis.Promise = 4; Object.prototype.extra = 5;
      class Mine extends Error { constructor() { 'use strict'; super('m'); this.name = 'Mine'; } }
      const o = {}; o.toString = () => 'own';
      return [[1].map((x) => x + 1), JSON.parse('7'), typeof tools, ({}).extra, new Mine().name, String(o)]`;
    expect(await shown(code)).toEqual(['[[2],7,"object",null,"Mine","own"]']);
  });

  test('does not carry anything from one script to the next', async () => {
    await house.run('globalThis.left = 1; Object.defineProperty(Array, "left", {value: 1})');
    expect(await shown('return [typeof left, typeof Array.left]')).toEqual([
      '["undefined","undefined"]',
    ]);
  });

  test.each([
    '}); text("out"); (async () => {',
    '}}); text("out"); ({async script() {',
    '}, text("out"), async function () {',
    '}(text("out")), function () {',
    '}[text("out")] = async function () {',
    '} text("out"); async function more() {',
    '}, async script() { text("out")',
    '} /* */ , [text("out")]: async () => {',
    '}\n// x\n.x, text("out"), () => {',
  ])('does not let text close the function around it: %j', async (code) => {
    const outcome = await house.run(code);
    expect([texts(outcome), outcome.error?.kind]).toEqual([[], 'syntax']);
  });
});

describe('a rejection that nobody handles', () => {
  test.each([
    ['Promise.reject(new Error("x")); text("printed"); return 1', 'Error: x (line 1)'],
    ['text("printed"); Promise.resolve().then(() => { throw "t" }); return 1', 'thrown: t'],
    [
      'text("printed"); new Promise((_, no) => no(new TypeError("n"))); return 1',
      'TypeError: n (line 1)',
    ],
    ['text("printed"); Promise.all([Promise.reject(1)]); return 1', 'thrown: 1'],
    [
      'text("printed"); tools.s_fails(); await tools.s_echo(); return 1',
      'ToolError: the disk is full',
    ],
    [
      'text("printed"); tools.s_fails().then(text); await tools.s_echo(); return 1',
      'ToolError: the disk is full',
    ],
    [
      'text("printed"); Promise.reject(1).finally(() => 0); Promise.reject(2); return 1',
      'thrown: 2 (and 1 more)',
    ],
    ['text("printed"); [1].forEach(async () => { throw "f" }); return 1', 'thrown: f'],
    [
      'text("printed"); new Map([[1, 2]]).forEach(async (v, k) => { throw v + k }); return 1',
      'thrown: 3',
    ],
    ['text("printed"); [1].map(async () => { throw "m" }); return 1', 'thrown: m'],
    [
      'text("printed"); Promise.withResolvers().reject(new Error("w")); return 1',
      'Error: w (line 1)',
    ],
    [
      'text("printed"); tools.s_echo({ n: 1n }); return 1',
      'TypeError: Do not know how to serialize a BigInt (line 1)',
    ],
    [
      'text("printed"); searchTools(5); return 1',
      'TypeError: the query of searchTools() is a string (line 1)',
    ],
    [
      'text("printed"); describeTool("none"); await tools.s_echo(); await tools.s_echo(); return 1',
      'Error: There is no tool "none".',
    ],
  ])('fails the script after its output: %s', async (code, message) => {
    const outcome = await house.run(code);
    expect([texts(outcome), outcome.error]).toEqual([
      ['printed', '1'],
      { kind: 'error', message: `unhandled rejection: ${message}` },
    ]);
  });

  test.each([
    'await Promise.reject(1).catch(() => 0)',
    'const p = Promise.reject(1); await null; try { await p } catch {}',
    'const p = tools.s_fails(); await tools.s_echo(); await p.catch(() => 0)',
    'await Promise.allSettled([tools.s_fails(), Promise.reject(1)])',
    'await Promise.any([Promise.reject(1), 2]); await Promise.race([1, Promise.reject(2)])',
    'class Mine extends Promise {} await new Mine((_, no) => no(1)).catch(() => 0)',
    'class Mine extends Promise {} try { await new Mine((_, no) => no(1)) } catch {}',
    'try { await (async () => { return tools.s_fails() })() } catch {}',
    'const { promise, reject } = Promise.withResolvers(); reject(1); await promise.catch(() => 0)',
    'for await (const one of [Promise.resolve(1)]) text(one); tools.s_fails().catch(() => 0); await tools.s_echo()',
    'exit(Promise.reject(1))',
    'await Promise.allSettled([1, 2].map(async () => { throw 1 }))',
    'const all = [1].map(async () => { throw 1 }); await tools.s_echo(); try { await all[0] } catch {}',
    'await tools.s_echo({ n: 1n }).catch(() => 0); try { await searchTools(5) } catch {}',
  ])('is none where it is handled before the end: %s', async (code) => {
    expect((await house.run(code)).error).toBeUndefined();
  });

  test('costs a script that makes very many no more than they do', async () => {
    const outcome = await house.run('for (let n = 0; n < 30000; n++) Promise.reject(n)');
    const message = 'unhandled rejection: thrown: 0 (and 9999 more)';
    expect(outcome.error).toEqual({ kind: 'error', message });
  });

  test('leaves forEach what it is', async () => {
    const code = `
      const seen = [], self = { seen };
      ['a', , 'b'].forEach(function (...values) { this.seen.push(values.join()) }, self);
      new Set([5]).forEach((one, same, set) => seen.push([one, same, set.size].join()));
      try { [1].forEach(3) } catch (error) { seen.push(error.name) }
      try { [1].forEach(() => { throw new RangeError('r') }) } catch (error) { seen.push(error.name) }
      return [...seen, [].forEach.name, [].forEach(() => 1)]`;
    expect(await shown(code)).toEqual([
      '["a,0,a,,b","b,2,a,,b","5,5,1","TypeError","RangeError","forEach",null]',
    ]);
  });

  test('leaves map what it is', async () => {
    const code = `
      class Mine extends Array {}
      const self = { by: 2 };
      const made = Mine.of(1, 2).map(function (one, at, all) { return one * this.by + at + all.length }, self);
      const seen = [];
      try { [1].map(3) } catch (error) { seen.push(error.name) }
      try { [1].map(() => { throw new RangeError('r') }) } catch (error) { seen.push(error.name) }
      return [...made, made instanceof Mine, 1 in [1, , 3].map((n) => n), ...seen, [].map.name, [].map.length]`;
    expect(await shown(code)).toEqual(['[4,7,true,false,"TypeError","RangeError","map",1]']);
  });

  test('leaves promises what they are', async () => {
    const code = `
      class Mine extends Promise {}
      const own = new Mine((yes) => yes(3));
      return [
        Promise.resolve(1) instanceof Promise, await Promise.resolve(1), await Promise.all([1, Promise.resolve(2)]),
        own instanceof Mine, own.then((n) => n) instanceof Mine, await own, (async () => {})() instanceof Promise,
        Promise.name, Promise.length, typeof Promise.prototype.then, Object.isFrozen(Promise),
        Object.prototype.toString.call(Promise.resolve()),
      ]`;
    expect(await shown(code)).toEqual([
      '[true,1,[1,2],true,true,3,true,"Promise",1,"function",true,"[object Promise]"]',
    ]);
    expect(await shown('Promise(() => 0)')).toStartWith('TypeError: Promise is made with new');
  });
});

describe('tools in a script', () => {
  test('have every spelling, and give the whole result without _meta', async () => {
    const code = `
      return await Promise.all([
        tools.s_echo({n: 1}), tools.mcp__s__echo({n: 2}), tools.s.echo({n: 3}), tools['s/echo']({n: 4}),
        tools['a-b']['secret-wipe']({n: 5}), tools.a_b.secret_wipe({n: 6}), tools.mcp__a_b.secret_wipe({n: 7}),
      ])`;
    const numbers = [1, 2, 3, 4, 5, 6, 7];
    const results = numbers.map((n) => ({
      content: [{ type: 'text', text: `{"n":${n}}` }],
      isError: false,
    }));
    expect(await shown(code)).toEqual([JSON.stringify(results)]);
  });

  test('are shown by their names, and none is called for it', async () => {
    const asked = house.sent.length;
    const code = 'return [Object.keys(JSON.parse(JSON.stringify(tools))), text(tools.s)]';
    const [ofServer = '', names] = await shown(code);
    expect(ofServer).toStartWith('{"echo":"[Function]","fails":"[Function]"');
    expect(names).toBe('[["s","a_b"],null]');
    expect(house.sent.length).toBe(asked);
  });

  test('have their own answers where reading the arguments calls again', async () => {
    const code = `
      let inner;
      const outer = await tools.s_echo({ get n() { inner ??= tools.s_echo({ n: 2 }); return 1; } });
      return [outer, await inner].map(({ content }) => content[0].text)`;
    expect(await shown(code)).toEqual([JSON.stringify(['{"n":1}', '{"n":2}'])]);
  });

  test('give the declared value even of an error', async () => {
    expect(await shown('return await tools.s_typed()')).toEqual(['{"n":5}']);
  });

  test('throw the text of what went wrong, with kind and result', async () => {
    const code = `
      const all = await Promise.allSettled([
        tools.s_fails(), tools.s_needs({}), tools.s_gone(), tools.s_ecoh(), tools.s_echo(5), tools.codemode({}),
      ]);
      for (const { reason } of all) text([reason instanceof Error, reason.kind, reason.message]);
      text(all[0].reason.result)`;
    expect(await shown(code)).toEqual([
      '[true,"error","the disk is full"]',
      '[true,"invalid","The arguments do not fit the schema of s_needs; nothing was sent:\\n- arguments: missing required property \\"path\\""]',
      '[true,"denied","s/gone was not called: a rule of the user\'s config denies it."]',
      '[true,"invalid","There is no tool \\"s_ecoh\\". Did you mean s_echo?"]',
      '[true,"invalid","the arguments of s_ecoh must be one object"]'.replace('ecoh', 'echo'),
      '[true,"invalid","codemode cannot be called from a script"]',
      '{"content":[{"type":"text","text":"the disk is full"}],"isError":true}',
    ]);
  });

  test('are not those that steer the model, which is said in plain words', async () => {
    const code = `
      const all = await Promise.allSettled([
        tools.tool_search({query: 'x'}), tools['@search/tool_search']({}), tools.codemode({}), tools['@codemode/codemode']({}),
      ]);
      return all.map(({ reason }) => reason.message)`;
    const search = 'scripts find tools with searchTools(query), not with tool_search';
    const script = 'codemode cannot be called from a script';
    expect(await shown(code)).toEqual([JSON.stringify([search, search, script, script])]);
  });

  test('are listed, searched and described', async () => {
    const code = `
      text(ALL_TOOLS.find(({name}) => name === 'a_b_secret_wipe'));
      text(Object.keys(tools.s)); text('s_echo' in tools); text('nope' in tools);
      text(await searchTools('wipe', {limit: 1}));
      text(await describeTool('s_needs'));
      text(await describeNamespace('mcp__a_b'));`;
    expect(await shown(code)).toEqual([
      '{"name":"a_b_secret_wipe","description":"Wipes."}',
      '["echo","fails","typed","needs","gone"]',
      'true',
      'false',
      '[{"name":"a_b_secret_wipe","namespace":"a-b","description":"Wipes."}]',
      'tools.s_needs(args: { path: string }): Promise<CallToolResult>;',
      '{"name":"a-b","description":"","instructions":"","tools":[{"name":"a_b_secret_wipe","description":"Wipes."}]}',
    ]);
  });

  test('are recorded with ids of their own, denied ones with them', async () => {
    const outcome = await house.run(
      'await tools.s_echo({a: 1}); await tools.s_gone().catch(() => 0)',
    );
    expect(outcome.nestedCalls).toEqual({
      complete: true,
      calls: [
        { id: 'p/1', tool: 's/echo', arguments: { a: 1 }, outcome: 'ok' },
        {
          id: 'p/2',
          tool: 's/gone',
          arguments: {},
          outcome: 'denied',
          error: "s/gone was not called: a rule of the user's config denies it.",
        },
      ],
    });
    expect(outcome.denied.map(({ tool }) => tool)).toEqual(['s/gone']);
    expect(house.sent.at(-1)).toEqual(['s/echo', { a: 1 }, 'p/1']);
  });

  test('leave a record that stays within its bounds', async () => {
    const outcome = await house.run(`
      const big = 'x'.repeat(9000), half = 'y'.repeat(7000);
      await tools.s_echo({big});
      for (let i = 0; i < 300; i++) await tools.s_echo({half});`);
    const { complete, calls } = outcome.nestedCalls;
    expect([complete, calls.length]).toEqual([false, 256]);
    expect(calls.filter((call) => call.arguments !== undefined)).toHaveLength(4);
  });
});

describe('store and load', () => {
  test('keep values of a script that completed, and of no other', async () => {
    await house.run('store("a", {n: 1}); store("gone", 1)');
    await house.run('store("a", {n: 2}); throw new Error("no")');
    expect(
      await shown('store("gone", undefined); return [load("a"), load("gone"), load("b")]'),
    ).toEqual(['[{"n":1},null,null]']);
    expect([...house.ports.store]).toEqual([['a', '{"n":1}']]);
  });

  test('refuse values and totals over the bound', async () => {
    expect(await shown('store("a", "x".repeat(262143))')).toContain('at most 262144 characters');
    const code = 'for (let i = 0; i < 5; i++) store("k" + i, "x".repeat(262000))';
    expect(await shown(code)).toContain('all values together have at most 1048576 characters');
  });
});
