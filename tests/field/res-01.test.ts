import { expect, test } from 'bun:test';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { tool } from '../fixtures/servers/script.ts';
import { runScripted, toolTexts } from '../helpers/scripted-run.ts';

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64');
const large = Buffer.alloc(12_000_000, 7).toString('base64');

const IMAGES: Readonly<Record<string, object>> = {
  svg: { mimeType: 'image/svg+xml', data: svg },
  typeless: { data: PIXEL },
  upper: { mimeType: 'image/PNG', data: PIXEL },
  broken_lines: { mimeType: 'image/png', data: PIXEL.replace(/(.{20})/g, '$1\n') },
  empty: { mimeType: 'image/png', data: '' },
  garbage: { mimeType: 'image/png', data: '%%% not base64 %%%' },
  dataless: { mimeType: 'image/png' },
  numeric: { mimeType: 'image/png', data: 5 },
  large: { mimeType: 'image/png', data: large },
};

test.each(['openai', 'responses', 'anthropic', 'google'] as const)(
  'a picture of any kind becomes a note, and the next turn works, over %s',
  async (format) => {
    const any = { type: 'object', properties: {} };
    const names = Object.keys(IMAGES);
    await using server = await startMcpServer({
      tools: names.map((name) =>
        tool(name, name, any, {
          does: { result: { content: [{ type: 'image', ...IMAGES[name] }] } },
        }),
      ),
    });
    const run = await runScripted({
      format,
      servers: [{ name: 's1', url: server.url }],
      steps: [
        { toolCalls: names.map((name) => ({ name: `s1_${name}`, arguments: '{}' })) },
        { toolCalls: [{ name: 's1_svg', arguments: '{}' }] },
        { text: 'went on' },
      ],
    });
    expect([run.code, run.stdout.trim()]).toEqual([0, 'went on']);
    const texts = toolTexts(run.requests);
    expect(texts).toHaveLength(names.length + 1);
    const notes = Object.fromEntries(names.map((name, index) => [name, texts[index] ?? '']));
    expect(names.filter((name) => notes[name]?.trim() === '')).toEqual([]);
    expect(notes['svg']).toContain('svg');
    expect(notes['large']).toMatch(/11\.4 MiB/);
    const all = JSON.stringify(run.requests.at(-1)?.body);
    expect([all.includes(PIXEL.slice(0, 60)), all.includes(svg), all.length < 100_000]).toEqual([
      false,
      false,
      true,
    ]);
  },
  15_000,
);
