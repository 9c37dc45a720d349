import { expect, test } from 'bun:test';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { tool } from '../fixtures/servers/script.ts';
import { callThenAnswer, runScripted, toolTexts } from '../helpers/scripted-run.ts';

const pdf = Buffer.from('%PDF-1.7 not really').toString('base64');
const sound = Buffer.alloc(3000, 1).toString('base64');
const CONTENT = [
  { type: 'text', text: 'first words' },
  {
    type: 'resource_link',
    uri: 'file:///tmp/plan.md',
    name: 'plan',
    mimeType: 'text/markdown',
    size: 7,
  },
  { type: 'resource', resource: { uri: 'memo://1', mimeType: 'text/plain', text: 'memo text' } },
  { type: 'resource', resource: { uri: 'memo://2', mimeType: 'application/pdf', blob: pdf } },
  { type: 'audio', mimeType: 'audio/wav', data: sound },
  { type: 'future', x: 1 },
  { type: 'text', text: 'last words' },
];

test('every kind of block leaves its trace, in order', async () => {
  await using server = await startMcpServer({
    tools: [
      tool('mixed', 'Mixed.', { type: 'object' }, { does: { result: { content: CONTENT } } }),
    ],
  });
  const run = await runScripted({
    servers: [{ name: 's1', url: server.url }],
    steps: callThenAnswer(['s1_mixed', {}]),
  });
  expect(run.code).toBe(0);
  const [text = ''] = toolTexts(run.requests);
  const traces = [
    'first words',
    'file:///tmp/plan.md',
    'memo text',
    'application/pdf',
    'audio/wav',
    'future',
    'last words',
  ];
  const places = traces.map((trace) => text.indexOf(trace));
  expect(
    Object.fromEntries(traces.map((trace, index) => [trace, (places[index] ?? -1) >= 0])),
  ).toEqual(Object.fromEntries(traces.map((trace) => [trace, true])));
  expect(places).toEqual([...places].sort((a, b) => a - b));
  expect(text).toContain('plan');
  expect(text).toMatch(/\b19 B/);
  expect(text).toMatch(/2\.9 KiB/);
  expect(text).not.toContain('[object Object]');
  expect([text.includes(pdf), text.includes(sound.slice(0, 40))]).toEqual([false, false]);
});
