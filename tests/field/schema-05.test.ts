import { expect, test } from 'bun:test';
import { DEFAULT_RULES } from '../fixtures/models/types.ts';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { tool } from '../fixtures/servers/script.ts';
import { callThenAnswer, offeredTools, runScripted, toolTexts } from '../helpers/scripted-run.ts';

const text = { type: 'string' };
const node = {
  type: 'object',
  properties: { label: text, children: { type: 'array', items: { $ref: '#/$defs/node' } } },
};

/** One property `v` of each awkward kind, with a value for it. */
const FEATURES: Readonly<
  Record<string, { readonly v: unknown; readonly defs?: object; readonly value: unknown }>
> = {
  referred: {
    v: { $ref: '#/$defs/place', description: 'where the parcel goes' },
    defs: { place: { type: 'object', properties: { city: text }, required: ['city'] } },
    value: { city: 'Ulm' },
  },
  recursive: {
    v: { $ref: '#/$defs/node' },
    defs: { node },
    value: { label: 'a', children: [{ label: 'b', children: [{ label: 'c' }] }] },
  },
  nullable: { v: { type: ['string', 'null'] }, value: null },
  union: { v: { type: ['string', 'integer', 'array'] }, value: 'x' },
  uri: { v: { type: 'string', format: 'uri' }, value: 'https://example.test/' },
  int32: { v: { type: 'integer', format: 'int32' }, value: 3 },
  constant: { v: { const: 'fixed' }, value: 'fixed' },
  lookbehind: { v: { type: 'string', pattern: '(?<=x)y$' }, value: 'xy' },
  itemless: { v: { type: 'array' }, value: ['x'] },
  tuple: { v: { type: 'array', items: [text, { type: 'integer' }] }, value: ['x', 1] },
  prefixed: { v: { type: 'array', prefixItems: [text, { type: 'integer' }] }, value: ['x', 1] },
  naming: { v: { type: 'object', propertyNames: { pattern: '^k' } }, value: { k1: 1 } },
  numbers: { v: { type: 'integer', enum: [1, 2, 3] }, value: 2 },
  above: { v: { type: 'number', exclusiveMinimum: 0 }, value: 0.5 },
  misspelt: { v: { type: 'int' }, value: 4 },
};
const NAMES = Object.keys(FEATURES);

function schemaOf(name: string): object {
  const { v, defs } = FEATURES[name] ?? {};
  const $defs = defs === undefined ? {} : { $defs: defs };
  return { type: 'object', properties: { v }, required: ['v'], ...$defs };
}

const tools = NAMES.map((name) => tool(name, name, schemaOf(name)));
const argumentsOf = (name: string) => ({ v: FEATURES[name]?.value });

test.each(['openai', 'responses', 'anthropic', 'google'] as const)(
  'every schema feature is offered in a form that the provider takes, and is callable, over %s',
  async (format) => {
    await using server = await startMcpServer({ tools });
    const rules = format === 'google' ? [...DEFAULT_RULES, 'keywords' as const] : DEFAULT_RULES;
    const run = await runScripted({
      format,
      servers: [{ name: 's1', url: server.url }],
      steps: {
        rules,
        steps: callThenAnswer(...NAMES.map((name) => [`s1_${name}`, argumentsOf(name)] as const)),
      },
    });
    expect(run.requests.map((one) => [one.status, one.breach])).toEqual([
      [200, undefined],
      [200, undefined],
    ]);
    expect(run.code).toBe(0);
    expect(offeredTools(run.requests)).toEqual(
      expect.arrayContaining(NAMES.map((name) => `s1_${name}`)),
    );
    const sent = server.calls().map((call) => [call['name'], call['arguments']]);
    expect(sent).toHaveLength(NAMES.length);
    expect(sent).toEqual(expect.arrayContaining(NAMES.map((name) => [name, argumentsOf(name)])));
    const told = NAMES.map((name) => JSON.stringify(argumentsOf(name)));
    expect(toolTexts(run.requests)).toEqual(told);
    expect(run.stdout.trim()).toBe(told.join('\n'));
    const referred = run.requests[0]?.seen.tools.find((one) => one.name === 's1_referred');
    expect(JSON.stringify(referred?.schema)).toContain('where the parcel goes');
    expect(JSON.stringify(referred?.schema)).toContain('city');
  },
);

test.each(['openai', 'anthropic', 'google'] as const)(
  'a tool that is refused all the same is named and left out, and the run goes on over %s',
  async (format) => {
    await using server = await startMcpServer({ tools });
    const message = "Invalid schema for function 's1_lookbehind': pattern is not supported";
    const run = await runScripted({
      format,
      servers: [{ name: 's1', url: server.url }],
      steps: [{ status: 400, message }, ...callThenAnswer(['s1_uri', argumentsOf('uri')])],
    });
    expect([run.code, run.stdout.trim()]).toEqual([0, JSON.stringify(argumentsOf('uri'))]);
    expect(run.requests.map((one) => one.status)).toEqual([400, 200, 200]);
    const left = NAMES.filter((name) => name !== 'lookbehind').map((name) => `s1_${name}`);
    for (const { seen } of run.requests.slice(1)) {
      const offered = seen.tools.map((one) => one.name);
      expect(offered).toEqual(expect.arrayContaining(left));
      expect(offered).not.toContain('s1_lookbehind');
    }
    expect(run.stderr).toMatch(/pattern is not supported.*without.*s1_lookbehind/);
  },
);
