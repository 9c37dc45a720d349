import { expect, test } from 'bun:test';
import { AuthError, ConnectError } from '../../src/base/errors.ts';
import {
  type BannerStyle,
  renderServers,
  renderSummary,
  serverWarnings,
} from '../../src/cli/banner.ts';
import type { ServerStatus } from '../../src/mcp/types.ts';
import type { RegisteredTool } from '../../src/tools/types.ts';
import { emptyConfig, reportOf, snapshotOf, statusOf, toolOf } from './fakes.ts';

const plain: BannerStyle = { columns: 40, unicode: true, colour: false, verbose: false };

function banner(
  servers: readonly ServerStatus[],
  tools: readonly RegisteredTool[] = [],
  style: Partial<BannerStyle> = {},
) {
  const facts = {
    report: reportOf(servers),
    snapshot: snapshotOf(tools),
    config: emptyConfig,
    permissions: 'auto',
    modelLabel: 'openai/x',
  } as const;
  return [
    ...renderServers(facts, { ...plain, ...style }),
    ...renderSummary(facts, { ...plain, ...style }),
  ];
}
const many = (server: string, count: number) =>
  Array.from({ length: count }, (_, index) => toolOf(server, `tool_${index}`));

test('each state has its mark, names are aligned and wrapped to the width', () => {
  const tools = many('github', 4);
  const status = statusOf('github', { kind: 'stdio', tools: tools.map((one) => one.definition) });
  const servers = [
    status,
    statusOf('b', { state: 'failed' }),
    statusOf('c', { state: 'needs_auth' }),
    statusOf('d', { state: 'connecting' }),
    statusOf('e', { state: 'disabled' }),
    statusOf('f', { kind: 'builtin', era: undefined, protocolVersion: undefined }),
  ];
  expect(banner(servers, tools)).toEqual([
    '✓ github  stdio    legacy 2025-11-25  4 of 4 tools, about 62 tokens',
    '    tool_0, tool_1, tool_2, tool_3',
    '✗ b       http     failed',
    '✗ c       http     needs a token',
    '… d       http     still connecting',
    '○ e       http     disabled',
    '✓ f       builtin  0 of 0 tools, about 0 tokens',
    '4 tools ready in 12 ms, permissions',
    'auto, model openai/x',
  ]);
});

test('an entry that was skipped has its line', () => {
  const facts = {
    report: reportOf([]),
    snapshot: snapshotOf([]),
    config: { ...emptyConfig, skipped: ['bad'] },
    permissions: 'ask',
    modelLabel: 'x',
  } as const;
  expect(renderServers(facts, plain)).toEqual(['✗ bad  skipped, see its warning']);
});

test('marks are ASCII where the locale is not UTF-8', () => {
  const states = ['ready', 'failed', 'connecting', 'disabled'] as const;
  const servers = states.map((state, index) => statusOf(`s${index}`, { state }));
  const marks = banner(servers, [], { unicode: false }).map((line) => line.slice(0, 1));
  expect(marks.slice(0, 4)).toEqual(['+', 'x', '~', '-']);
});

test('beyond 60 tools the number is shown, with verbose all names', () => {
  const tools = many('big', 61);
  const lines = banner([statusOf('big')], tools);
  expect(lines[1]).toBe('    61 tools: usher tools big lists them');
  const verbose = banner([statusOf('big')], tools, { verbose: true }).slice(1, -1);
  expect(verbose.join(' ').match(/tool_\d+/g)?.length).toBe(61);
  expect(Math.max(...verbose.map((line) => line.length))).toBeLessThanOrEqual(40);
});

test('what a server says cannot steer the terminal', () => {
  const status = statusOf('s', { protocolVersion: '1\u001b[2J' });
  const lines = banner([status], [toolOf('s', 'a\u202eb\nc')]);
  expect(lines.slice(0, 2)).toEqual([
    '✓ s  http     legacy 1\\u{1b}[2J  1 of 0 tools, about 15 tokens',
    '    a\\u{202e}b c',
  ]);
});

test('a name of any length takes a few lines at most', () => {
  const lines = banner([statusOf('s')], [toolOf('s', 'x'.repeat(100_000))], { columns: 80 });
  expect([lines.length, lines[2]?.endsWith('…')]).toEqual([4, true]);
});

test('a failed server is a warning with its remedy', () => {
  const error = new AuthError('its token is missing', { hint: 'set TOKEN' });
  const statuses = [statusOf('gh', { state: 'needs_auth', error }), statusOf('ok')];
  expect(serverWarnings(statuses, {})).toEqual([
    { message: 'server gh: its token is missing', hint: 'set TOKEN' },
  ]);
});

test('a failed server without a remedy is named to the doctor, unless it is a bare URL', () => {
  const error = new ConnectError('cannot reach server "gh": connection refused');
  const statuses = [statusOf('gh', { state: 'failed', error })];
  const hintOf = (config: { readonly loginWords?: string }) =>
    serverWarnings(statuses, config).map(({ hint }) => hint);
  expect(hintOf({})).toEqual(['usher mcp doctor gh finds out more']);
  expect(hintOf({ loginWords: 'https://gh.example' })).toEqual([undefined]);
});

test('tells what the first request holds where that is not all', () => {
  const tools = many('github', 4).map((tool, at) => ({
    ...tool,
    exposure: at < 3 ? ('deferred' as const) : ('direct' as const),
  }));
  const status = statusOf('github', { tools: tools.map((one) => one.definition) });
  const facts = {
    report: reportOf([status]),
    snapshot: { ...snapshotOf(tools), tools: tools.slice(3) },
    config: emptyConfig,
    permissions: 'auto',
    modelLabel: 'openai/x',
  } as const;
  const style = { ...plain, columns: 100 };
  expect([...renderServers(facts, style), ...renderSummary(facts, style)]).toEqual([
    '✓ github  http     legacy 2025-11-25  4 of 4 tools, about 62 tokens, 16 sent',
    '    tool_0, tool_1, tool_2, tool_3',
    '4 tools ready in 12 ms, about 16 of 62 tokens sent, permissions auto, model openai/x',
  ]);
});
