import { expect, test } from 'bun:test';
import { unmatchedPermissions, unmatchedYes } from '../../src/host/unmatched.ts';
import { toolOf } from '../cli/fakes.ts';
import { serverOf } from './server-config.ts';

const rule = (...tools: string[]) => ({
  effect: 'deny' as const,
  tools,
  when: [],
  place: 'config.yaml:3',
});

test('warns of permission for a tool that the server does not have, with the nearest', () => {
  const server = { name: 'shop', toolPermissions: { payy: 'deny', 'list_*': 'auto' } as const };
  const rules = [
    rule('shop/refnud', 'other/nothing'),
    rule('shop/pay', '*/anything', 'shop/get_mcp_prompt'),
    rule('shop/zzz'),
  ];
  expect(unmatchedPermissions(server, ['pay', 'refund'], rules)).toEqual([
    {
      message: 'shop: the server has no tool "payy" (in toolPermissions)',
      hint: 'did you mean "pay"?',
    },
    {
      message: 'shop: the server has no tool "refnud" (in the rule at config.yaml:3)',
      hint: 'did you mean "refund"?',
    },
    {
      message: 'shop: the server has no tool "zzz" (in the rule at config.yaml:3)',
      hint: 'usher tools shop --all lists what it has',
    },
  ]);
});

test('warns of a --yes that means no tool, unless its server is not there', () => {
  const tools = [toolOf('shop', 'rename_file'), toolOf('shop', 'pay')];
  const snapshot = {
    tools: tools.slice(0, 1),
    reachable: tools.slice(0, 1),
    hidden: tools.slice(1),
  };
  const config = {
    servers: ['shop', 'late', 'left_out'].map((name) => serverOf(name, { builtin: 'workspace' })),
    skipped: ['broken'],
    pending: [{ name: 'asked' }],
  };
  const warned = (yes: readonly string[], late: 'ready' | 'connecting' | 'failed') =>
    unmatchedYes(
      { yes, config },
      snapshot,
      [
        { name: 'shop', state: 'ready' },
        { name: 'late', state: late },
      ],
      ['tool_search'],
    );
  const fitting = ['shop/pay', 'shop.pay', 'shop_rename_file', 'mcp__shop__pay', 'pay'];
  const others = ['left_out/x', 'broken/x', 'asked/x', 'shop/read_mcp_resource', 'tool_search'];
  expect(warned([...fitting, ...others], 'ready')).toEqual([]);
  expect(warned(['late/x', 'rename_fil'], 'failed')).toEqual([]);
  expect(warned(['late/x', 'rename_fil'], 'connecting')).toEqual([]);
  expect(warned(['shop/rename_fil', 'shopp/pay', 'rename_fil', 'late/x'], 'ready')).toEqual([
    {
      message: '--yes shop/rename_fil: no server of this run has such a tool',
      hint: 'did you mean shop/rename_file?',
    },
    {
      message: '--yes shopp/pay: no server of this run has such a tool',
      hint: 'did you mean shop/pay?',
    },
    {
      message: '--yes rename_fil: no server of this run has such a tool',
      hint: 'did you mean shop/rename_file?',
    },
    {
      message: '--yes late/x: no server of this run has such a tool',
      hint: 'usher tools lists them',
    },
  ]);
});
