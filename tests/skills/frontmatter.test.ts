import { describe, expect, test } from 'bun:test';
import { differences, parseSkillText } from '../../src/skills/frontmatter.ts';

const problem = (text: string) => {
  const parsed = parseSkillText(text);
  return parsed.kind === 'bad' ? parsed.problem : 'none';
};

describe('front matter', () => {
  test('is split off behind a BOM and with CRLF', () => {
    expect(
      parseSkillText('\ufeff---\r\nname: a\r\nn: 1\r\nlist: [x]\r\n--- \r\n\r\nBody\r\n'),
    ).toEqual({
      kind: 'parsed',
      frontmatter: { name: 'a', n: 1, list: ['x'] },
      body: '\nBody\n',
    });
  });

  test('that is missing, open, no mapping or no YAML is refused with the reason', () => {
    expect([
      problem('# Title\n'),
      problem('---\nname: a\n'),
      problem('---\n- a\n---\n'),
      problem('---\na: 1\na: 2\n---\n'),
      problem('---\na: &x [1]\nb: [*x, *x]\n---\n'),
    ]).toEqual([
      'it has no front matter: the first line is not ---',
      'its front matter has no closing ---',
      'its front matter is no mapping',
      'its front matter cannot be read: Map keys must be unique at line 2, column 1:',
      'its front matter cannot be read: Alias resolution is disabled',
    ]);
  });

  test('differs where a field is added, missing or changed, at any depth, without coercion', () => {
    const listed = { a: 1, b: { c: 'x', d: [1, 2] }, gone: true };
    expect(differences(listed, { b: { d: [1, 2], c: 'x' }, a: 1, gone: true })).toEqual([]);
    expect(differences(listed, { a: '1', b: { c: 'x', d: [2, 1] }, constructor: 'y' })).toEqual([
      'a: listed as 1, the file has "1"',
      'b.d: listed as [1,2], the file has [2,1]',
      'constructor: listed as nothing, the file has "y"',
      'gone: listed as true, the file has nothing',
    ]);
  });
});
