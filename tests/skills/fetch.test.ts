import { describe, expect, test } from 'bun:test';
import type { JsonValue } from '../../src/base/json.ts';
import { readEntry } from '../../src/skills/entry.ts';
import { fetchEntry, fetchFile, fetchManifest } from '../../src/skills/fetch.ts';
import { listSkills } from '../../src/skills/list.ts';
import type { RawContent, SkillEntry, SkillPorts } from '../../src/skills/types.ts';
import {
  FORMS_TEXT,
  FORMS_URI,
  SKILL_TEXT,
  SKILL_URI,
  skillEntry,
} from '../fixtures/servers/offers-skill.ts';

interface Served {
  readonly texts?: Readonly<Record<string, string>>;
  readonly list?: readonly JsonValue[];
  readonly get?: JsonValue;
  readonly content?: RawContent;
}

function portsOf(served: Served = {}): SkillPorts & { readonly reads: string[] } {
  const texts: Readonly<Record<string, string>> = {
    [SKILL_URI]: SKILL_TEXT,
    [FORMS_URI]: FORMS_TEXT,
    ...served.texts,
  };
  const reads: string[] = [];
  return {
    reads,
    listAll: () => Promise.resolve({ items: served.list ?? [skillEntry()], notices: [] }),
    getEntry: () => Promise.resolve(served.get ?? skillEntry()),
    read(uri) {
      reads.push(uri);
      const text = { uri, mimeType: undefined, text: texts[uri], blob: undefined };
      return Promise.resolve([served.content ?? text]);
    },
  };
}

function entryOf(item: JsonValue = skillEntry()): SkillEntry {
  const entry = readEntry(item);
  if ('problem' in entry) throw new Error(entry.problem);
  return entry;
}

describe('SKILL.md', () => {
  test('is loaded with what grants something taken out of its front matter', async () => {
    expect(await fetchManifest(portsOf(), entryOf())).toEqual({
      uri: SKILL_URI,
      mimeType: undefined,
      bytes: new TextEncoder().encode(SKILL_TEXT),
      isVerified: true,
      text: SKILL_TEXT,
      body: '\nUse the forms.\n',
      frontmatter: { name: 'pdf-tools', description: 'Works with PDF files' },
      ignored: ['allowed-tools'],
    });
  });

  test('of another size, content or front matter is not used', async () => {
    const load = (text: string, entry = entryOf()) =>
      fetchManifest(portsOf({ texts: { [SKILL_URI]: text } }), entry);
    await expect(load(`${SKILL_TEXT}more`)).rejects.toThrow(/has 100 bytes, listed are 96$/);
    await expect(load(SKILL_TEXT.replace('forms', 'FORMS'))).rejects.toThrow(
      `the content of ${SKILL_URI} is not what the digest lists`,
    );
    const evil = SKILL_TEXT.replace('Works with PDF files', 'Runs commands');
    const listed = entryOf({
      ...skillEntry(),
      resources: skillEntry({ [SKILL_URI]: evil }).resources,
    });
    await expect(load(evil, listed)).rejects.toThrow(
      'its front matter is not the listed one: description: listed as "Works with PDF files", the file has "Runs commands"',
    );
  });

  test('of a plain resource needs a name and description of its own', async () => {
    const plain = { ...entryOf(), frontmatter: undefined, files: undefined };
    expect(await fetchManifest(portsOf(), plain)).toMatchObject({ isVerified: false });
    const bare = portsOf({ texts: { [SKILL_URI]: '---\nname: other\n---\n' } });
    await expect(fetchManifest(bare, plain)).rejects.toThrow('is not the name of its folder');
  });
});

describe('a file of a skill', () => {
  test('is asked for as it is listed, however it is named', async () => {
    const ports = portsOf();
    const file = await fetchFile(ports, entryOf(), 'skill://pdf-tools/references/%46ORMS.md#top');
    expect([ports.reads, new TextDecoder().decode(file.bytes), file.isVerified]).toEqual([
      [FORMS_URI],
      FORMS_TEXT,
      true,
    ]);
  });

  test('that is not listed is not asked for', async () => {
    const ports = portsOf();
    await expect(fetchFile(ports, entryOf(), 'skill://pdf-tools/x.md')).rejects.toThrow(
      'skill://pdf-tools/x.md is not one of its files',
    );
    expect(ports.reads).toEqual([]);
  });

  test('that comes without content or as bad base64 is not used', async () => {
    const part = { mimeType: undefined, text: undefined };
    const other = portsOf({ content: { ...part, uri: 'skill://x', blob: '' } });
    const bad = portsOf({ content: { ...part, uri: FORMS_URI, blob: '!' } });
    const good = portsOf({ content: { ...part, uri: FORMS_URI, blob: btoa(FORMS_TEXT) } });
    await expect(fetchFile(other, entryOf(), FORMS_URI)).rejects.toThrow('answered without');
    await expect(fetchFile(bad, entryOf(), FORMS_URI)).rejects.toThrow('is not valid base64');
    expect((await fetchFile(good, entryOf(), FORMS_URI)).isVerified).toBe(true);
  });
});

test('skills/get must answer with the skill that was asked for', async () => {
  expect((await fetchEntry(portsOf(), SKILL_URI)).name).toBe('pdf-tools');
  await expect(fetchEntry(portsOf(), 'skill://x/SKILL.md')).rejects.toThrow(
    `answered with ${SKILL_URI}`,
  );
  await expect(fetchEntry(portsOf({ get: {} }), SKILL_URI)).rejects.toThrow('has no uri');
});

describe('the list of skills', () => {
  const resource = (uri: string, name?: string) => ({
    uri,
    name,
    description: undefined,
    raw: { uri },
  });

  test('has those of the extension and plain ones, without their files', async () => {
    const { skills } = await listSkills(portsOf(), true, [
      resource(SKILL_URI),
      resource(FORMS_URI),
      resource('skill://word/SKILL.md'),
      resource('skill://word/notes.md'),
      resource('skill://index.json'),
      resource('skill://single', 'One'),
      resource('docs://a'),
    ]);
    expect(skills.map(({ uri, name }) => [uri, name])).toEqual([
      [SKILL_URI, 'pdf-tools'],
      ['skill://word/SKILL.md', 'word'],
      ['skill://single', 'One'],
    ]);
  });

  test('refuses a URI that is listed twice, and names bad entries', async () => {
    const { skills, refused } = await listSkills(
      portsOf({ list: [skillEntry(), skillEntry(), { uri: 'x' }] }),
      true,
      [],
    );
    expect([skills, refused]).toEqual([
      [],
      [
        { name: SKILL_URI, problem: 'is listed twice' },
        { name: SKILL_URI, problem: 'is listed twice' },
        { name: 'x', problem: 'its uri is no SKILL.md in a named folder' },
      ],
    ]);
  });

  test('is not asked for where the server does not declare the extension', async () => {
    const never = { listAll: () => Promise.reject(new Error('asked')) };
    expect((await listSkills(never, false, [])).skills).toEqual([]);
  });
});
