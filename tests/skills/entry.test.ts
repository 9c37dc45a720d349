import { describe, expect, test } from 'bun:test';
import type { JsonValue } from '../../src/base/json.ts';
import { readEntry } from '../../src/skills/entry.ts';
import { fileKey, isInside, skillRoot } from '../../src/skills/uri.ts';

const digest = `sha256:${'0'.repeat(64)}`;
const uri = 'skill://pdf/SKILL.md';
const self = { uri, digest, size: 1 };
const entry = {
  uri,
  frontmatter: { name: 'pdf', description: 'Works with PDF' },
  resources: [self],
};
const problem = (item: JsonValue) => {
  const read = readEntry(item);
  return 'problem' in read ? read.problem : 'none';
};
const withFiles = (...files: readonly JsonValue[]) =>
  problem({ ...entry, resources: [self, ...files] });

describe('a skill entry', () => {
  test('with all of it in order is taken as it is', () => {
    expect(readEntry(entry)).toEqual({
      uri,
      name: 'pdf',
      description: 'Works with PDF',
      frontmatter: entry.frontmatter,
      files: [self],
      raw: entry,
    });
    expect(readEntry({ ...entry, resources: 'dynamic' })).toMatchObject({ files: undefined });
  });

  test('is refused for what is missing or wrong in it', () => {
    expect([
      problem(7),
      problem({ ...entry, uri: 'skill://pdf/README.md' }),
      problem({ ...entry, uri: 'skill:///SKILL.md' }),
      problem({ ...entry, frontmatter: null }),
      problem({ ...entry, frontmatter: { name: 'pdf' } }),
      problem({ ...entry, frontmatter: { name: 'Pdf Tools', description: 'x' } }),
      problem({ ...entry, frontmatter: { name: 'word', description: 'x' } }),
      problem({ ...entry, frontmatter: { name: 'pdf', description: 'x'.repeat(1025) } }),
      problem({ ...entry, resources: undefined }),
      problem({ ...entry, resources: [] }),
    ]).toEqual([
      'is not an object',
      'its uri is no SKILL.md in a named folder',
      'its uri is no SKILL.md in a named folder',
      'has no frontmatter',
      'its front matter has no description',
      'its name "Pdf Tools" is not 1 to 64 lower-case letters, digits and single hyphens',
      'its name "word" is not the name of its folder, "pdf"',
      'its description has more than 1024 characters',
      'has no list of resources',
      'does not list its own SKILL.md',
    ]);
  });

  test('is refused for files outside its folder, twice, without digest or size', () => {
    const file = { uri: 'skill://pdf/a.md', digest, size: 1 };
    expect([
      withFiles(file),
      withFiles({ ...file, uri: 'skill://other/a.md' }),
      withFiles({ ...file, uri: 'skill://pdf/%2e%2e%2fother' }),
      withFiles(file, { ...file, uri: 'skill://pdf/%61.md' }),
      withFiles({ ...file, digest: 'md5:1' }),
      withFiles({ ...file, size: -1 }),
    ]).toEqual([
      'none',
      'lists skill://other/a.md, which is outside its folder',
      'lists skill://pdf/%2e%2e%2fother, which is outside its folder',
      'lists skill://pdf/%61.md twice',
      'lists skill://pdf/a.md without a sha256 digest',
      'lists skill://pdf/a.md without a size in bytes',
    ]);
  });

  test('has at most 512 files and 16 MiB', () => {
    const files = (count: number, size: number) =>
      withFiles(
        ...Array.from({ length: count }, (_, index) => ({
          uri: `skill://pdf/${index}.md`,
          digest,
          size,
        })),
      );
    expect([files(511, 1), files(512, 1), files(16, 2 ** 20)]).toEqual([
      'none',
      'has more than 512 files',
      'is larger than 16 MiB',
    ]);
  });
});

test('one file has one key however it is spelled', () => {
  expect(fileKey('skill://pdf/Q%26A.md#part')).toBe(fileKey('skill://pdf/Q&A.md'));
  expect(fileKey('skill://pdf/a%2Fb')).not.toBe(fileKey('skill://pdf/a/b'));
  expect(skillRoot('skill://acme/pdf/SKILL.md')).toBe('skill://acme/pdf');
  expect(
    ['skill://pdf/a', 'skill://pdf', 'skill://pdf/', 'skill://pdfs/a', 'skill://pdf/a?x'].map(
      (one) => isInside('skill://pdf', one),
    ),
  ).toEqual([true, false, false, false, false]);
});
