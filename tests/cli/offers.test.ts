import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import {
  type OffersScript,
  RefusedRequest,
  startOffersServer,
} from '../fixtures/servers/offers-http.ts';
import {
  FORMS_URI,
  SKILL_TEXT,
  SKILL_URI,
  skillEntry,
  skillServer,
} from '../fixtures/servers/offers-skill.ts';
import { runUsher } from '../helpers/usher.ts';

const guide = {
  uri: 'docs://guide',
  name: 'guide',
  title: 'Guide',
  mimeType: 'text/plain',
  size: 12,
};
const review = {
  name: 'review',
  description: 'Reviews code',
  arguments: [{ name: 'code', required: true }, { name: 'tone' }],
};

const docs: OffersScript = {
  answers: {
    'resources/list': () => ({ resources: [guide, { uri: 'ui://panel' }] }),
    'resources/templates/list': () => ({
      resourceTemplates: [{ uriTemplate: 'docs://page/{n}', name: 'page' }],
    }),
    'resources/read': ({ uri }) => {
      if (uri === 'docs://guide')
        return { contents: [{ uri, text: '\u001b[1mbold\u001b[0m\r\nend' }] };
      if (uri === 'docs://both') {
        return {
          contents: [
            { uri, text: 'a' },
            { uri, blob: 'aGVsbG8=' },
          ],
        };
      }
      if (uri === 'docs://logo')
        return { contents: [{ uri, mimeType: 'image/png', blob: 'aGVsbG8=' }] };
      throw new RefusedRequest(-32_002, 'Resource not found');
    },
    'prompts/list': () => ({ prompts: [review] }),
    'prompts/get': ({ arguments: given }) => ({
      messages: [{ role: 'user', content: { type: 'text', text: JSON.stringify(given) } }],
    }),
  },
};

/** Runs against the server's bare URL, which stands in place of `URL`. */
async function against(script: OffersScript, ...words: readonly string[]) {
  await using server = startOffersServer(script);
  const run = await runUsher(words.map((word) => (word === 'URL' ? server.url : word)));
  return { ...run, server };
}

/** stderr without the line that announces the request. */
function told(stderr: string): string {
  return stderr.replace(/^(→|->) .*\n/gm, '');
}

describe('resources', () => {
  test('are listed with their templates, as text and verbatim', async () => {
    const text = await against(docs, 'resources', 'URL');
    expect([text.code, text.stdout, text.stderr]).toEqual([
      0,
      'docs://guide     Guide (text/plain, 12 B)\ndocs://page/{n}  page (template)\n',
      '',
    ]);
    const json = await against(docs, 'resources', 'URL', '--json');
    const server = expect.stringMatching(/^127-0-0-1-\d+$/);
    expect(JSON.parse(json.stdout)).toEqual({
      resources: [{ ...guide, server }],
      resourceTemplates: [{ uriTemplate: 'docs://page/{n}', name: 'page', server }],
    });
  });

  test('are asked for only where the server declares them', async () => {
    const run = await against({ ...docs, capabilities: { prompts: {} } }, 'resources', 'URL');
    expect([run.code, run.stdout, run.stderr]).toEqual([0, '', 'no server offers resources\n']);
    expect(run.server.methods()).not.toContain('resources/list');
  });

  test('of several servers name their server; one that fails is a warning', async () => {
    await using good = startOffersServer(docs);
    await using bad = startOffersServer({ answers: {} });
    await using broken = startOffersServer({
      answers: {
        'resources/list': () => {
          throw new RefusedRequest(-32_603, 'out of order');
        },
      },
    });
    const servers = [
      { name: 'good', url: good.url },
      { name: 'bad', url: bad.url },
      { name: 'broken', url: broken.url },
    ];
    const all = await runUsher(['resources'], { config: { servers } });
    expect([all.code, all.stdout]).toEqual([
      0,
      'good docs://guide     Guide (text/plain, 12 B)\ngood docs://page/{n}  page (template)\n',
    ]);
    expect(all.stderr).toContain('out of order');
    const alone = await runUsher(['resources', 'broken'], { config: { servers } });
    expect([alone.code, alone.stdout]).toEqual([1, '']);
  });

  test('are read byte for byte on a pipe, or verbatim', async () => {
    const text = await against(docs, 'read', 'URL', 'docs://guide');
    expect([text.code, text.stdout]).toEqual([0, '\u001b[1mbold\u001b[0m\r\nend']);
    const json = await against(docs, 'read', 'URL', 'docs://guide', '--json');
    expect(JSON.parse(json.stdout)).toEqual({
      contents: [{ uri: 'docs://guide', text: '\u001b[1mbold\u001b[0m\r\nend' }],
    });
  });

  test('that are binary are saved and their path printed', async () => {
    const run = await against(docs, 'read', 'URL', 'docs://logo');
    const path = run.stdout.trim();
    expect([run.code, existsSync(path) && readFileSync(path, 'utf8')]).toEqual([0, 'hello']);
    expect(told(run.stderr)).toBe('saved image/png, 5 bytes\n');
    const both = await against(docs, 'read', 'URL', 'docs://both');
    expect(both.stdout).toMatch(/^a\n\/.+\.bin\n$/);
    const off = await against(docs, 'read', 'URL', 'docs://logo', '--artifacts', 'off');
    expect([off.code, off.stdout]).toEqual([1, '']);
    expect(off.stderr).toContain('1 binary part was not saved');
  });

  test('that are not there, on no server or under a deny rule end with the right code', async () => {
    const missing = await against(docs, 'read', 'URL', 'docs://none');
    expect([missing.code, missing.stdout]).toEqual([1, '']);
    expect(missing.stderr).toContain('Resource not found');
    await using server = startOffersServer(docs);
    const entry = { name: 'docs', url: server.url, permissions: 'ask' };
    const config = { servers: [entry] };
    const rule = { servers: [{ ...entry, toolPermissions: { read_mcp_resource: 'deny' } }] };
    const codes = [
      (await runUsher(['read', 'docs', 'docs://guide'], { config })).code,
      (await runUsher(['read', 'docs', 'docs://guide'], { config: rule })).code,
      (await runUsher(['read', 'dosc', 'docs://guide'], { config })).code,
      (await runUsher(['read', 'docs'], { config })).code,
      (await runUsher(['read', 'docs', 'a:b', 'c'], { config })).code,
    ];
    expect(codes).toEqual([0, 5, 2, 2, 2]);
    expect(server.sent('resources/read').length).toBe(1);
  });
});

