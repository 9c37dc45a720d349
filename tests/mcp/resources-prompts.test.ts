import { describe, expect, test } from 'bun:test';
import type { JsonValue } from '../../src/base/json.ts';
import { getPrompt, listPrompts, missingArguments } from '../../src/mcp/prompts.ts';
import { listResources, listTemplates, readResource } from '../../src/mcp/resources.ts';

/** Answers any request with `result`; `sent` are its parameters. */
function serverWith(result: JsonValue) {
  const sent: JsonValue[] = [];
  const ask = (_method: string, params: JsonValue) => {
    sent.push(params);
    return Promise.resolve(result);
  };
  return { ask, sent };
}

describe('resources', () => {
  test('null fields are absent, an item without uri costs only itself, apps are left out', async () => {
    const good = { uri: 'docs://a', name: null, title: 'A', size: -1, mimeType: null };
    const { ask } = serverWith({
      resources: [
        good,
        { name: 'no uri' },
        5,
        { uri: 'ui://panel/x' },
        { uri: 'docs://app', mimeType: 'text/html;profile=mcp-app' },
      ],
    });
    const { items, dropped } = await listResources(ask);
    expect(items).toEqual([
      {
        uri: 'docs://a',
        name: undefined,
        title: 'A',
        description: undefined,
        mimeType: undefined,
        size: undefined,
        raw: good,
      },
    ]);
    expect(dropped).toEqual([
      { name: 'no uri', problem: 'has no uri' },
      { name: '(no uri)', problem: 'is not an object' },
    ]);
  });

  test('templates need their uriTemplate', async () => {
    const { ask } = serverWith({
      resourceTemplates: [{ uriTemplate: 'docs://{id}' }, { name: 'x' }],
    });
    const { items, dropped } = await listTemplates(ask);
    expect(items.map(({ uriTemplate }) => uriTemplate)).toEqual(['docs://{id}']);
    expect(dropped).toEqual([{ name: 'x', problem: 'has no uriTemplate' }]);
  });

  test('what is read is text or base64, whatever shape the server chose', async () => {
    const contents = async (result: JsonValue) =>
      (await readResource(serverWith(result).ask, 'docs://a')).contents.map(
        ({ uri, text, blob }) => [uri, text, blob],
      );
    expect(await contents({ contents: [{ uri: 'docs://b', text: '' }, { blob: 'AA==' }] })).toEqual(
      [
        ['docs://b', '', undefined],
        ['docs://a', undefined, 'AA=='],
      ],
    );
    expect(await contents({ contents: { text: { a: 1 } } })).toEqual([
      ['docs://a', '{"a":1}', undefined],
    ]);
    expect(await contents({ contents: null })).toEqual([]);
    expect(await contents('bare')).toEqual([['docs://a', 'bare', undefined]]);
  });
});

describe('prompts', () => {
  test('arguments without a name are left out, required ones are found missing', async () => {
    const { ask } = serverWith({
      prompts: [
        { name: 'review', arguments: [{ name: 'code', required: true }, { name: 'tone' }, {}] },
        { name: 'plain', arguments: null },
        { title: 'nameless' },
      ],
    });
    const { items, dropped } = await listPrompts(ask);
    expect(items.map((item) => [item.name, item.arguments])).toEqual([
      [
        'review',
        [
          { name: 'code', description: undefined, required: true },
          { name: 'tone', description: undefined, required: false },
        ],
      ],
      ['plain', []],
    ]);
    expect(dropped).toEqual([{ name: '(no name)', problem: 'has no name' }]);
    const [review] = items;
    if (review === undefined) throw new Error('no prompt');
    expect([
      missingArguments(review, {}),
      missingArguments(review, { code: null }),
      missingArguments(review, { code: '' }),
    ]).toEqual([['code'], ['code'], []]);
  });

  test('values go as texts, absent ones not at all; messages are read leniently', async () => {
    const { ask, sent } = serverWith({
      messages: [
        { role: 'assistant', content: { type: 'text', text: 'a' } },
        { content: [{ type: 'text', text: 'b' }] },
        'bare',
      ],
    });
    const { messages } = await getPrompt(ask, 'p', { a: 'x', b: 3, c: true, d: null, e: [1] });
    expect(sent).toEqual([{ name: 'p', arguments: { a: 'x', b: '3', c: 'true', e: '[1]' } }]);
    expect(messages).toEqual([
      { role: 'assistant', content: [{ type: 'text', text: 'a' }] },
      { role: 'user', content: [{ type: 'text', text: 'b' }] },
      { role: 'user', content: ['bare'] },
    ]);
  });
});
