import { describe, expect, test } from 'bun:test';
import { createWorkspace } from '../../src/builtin/workspace.ts';
import { createOfflineModel } from '../../src/model/offline.ts';
import type { ModelMessage } from '../../src/model/types.ts';
import { createResolver } from '../../src/tools/resolve.ts';
import type { RegisteredTool, RegistrySnapshot } from '../../src/tools/types.ts';
import { definition, registered } from '../tools/samples.ts';

const workspace = createWorkspace('workspace', '.').definitions.map((tool) =>
  registered('workspace', tool),
);
const tracker = [
  registered(
    'tracker',
    definition('create_issue', {
      description: 'Creates an issue.',
      inputSchema: {
        type: 'object',
        properties: {
          title: { type: 'string' },
          labels: { type: 'array' },
          urgent: { type: 'boolean' },
        },
        required: ['title'],
      },
    }),
  ),
  registered(
    'tracker',
    definition('delete_file', {
      description: 'Deletes a file.',
      inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
      annotations: { destructiveHint: true },
    }),
  ),
  registered(
    'tracker',
    definition('get_weather', {
      description: 'Gives the weather forecast of a city.',
      inputSchema: {
        type: 'object',
        properties: {
          city: { type: 'string' },
          days: { type: 'integer' },
          units: { enum: ['metric', 'imperial'] },
        },
        required: ['city', 'units'],
      },
      annotations: { readOnlyHint: true },
    }),
  ),
];

function snapshotOf(tools: readonly RegisteredTool[]): RegistrySnapshot {
  const resolve = createResolver(tools, new Map(), new Set());
  return { tools, reachable: tools, hidden: [], resolve };
}

async function route(prompt: string, tools: readonly RegisteredTool[] = workspace) {
  const model = createOfflineModel({
    snapshot: () => snapshotOf(tools),
    date: () => new Date(2026, 0, 15, 12, 0),
  });
  const reply = await model.reply(
    { system: '', messages: [{ role: 'user', text: prompt }], tools: [] },
    SILENT,
    new AbortController().signal,
  );
  const [call] = reply.toolCalls;
  return {
    finish: reply.finish,
    origin: reply.origin,
    name: call?.name,
    args: JSON.parse(call?.argumentsText ?? 'null'),
  };
}

const SILENT = { onText: () => undefined, onReset: () => undefined, onRetry: () => undefined };

async function refusal(prompt: string, tools: readonly RegisteredTool[] = workspace) {
  const error = await route(prompt, tools).then(
    (routed) => new Error(`called ${routed.name} ${JSON.stringify(routed.args)}`),
    (thrown: unknown) => thrown,
  );
  return error;
}

describe('a literal line', () => {
  const both = [...workspace, ...tracker];
  const cases: readonly (readonly [string, string, unknown])[] = [
    ['workspace/read_file path=README.md', 'workspace_read_file', { path: 'README.md' }],
    [
      'workspace/read_file path=README.md limit=5',
      'workspace_read_file',
      { path: 'README.md', limit: 5 },
    ],
    ['workspace.read_file {"path":"a b"}', 'workspace_read_file', { path: 'a b' }],
    ['workspace_list_directory', 'workspace_list_directory', {}],
    ['mcp__workspace__file_info path="a b/c"', 'workspace_file_info', { path: 'a b/c' }],
    [
      "tracker/create_issue title='it is: x=1' labels=bug,ui urgent=true",
      'tracker_create_issue',
      { title: 'it is: x=1', labels: ['bug', 'ui'], urgent: true },
    ],
    [
      'tracker/create_issue title=5 labels:=["a"]',
      'tracker_create_issue',
      { title: '5', labels: ['a'] },
    ],
    ['tracker/delete_file path=/tmp/x', 'tracker_delete_file', { path: '/tmp/x' }],
  ];
  for (const [prompt, name, args] of cases) {
    test(`is taken as it stands: ${prompt}`, async () => {
      expect(await route(prompt, both)).toEqual({
        finish: 'tool_calls',
        origin: 'user',
        name,
        args,
      });
    });
  }

  test('that names no tool is a usage error with the nearest name', async () => {
    const error = await refusal('workspace/read_fiel path=a', both);
    expect(error).toMatchObject({ code: 'usage', exit: 2 });
    expect(String(error)).toContain('read_file');
  });
});

