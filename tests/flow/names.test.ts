import { describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { type ScriptedTool, tool } from '../fixtures/servers/script.ts';
import { ask, callThenAnswer, httpEntry, offered, openScene, outcomes } from './scene.ts';

const EMPTY = { type: 'object', properties: {} };
const named = (...names: readonly string[]): readonly ScriptedTool[] =>
  names.map((name) => tool(name, `Is ${name}.`, EMPTY));
const AUTO = 'mcp: {permissions: auto}\nservers:\n';

function hashOf(server: string, name: string): string {
  return createHash('sha256').update(`${server}\0${name}`).digest('hex').slice(0, 8);
}

describe('public names', () => {
  test('MM-17 MM-18 R2: server and tool joined, everything else one underscore', async () => {
    await using server = await startMcpServer({
      tools: named('resolve-library-id', 'query-docs', 'a..b__c', 'größe'),
    });
    await using scene = await openScene({
      yaml: AUTO + httpEntry('context7', server.url),
      steps: callThenAnswer(['context7_query_docs', {}]),
    });
    const result = await ask(scene);
    expect(offered(scene, 0)).toEqual([
      'context7_resolve_library_id',
      'context7_query_docs',
      'context7_a_b_c',
      'context7_gr_e',
    ]);
    expect(outcomes(result)).toEqual(['context7/query-docs ok']);
  });

  test('R2: naming mcp keeps runs and selectors keep their spelling', async () => {
    await using server = await startMcpServer({ tools: named('query-docs', 'a..b') });
    await using scene = await openScene({
      yaml: `mcp: {naming: mcp}\nservers:\n${httpEntry('c-7', server.url)}`,
      steps: callThenAnswer(['mcp__c_7__query_docs', {}], ['mcp__c_7__a__b', {}]),
      yes: ['c-7/query-docs', 'c-7/a..b'],
    });
    const result = await ask(scene);
    expect(offered(scene, 0)).toEqual(['mcp__c_7__query_docs', 'mcp__c_7__a__b']);
    expect(outcomes(result)).toEqual(['c-7/query-docs ok', 'c-7/a..b ok']);
  });

  test('MM-19 R3: every member of a collision across servers carries its hash, in any order', async () => {
    await using one = await startMcpServer({ tools: named('x_search', 'only') });
    await using two = await startMcpServer({
      tools: named('search'),
      delayMs: { initialize: 30 },
    });
    const first = `github_x_search_${hashOf('github', 'x_search')}`;
    const second = `github_x_search_${hashOf('github_x', 'search')}`;
    const entries = [httpEntry('github', one.url), httpEntry('github_x', two.url)];
    const seen: (readonly string[])[] = [];
    for (const order of [entries, entries.toReversed()]) {
      await using scene = await openScene({
        yaml: AUTO + order.join('\n'),
        steps: callThenAnswer([first, {}], [second, {}]),
      });
      expect(outcomes(await ask(scene))).toEqual(['github/x_search ok', 'github_x/search ok']);
      seen.push(offered(scene, 0).toSorted());
    }
    const names = ['github_only', first, second].toSorted();
    expect(seen).toEqual([names, names]);
  });

  test('R3: a collision inside one server, and one with a built-in', async () => {
    await using server = await startMcpServer({ tools: named('a-b', 'a_b') });
    await using other = await startMcpServer({ tools: named('x_read_file') });
    await using scene = await openScene({
      yaml: [
        `${AUTO}${httpEntry('s1', server.url)}`,
        httpEntry('w', other.url),
        '  - {name: w_x, builtin: workspace}',
      ].join('\n'),
      steps: [{ text: 'ok' }],
    });
    await ask(scene);
    const clashing = offered(scene).filter((name) => /^(s1_|w_x_read_file)/.test(name));
    expect(clashing).toEqual([
      `s1_a_b_${hashOf('s1', 'a-b')}`,
      `s1_a_b_${hashOf('s1', 'a_b')}`,
      `w_x_read_file_${hashOf('w', 'x_read_file')}`,
      `w_x_read_file_${hashOf('w_x', 'read_file')}`,
    ]);
  });

  test('R4: twin server names skip both entries with one warning each, the rest works', async () => {
    await using server = await startMcpServer({ tools: named('t') });
    const names = ['a-b', 'a_b', 'c'];
    await using scene = await openScene({
      yaml: AUTO + names.map((name) => httpEntry(name, server.url)).join('\n'),
      steps: [{ text: 'ok' }],
    });
    await ask(scene);
    expect(offered(scene)).toEqual(['c_t']);
    expect(scene.config.skipped).toEqual(['a-b', 'a_b']);
    expect(scene.config.warnings.map(({ skipped }) => skipped)).toEqual(['a-b', 'a_b']);
  });
});

test('flags and exposure narrow what is offered, never what a server has', async () => {
  await using server = await startMcpServer({ tools: named('a', 'b', 'c') });
  await using scene = await openScene({
    yaml: `${AUTO}${httpEntry('s1', server.url)}\n${httpEntry('s2', server.url, ', exposure: hidden')}`,
    steps: callThenAnswer(['s1_b', {}], ['s2_a', {}], ['s1_c', {}]),
    toolPatterns: { only: ['s1/*', 's2/*'], without: ['s1_b'] },
  });
  const result = await ask(scene);
  expect(offered(scene, 0)).toEqual(['s1_a', 's1_c']);
  expect(outcomes(result)).toEqual(['s1/b invalid', 's2/a invalid', 's1/c ok']);
  const hidden = scene.host
    .snapshot()
    .hidden.map((one) => [`${one.server}/${one.name}`, one.hidden?.kind]);
  expect(Object.fromEntries(hidden)).toEqual({
    's1/b': 'flag',
    's2/a': 'exposure',
    's2/b': 'exposure',
    's2/c': 'exposure',
  });
});

describe('tools that need binary data', () => {
  const binary = tool('send', 'Sends.', {
    type: 'object',
    properties: { mail: { anyOf: [{ type: 'string' }, { $ref: '#/$defs/file' }] } },
    $defs: { file: { type: 'object', properties: { raw: { type: ['null', 'binary'] } } } },
  });
  const returns: ScriptedTool = {
    definition: {
      name: 'shot',
      inputSchema: EMPTY,
      outputSchema: {
        type: 'object',
        properties: { png: { type: 'string', contentMediaType: 'image/png' } },
      },
    },
  };
  const tools = [binary, returns, ...named('plain')];

  test('MM-07 MM-08 R9: are hidden, each with a warning that names the place', async () => {
    await using server = await startMcpServer({ tools });
    await using scene = await openScene({
      yaml: AUTO + httpEntry('s1', server.url),
      steps: callThenAnswer(['s1_send', {}]),
    });
    const result = await ask(scene);
    expect(offered(scene, 0)).toEqual(['s1_plain']);
    expect([outcomes(result), server.calls()]).toEqual([['s1/send invalid'], []]);
    const places = scene.report.warnings.map(({ message }) => message);
    expect(places).toEqual([
      expect.stringMatching(/^s1\/send is hidden: it needs binary data at inputSchema\..*raw/),
      expect.stringMatching(/^s1\/shot is hidden: it needs binary data at outputSchema\..*png/),
    ]);
  });

  test('R9: stay with binary: keep', async () => {
    await using server = await startMcpServer({ tools });
    await using scene = await openScene({
      yaml: AUTO + httpEntry('s1', server.url, ', binary: keep'),
      steps: [{ text: 'ok' }],
    });
    await ask(scene);
    expect(offered(scene)).toEqual(['s1_send', 's1_shot', 's1_plain']);
    expect(scene.report.warnings).toEqual([]);
  });
});
