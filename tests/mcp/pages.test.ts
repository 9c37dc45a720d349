import { describe, expect, test } from 'bun:test';
import { ConnectError } from '../../src/base/errors.ts';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import { RpcError } from '../../src/mcp/errors.ts';
import { type ItemList, type ListKind, readPages } from '../../src/mcp/pages.ts';

interface Item {
  readonly id: string;
}

const kind: ListKind<Item> = {
  method: 'things/list',
  key: 'things',
  adapt: (item) =>
    typeof item === 'string' ? { id: item } : { name: JSON.stringify(item), problem: 'is no text' },
  idOf: ({ id }) => id,
};

/** Reads a list whose pages are given; each asks with the cursor before. */
async function read(...pages: readonly (JsonValue | Error)[]) {
  const asked: JsonObject[] = [];
  const list: ItemList<Item> = await readPages((method, params) => {
    expect(method).toBe('things/list');
    const page = pages[Math.min(asked.length, pages.length - 1)] ?? null;
    asked.push(params);
    return page instanceof Error ? Promise.reject(page) : Promise.resolve(page);
  }, kind);
  return { asked, ids: list.items.map(({ id }) => id), ...list };
}

const rpcError = (code: number) =>
  new RpcError('s', 'things/list', { code, message: 'no', data: undefined });

describe('a list read page by page', () => {
  test('keeps the order and sends each cursor back as it came', async () => {
    const { asked, ids, notices } = await read(
      { things: ['a'], nextCursor: ' Ü=" ' },
      { things: ['b'], nextCursor: null },
    );
    expect([asked, ids, notices]).toEqual([[{}, { cursor: ' Ü=" ' }], ['a', 'b'], []]);
  });

  test('is empty where the server has no such method, or a null list', async () => {
    expect((await read(rpcError(-32_601))).ids).toEqual([]);
    expect((await read({ things: null })).notices).toEqual([]);
  });

  test('fails where the first page does, for any other reason', async () => {
    await expect(read(new ConnectError('gone'))).rejects.toThrow('gone');
    await expect(read(rpcError(-32_000))).rejects.toThrow('things/list');
  });

  test('ends at a repeated cursor, at a page that fails, at no list, and keeps what was read', async () => {
    const repeated = await read(
      { things: ['a'], nextCursor: 'x' },
      { things: ['b'], nextCursor: 'x' },
    );
    expect([repeated.ids, repeated.notices]).toEqual([
      ['a', 'b'],
      ['things/list repeats a cursor; the 2 things read so far are kept'],
    ]);
    const broken = await read({ things: ['a'], nextCursor: 'x' }, new ConnectError('gone'));
    expect([broken.ids, broken.notices]).toEqual([
      ['a'],
      ['things/list broke off (gone); the 1 things read so far are kept'],
    ]);
    expect((await read({ things: {} })).notices).toEqual([
      'things/list answered without a list of things',
    ]);
  });

  test('drops what cannot be used and what came before, each with its reason', async () => {
    const { ids, dropped } = await read({ things: ['a', 7, 'a', 'b'] });
    expect([ids, dropped]).toEqual([
      ['a', 'b'],
      [
        { name: '7', problem: 'is no text' },
        { name: 'a', problem: 'is listed twice; the first one is used' },
      ],
    ]);
  });

  test('has at most 100 pages and 5,000 items', async () => {
    let page = 0;
    const endless = await readPages(() => {
      page += 1;
      return Promise.resolve({ things: [`${page}`], nextCursor: `${page}` });
    }, kind);
    expect([endless.items.length, endless.notices]).toEqual([
      100,
      ['things/list has more than 100 pages; the 100 things read so far are kept'],
    ]);
    const many = await read({ things: Array.from({ length: 5001 }, (_, index) => `${index}`) });
    expect([many.ids.length, many.notices]).toEqual([
      5000,
      ['things/list has more than 5000 items; the 5000 things read so far are kept'],
    ]);
  });
});