describe('prompts', () => {
  test('are listed with their arguments, as text and verbatim', async () => {
    await using server = startOffersServer(docs);
    const config = { servers: [{ name: 'docs', url: server.url }] };
    const text = await runUsher(['prompts'], { config });
    expect([text.code, text.stdout]).toEqual([0, 'docs/review code* tone  Reviews code\n']);
    const json = await runUsher(['prompts', 'docs', '--json'], { config });
    expect(JSON.parse(json.stdout)).toEqual({ prompts: [{ ...review, server: 'docs' }] });
  });

  test('are filled in from key=value, one object, or stdin; values stay texts', async () => {
    await using server = startOffersServer(docs);
    const config = { servers: [{ name: 'docs', url: server.url }] };
    const words = await runUsher(['prompt', 'docs/review', 'code=1', 'tone=no'], { config });
    expect([words.code, words.stdout]).toEqual([0, '[user] {"code":"1","tone":"no"}\n']);
    const object = await runUsher(['prompt', 'docs', 'review', '{"code":"x"}', '--json'], {
      config,
    });
    expect(JSON.parse(object.stdout).messages[0].content.text).toBe('{"code":"x"}');
    const stdin = { bytes: '{"code": "from stdin"}' };
    const piped = await runUsher(['prompt', 'docs', 'review', '-'], { config, stdin });
    expect(piped.stdout).toBe('[user] {"code":"from stdin"}\n');
  });

  test('without a required argument or of an unknown name send nothing (R26)', async () => {
    await using server = startOffersServer(docs);
    const config = { servers: [{ name: 'docs', url: server.url }] };
    const missing = await runUsher(['prompt', 'docs', 'review', 'tone=kind'], { config });
    expect([missing.code, missing.stderr]).toEqual([
      2,
      expect.stringContaining('prompt docs/review needs code'),
    ]);
    const unknown = await runUsher(['prompt', 'docs', 'revue'], { config });
    expect([unknown.code, unknown.stderr]).toEqual([
      2,
      expect.stringContaining('did you mean review?'),
    ]);
    expect(server.sent('prompts/get')).toEqual([]);
  });
});

describe('skills', () => {
  test('are listed without reading a file (R27)', async () => {
    const text = await against(skillServer(), 'skills', 'URL');
    expect([text.code, text.stdout]).toEqual([
      0,
      `${SKILL_URI}  pdf-tools: Works with PDF files\n`,
    ]);
    expect(text.server.methods()).not.toContain('resources/read');
    const json = await against(skillServer(), 'skills', 'URL', '--json');
    expect(JSON.parse(json.stdout)).toEqual({
      skills: [
        {
          ...skillEntry(),
          server: expect.any(String),
          name: 'pdf-tools',
          description: 'Works with PDF files',
        },
      ],
    });
  });

  test('are printed whole once all their files are verified, by URI or name', async () => {
    const text = await against(skillServer(), 'skill', 'URL', SKILL_URI);
    expect([text.code, text.stdout, told(text.stderr)]).toEqual([
      0,
      SKILL_TEXT,
      'verified 2 files\na skill of a server permits nothing; not applied: allowed-tools\n',
    ]);
    expect(text.server.sent('resources/read').map(({ uri }) => uri)).toEqual([
      SKILL_URI,
      FORMS_URI,
    ]);
    const json = await against(skillServer(), 'skill', 'URL', 'pdf-tools', '--json');
    expect(JSON.parse(json.stdout)).toEqual({
      uri: SKILL_URI,
      frontmatter: { name: 'pdf-tools', description: 'Works with PDF files' },
      body: '\nUse the forms.\n',
      verified: true,
      files: skillEntry().resources.map((file) => ({ ...file, verified: true })),
      ignored: ['allowed-tools'],
    });
  });

  test('with a file that is not what is listed print nothing and end with 1', async () => {
    const bad = await against(
      skillServer({ [FORMS_URI]: 'Evil forms here!\n' }),
      'skill',
      'URL',
      SKILL_URI,
    );
    expect([bad.code, bad.stdout]).toEqual([1, '']);
    expect(bad.stderr).toContain(`the content of ${FORMS_URI} is not what the digest lists`);
    const unknown = await against(skillServer(), 'skill', 'URL', 'skill://none/SKILL.md');
    expect([unknown.code, unknown.stdout]).toEqual([1, '']);
  });
});
