import { describe, expect, test } from 'bun:test';
import { failure, load } from './try-load.ts';

describe('defaultTools', () => {
  test('adds the tools by original names and leaves out what fits a pattern', async () => {
    const config = await load('defaultTools: ["+mcp_meta", "-workspace/*", -list_mcp_prompts]');
    expect(config.defaultTools).toEqual({
      hasMeta: true,
      without: ['workspace/*', 'list_mcp_prompts'],
    });
  });

  test('an entry that would change nothing is an error that names its place', async () => {
    const text = 'defaultTools:\n  - +mcp_mate\n  - workspace/*\n  - "-"\n';
    const lines = (await failure(text)).split('\n');
    expect(lines.filter((line) => line.startsWith('config.yaml'))).toEqual([
      'config.yaml:2:5 defaultTools[0]: expected +mcp_meta, +codemode or -PATTERN, got "+mcp_mate"',
      'config.yaml:3:5 defaultTools[1]: expected +mcp_meta, +codemode or -PATTERN, got "workspace/*"',
      'config.yaml:4:5 defaultTools[2]: expected +mcp_meta, +codemode or -PATTERN, got "-"',
    ]);
  });
});
