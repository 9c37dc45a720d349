import { expect, test } from 'bun:test';
import { unmatchedPermissions } from '../../src/host/unmatched.ts';

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
