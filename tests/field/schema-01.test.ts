import { expect, test } from 'bun:test';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { tool } from '../fixtures/servers/script.ts';
import { offeredTools, runScripted } from '../helpers/scripted-run.ts';
import { runUsher } from '../helpers/usher.ts';

const any = { type: 'object', properties: {} };
const server60 = 's'.repeat(60);
const stem = 'tool_'.repeat(12).slice(0, 59);
const names = [`${stem}a`, `${stem}b`];

test.each(['server_tool', 'mcp'])(
  'long names with naming %s are cut, stay apart, and lead to the right tool',
  async (naming) => {
    const tools = names.map((name) =>
      tool(name, 'One.', any, { does: { result: { content: [{ type: 'text', text: name }] } } }),
    );
    await using server = await startMcpServer({ tools });
    const servers = [{ name: server60, url: server.url }];
    const mcp = { permissions: 'auto', naming };
    const first = await runScripted({ servers, mcp, steps: [{ text: 'hi' }] });
    const offered = offeredTools(first.requests);
    expect([first.code, new Set(offered).size]).toEqual([0, 2]);
    expect(offered.filter((name) => !/^[a-zA-Z0-9_-]{1,64}$/.test(name))).toEqual([]);

    const second = await runScripted({
      servers,
      mcp,
      steps: [
        { toolCalls: offered.map((name) => ({ name, arguments: '{}' })) },
        { text: '{{result}}' },
      ],
    });
    expect(second.stdout.trim().split('\n')).toEqual(names);
    expect(offeredTools(second.requests)).toEqual(offered);
  },
);

test('listings and rules keep the original names', async () => {
  await using server = await startMcpServer({
    tools: names.map((name) => tool(name, 'One.', any)),
  });
  const servers = [
    { name: server60, url: server.url, toolPermissions: { [String(names[1])]: 'deny' } },
  ];
  const listing = await runUsher(['tools', '--json'], { config: { servers } });
  const listed = JSON.parse(listing.stdout).tools.map((one: { name: string }) => one.name);
  expect(listed).toEqual(names);
  const call = async (name: string | undefined) =>
    (await runUsher(['call', server60, String(name)], { config: { servers } })).code;
  expect([await call(names[0]), await call(names[1])]).toEqual([0, 5]);
});