describe('a prompt for the workspace', () => {
  const cases: readonly (readonly [string, string, unknown])[] = [
    ['list the files here', 'workspace_list_directory', {}],
    ['List files', 'workspace_list_directory', {}],
    ['list the files in this directory', 'workspace_list_directory', {}],
    ['list the files in src', 'workspace_list_directory', { path: 'src' }],
    ['list the files in ./src/model.', 'workspace_list_directory', { path: './src/model' }],
    ['what files are in this folder?', 'workspace_list_directory', {}],
    ['show me the files here', 'workspace_list_directory', {}],
    ['ls', 'workspace_list_directory', {}],
    ['read a.md\n\nsome "piped" text, b.md', 'workspace_read_file', { path: 'a.md' }],
    ['read README.md', 'workspace_read_file', { path: 'README.md' }],
    ['Read the file README.md, please.', 'workspace_read_file', { path: 'README.md' }],
    ['show README.md', 'workspace_read_file', { path: 'README.md' }],
    ['cat package.json', 'workspace_read_file', { path: 'package.json' }],
    ['show me the contents of src/main.ts', 'workspace_read_file', { path: 'src/main.ts' }],
    ["search for 'TODO' in src", 'workspace_search_text', { text: 'TODO', path: 'src' }],
    ['search for the text "a b"', 'workspace_search_text', { text: 'a b' }],
    ['find all *.ts files', 'workspace_find_files', { pattern: '*.ts' }],
    ['find files **/*.md in docs/', 'workspace_find_files', { pattern: '**/*.md', path: 'docs/' }],
    ['file info of package.json', 'workspace_file_info', { path: 'package.json' }],
  ];
  for (const [prompt, name, args] of cases) {
    test(`calls the right tool: ${prompt}`, async () => {
      expect(await route(prompt)).toEqual({ finish: 'tool_calls', origin: 'router', name, args });
    });
  }

  const unclear = [
    'delete README.md',
    'delete the files here',
    'write "hello" to README.md',
    'rename a.txt to b.txt',
    'move the files in src to /tmp',
    'summarise the project',
    'hello',
    '',
    'search the files',
    'read the README',
    'what is the capital of France?',
    'do not read README.md but write it',
  ];
  for (const prompt of unclear) {
    test(`calls nothing: ${JSON.stringify(prompt)}`, async () => {
      expect(await refusal(prompt)).toMatchObject({ code: 'provider', exit: 8 });
    });
  }

  test('lists lines to copy when something is missing', async () => {
    const error = await refusal('search the text of the files in src/');
    expect(String(error)).toContain('usher call workspace/search_text path=src/ text=TEXT');
  });
});

describe('a prompt for other tools', () => {
  const both = [...workspace, ...tracker];
  test('fills quoted text, enum values and numbers', async () => {
    expect(await route('weather forecast for "Paris" in metric for days 3', both)).toEqual({
      finish: 'tool_calls',
      origin: 'router',
      name: 'tracker_get_weather',
      args: { city: 'Paris', units: 'metric', days: 3 },
    });
  });

  test('takes the tool that has a use for the numbers', async () => {
    const numbers = { a: { type: 'number' }, b: { type: 'number' } };
    const sum = definition('get-sum', {
      description: 'Returns the sum of two numbers',
      inputSchema: { type: 'object', properties: numbers, required: ['a', 'b'] },
      annotations: { readOnlyHint: true },
    });
    const image = definition('get-tiny-image', { annotations: { readOnlyHint: true } });
    const reference = definition('get-resource', {
      inputSchema: { type: 'object', properties: { resourceType: { type: 'string' } } },
      annotations: { readOnlyHint: true },
    });
    const tools = [sum, image, reference].map((tool) => registered('math', tool));
    expect(await route('get sum of 2 and 3', tools)).toMatchObject({
      name: 'math_get-sum',
      args: { a: 2, b: 3 },
    });
  });

  test('never calls a tool that does not claim to be read-only', async () => {
    const error = await refusal('create issue "Broken"', both);
    expect(String(error)).toContain('usher call tracker/create_issue title=Broken');
    expect(await refusal('delete file a.txt', both)).toMatchObject({ exit: 8 });
  });

  test('does not choose between two tools that fit alike', async () => {
    const twin = registered(
      'other',
      definition('read_file', {
        description:
          'Reads lines of a text file of the workspace. Long files are read in pieces with offset and limit.',
        inputSchema: {
          type: 'object',
          properties: { path: { type: 'string' } },
          required: ['path'],
        },
        annotations: { readOnlyHint: true },
      }),
    );
    expect(await refusal('read README.md', [...workspace, twin])).toMatchObject({ exit: 8 });
  });

  test('shows no control character of a name, and quotes for the shell', async () => {
    const odd = registered(
      'odd',
      definition('read;rm\u001b[2J', { description: 'read odd things' }),
    );
    const message = String(await refusal('read odd things', [odd]));
    expect(message).toContain("usher call 'odd/read;rm\\u{1b}[2J'");
    expect(message).not.toContain('\u001b');
  });
});

describe('after a result', () => {
  async function answer(status: 'ok' | 'error' | 'denied' | 'declined') {
    const heard: string[] = [];
    const messages: readonly ModelMessage[] = [
      { role: 'user', text: 'read README.md' },
      {
        role: 'tool',
        results: [{ callId: 'router_1', name: 'workspace_read_file', text: 'the text', status }],
      },
    ];
    const model = createOfflineModel({
      date: () => new Date(0),
      snapshot: () => snapshotOf(workspace),
    });
    const listener = { ...SILENT, onText: (delta: string) => heard.push(delta) };
    const reply = await model.reply(
      { system: '', messages, tools: [] },
      listener,
      new AbortController().signal,
    );
    return { reply, heard };
  }

  test('its text is the answer, also when a person said no', async () => {
    for (const status of ['ok', 'declined'] as const) {
      const { reply, heard } = await answer(status);
      expect(reply).toMatchObject({ text: 'the text', toolCalls: [], finish: 'stop' });
      expect(heard).toEqual(['the text']);
    }
  });

  test('an error fails the run and a denial is one', async () => {
    await expect(answer('error')).rejects.toMatchObject({ exit: 1, message: 'the text' });
    await expect(answer('denied')).rejects.toMatchObject({ exit: 5, message: 'the text' });
  });
});
