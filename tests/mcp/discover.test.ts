import { describe, expect, test } from 'bun:test';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import { listTools } from '../../src/mcp/discover.ts';
import { RpcError } from '../../src/mcp/errors.ts';

const never = new AbortController().signal;
const named = (...names: string[]) => names.map((name) => ({ name }));

/** Lists over pages given in turn; an Error is thrown. The last page stays. */
async function listOver(pages: readonly (JsonValue | Error)[]) {
  const asked: JsonObject[] = [];
  const listing = await listTools(async (params) => {
    const page = pages[Math.min(asked.length, pages.length - 1)];
    asked.push(params);
    if (page instanceof Error) throw page;
    return page ?? null;
  }, never);
  return { names: listing.tools.map((tool) => tool.name), ...listing, asked };
}

const failure = (code: number) =>
  new RpcError('s1', 'tools/list', { code, message: 'broken', data: undefined });

describe('listTools', () => {
  test.each([null, ''])('ends at the cursor %j', async (nextCursor) => {
    const { names, asked } = await listOver([{ tools: named('a'), nextCursor }]);
    expect([names, asked]).toEqual([['a'], [{}]]);
  });

  test('keeps what was read when a cursor repeats', async () => {
    const page = { tools: named('a'), nextCursor: 'p' };
    const { names, notices, asked } = await listOver([page, { ...page, tools: named('b') }]);
    expect([names, notices, asked.length]).toEqual([
      ['a', 'b'],
      ['tools/list repeats a cursor; the 2 tools read so far are kept'],
      2,
    ]);
  });

  test('stops at 100 pages', async () => {
    let page = 0;
    const listing = await listTools(async () => {
      page += 1;
      return { tools: named(`t${page}`), nextCursor: `p${page}` };
    }, never);
    expect([listing.tools.length, listing.notices, page]).toEqual([
      100,
      ['tools/list has more than 100 pages; the 100 tools read so far are kept'],
      100,
    ]);
  });

  test('stops at 5,000 tools', async () => {
    const names = [...Array(6000).keys()].map(String);
    const { tools, notices } = await listOver([{ tools: named(...names) }]);
    expect([tools.length, notices]).toEqual([
      5000,
      ['tools/list has more than 5000 tools; the rest is left out'],
    ]);
  });

  test('keeps the first pages when a later one fails', async () => {
    const { names, notices } = await listOver([
      { tools: named('a'), nextCursor: 'p' },
      failure(-32_000),
    ]);
    expect([names, notices]).toEqual([
      ['a'],
      [
        'tools/list broke off (server "s1" answered tools/list with an error: broken (-32000)); the 1 tools read so far are kept',
      ],
    ]);
  });

  test('takes "method not found" as no tools, and throws any other first failure', async () => {
    expect((await listOver([failure(-32_601)])).names).toEqual([]);
    await expect(listOver([failure(-32_000)])).rejects.toThrow('broken');
  });

  test('uses the first of two tools with one name', async () => {
    const { names, dropped } = await listOver([{ tools: named('a', 'b', 'a') }]);
    expect([names, dropped]).toEqual([
      ['a', 'b'],
      [{ name: 'a', problem: 'is listed twice; the first one is used' }],
    ]);
  });

  test.each<JsonValue>([{}, { tools: null }, { tools: {} }, 'none'])(
    'takes %j as an empty list, and says so',
    async (page) => {
      expect(await listOver([page])).toMatchObject({
        names: [],
        notices: ['answered tools/list without a list of tools'],
      });
    },
  );

  test('says once of several pages that they hold no list, and reads on', async () => {
    const { names, notices } = await listOver([
      { nextCursor: 'p' },
      { nextCursor: 'q' },
      { tools: named('a') },
    ]);
    expect([names, notices]).toEqual([['a'], ['answered tools/list without a list of tools']]);
  });
});
