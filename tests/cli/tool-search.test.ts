/** `tool_search` in the binary: what a search declares, in this run and in a session that is gone on with. */
import { expect, test } from 'bun:test';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { tool } from '../fixtures/servers/script.ts';
import { newFolder } from '../helpers/places.ts';
import {
  callThenAnswer,
  offeredTools,
  runScripted,
  type ScriptedOutcome,
  toolTexts,
} from '../helpers/scripted-run.ts';

const CITY = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
};
const weatherServer = () =>
  startMcpServer({
    tools: [
      tool('get_weather', 'Weather forecast for a city.', CITY, { does: { echo: true } }),
      tool('send_letter', 'Sends a letter by post.', { type: 'object', properties: {} }),
    ],
  });
const SEARCH = callThenAnswer(['tool_search', { query: 'will it rain', limit: 1 }]).slice(0, 1);
const CALL = callThenAnswer(['s_get_weather', { city: 'Rome' }]);
const nameLists = ({ requests }: ScriptedOutcome) =>
  requests.map(({ seen }) => (seen.tools ?? []).map(({ name }) => name));

test('a tool is searched for, declared with its schema in the next request, and called', async () => {
  await using server = await weatherServer();
  const run = await runScripted({
    servers: [{ name: 's', url: server.url, exposure: 'deferred' }],
    steps: [...SEARCH, ...CALL],
  });
  expect([run.code, nameLists(run)]).toEqual([
    0,
    [['tool_search'], ['tool_search', 's_get_weather'], ['tool_search', 's_get_weather']],
  ]);
  expect(JSON.stringify(run.requests[1]?.body)).toContain(JSON.stringify(CITY.properties));
  expect(toolTexts(run.requests)).toEqual([
    'Declared from your next turn on:\n- s_get_weather: Weather forecast for a city.',
    '{"city":"Rome"}',
  ]);
  expect(server.calls().map((call) => [call['name'], call['arguments']])).toEqual([
    ['get_weather', { city: 'Rome' }],
  ]);
});

test('a session that is gone on with declares what it had found, from its first request on', async () => {
  await using server = await weatherServer();
  const home = newFolder();
  const flags = ['--session', 'one'];
  const servers = [{ name: 's', url: server.url, exposure: 'deferred' }];
  const first = await runScripted({
    home,
    flags,
    servers,
    steps: [...SEARCH, { text: 'found' }],
  });
  expect([first.code, offeredTools(first.requests)]).toEqual([0, ['tool_search']]);
  const second = await runScripted({ home, flags, servers, prompt: 'and now?', steps: CALL });
  expect([second.code, offeredTools(second.requests)]).toEqual([
    0,
    ['tool_search', 's_get_weather'],
  ]);
  expect(second.stdout).toBe('{"city":"Rome"}\n');
});

test('without deferred tools there is no tool_search, and few tools stay direct in auto', async () => {
  await using server = await weatherServer();
  const run = await runScripted({
    servers: [{ name: 's', url: server.url, exposure: 'auto' }],
    steps: [{ text: 'done' }],
  });
  expect(nameLists(run)).toEqual([['s_get_weather', 's_send_letter']]);
});
