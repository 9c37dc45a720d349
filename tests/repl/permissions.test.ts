import { expect, test } from 'bun:test';
import type { PermissionReport } from '../../src/host/permissions.ts';
import type { Host } from '../../src/host/types.ts';
import { runPermissions } from '../../src/repl/permissions.ts';
import { createPaint } from '../../src/repl/render.ts';
import { createFakeHost } from './fake-host.ts';

const report: PermissionReport = {
  mode: 'mcp.permissions: ask',
  rules: [
    'config.yaml:3 deny "files/delete_*"',
    'config.yaml:4 ask "files/write" when path: "secrets/*"',
  ],
  hooks: ['config.yaml:9 tool_call: my-gate --strict'],
  tools: [
    {
      server: 'files',
      tool: 'write',
      effect: 'allow',
      why: 'always allowed by you',
      sometimes: [{ effect: 'ask', why: 'config.yaml:4 ask "files/write" when path: "secrets/*"' }],
    },
    {
      server: 'files',
      tool: 'a\u001b[2J\nb',
      effect: 'ask',
      why: 'mcp.permissions: ask',
      sometimes: [],
    },
  ],
  grants: [
    { server: 'files', tool: 'write', kind: 'always', scope: '', holds: true },
    { server: 'git', tool: 'push', kind: 'session', scope: 'ask "git/*"', holds: false },
  ],
};

function run(words: string, columns = 80) {
  const forgotten: string[] = [];
  const fake = createFakeHost(
    { askUser: { ask: () => Promise.reject(new Error('nobody')) }, onEvent: () => undefined },
    async () => ({}),
  );
  const host: Host = {
    ...fake,
    permissions: () => report,
    forgetGrants: (server, tool) => {
      forgotten.push(`${server}/${tool}`);
      return server === 'files' ? 1 : 0;
    },
  };
  const view = { columns, paint: createPaint(false) };
  return { lines: runPermissions(words.split(' ').filter(Boolean), host, view), forgotten };
}

test('/permissions tells mode, rules, hooks, each tool with what decides, and what was allowed', () => {
  expect(`\n${run('').lines.join('\n')}\n`).toBe(`
Mode: mcp.permissions: ask
Rules:
  config.yaml:3 deny "files/delete_*"
  config.yaml:4 ask "files/write" when path: "secrets/*"
Hooks:
  config.yaml:9 tool_call: my-gate --strict
Tools:
  allow  files/write  always allowed by you
         ask config.yaml:4 ask "files/write" when path: "secrets/*"
  ask    files/a\\u{1b}[2J\\nb  mcp.permissions: ask
Allowed by you:
  files/write  always
  git/push  this session, at the question of: ask "git/*" (the tool has
    changed: asked again)
`);
});

test('on 40 columns nothing is wider, and continued lines are indented', () => {
  const { lines } = run('', 40);
  expect(lines.filter((line) => line.length > 40)).toEqual([]);
  expect(lines).toContain('  config.yaml:4 ask "files/write"');
  expect(lines).toContain('    when path: "secrets/*"');
});

test('/permissions SERVER tells of one server; an unknown one is named', () => {
  expect(run('git').lines).toEqual([
    'Allowed by you:',
    '  git/push  this session, at the question of: ask "git/*" (the tool has',
    '    changed: asked again)',
  ]);
  expect(run('no').lines).toEqual(['There is no tool of a server no. /mcp lists the servers.']);
});

test('/permissions forget takes back what was allowed', () => {
  expect(run('forget files/write')).toEqual({
    lines: ['files/write is asked for again.'],
    forgotten: ['files/write'],
  });
  expect(run('forget git/pusch').lines).toEqual([
    'You have allowed nothing of git/pusch. Did you mean git/push?',
  ]);
  const usage = ['Usage: /permissions, /permissions SERVER, or /permissions forget SERVER/TOOL'];
  expect([run('forget').lines, run('forget a b').lines, run('a b').lines]).toEqual([
    usage,
    usage,
    usage,
  ]);
});
