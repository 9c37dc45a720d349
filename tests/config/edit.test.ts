import { describe, expect, test } from 'bun:test';
import { addPair, removePair } from '../../src/config/edit-json.ts';
import { addItem, removeItem, setFlag } from '../../src/config/edit-yaml.ts';
import { parseConfigText } from '../../src/config/yaml.ts';
import { TEST_SEED } from '../helpers/seed.ts';

const ENTRY = { name: 'new', command: 'npx', args: ['-y', 'a b'], env: { V: '0755', OPT: 'no' } };
const LINES = (indent: string) =>
  [
    '- name: new',
    '  command: npx',
    '  args: [-y, a b]',
    '  env:',
    '    V: "0755"',
    '    OPT: "no"',
    '',
  ].join(`\n${indent}`);
const block = (indent: string) => `${indent}${LINES(indent).trimEnd()}\n`;

const FILE = `# top
model:   {provider: offline}   # odd   spaces

servers:
    # about a
    -   name: "a"   # quoted
        command: npx
        args: [ -y,  'x' ]

    # about b
    - name: b
      url: https://x.example/y
      headers:
        X: |
          text

# end
mcp: { permissions: ask }
`;

describe('a YAML list', () => {
  test('gets an entry behind the last one; every other byte stays', () => {
    const at = FILE.indexOf('\n# end');
    expect(addItem(FILE, ['servers'], ENTRY)).toBe(
      FILE.slice(0, at) + block('    ') + FILE.slice(at),
    );
  });

  const starts: readonly (readonly [text: string, wanted: string])[] = [
    ['', `servers:\n${block('  ')}`],
    ['# only a comment\n', `# only a comment\nservers:\n${block('  ')}`],
    ['mcp: {}', `mcp: {}\nservers:\n${block('  ')}`],
    ['servers: # none yet\nmcp: {}\n', `servers: # none yet\n${block('  ')}mcp: {}\n`],
    ['servers:\n- name: a\n  command: x', `servers:\n- name: a\n  command: x\n${block('')}`],
    [
      'servers: [{name: a, command: x}] # flow\n',
      `servers: [{name: a, command: x}, ${JSON.stringify(ENTRY)}] # flow\n`,
    ],
    ['servers: []\n', `servers: [${JSON.stringify(ENTRY)}]\n`],
    ['\ufeffservers: []\n', `\ufeffservers: [${JSON.stringify(ENTRY)}]\n`],
    ['mcp: {}\r\n', `mcp: {}\r\nservers:\r\n${block('  ').replaceAll('\n', '\r\n')}`],
  ];
  for (const [text, wanted] of starts) {
    test(`starts in ${JSON.stringify(text)}`, () => {
      expect(addItem(text, ['servers'], ENTRY)).toBe(wanted);
    });
  }

  test('below mcp: is found there; an alias is left to the person', () => {
    expect(addItem('mcp:\n  servers:\n    - {name: a}\n', ['mcp', 'servers'], ENTRY)).toBe(
      `mcp:\n  servers:\n    - {name: a}\n${block('    ')}`,
    );
    expect(addItem('x: &l []\nservers: *l\n', ['servers'], ENTRY)).toBeUndefined();
  });

  test('loses an entry; comments, blank lines and the others stay', () => {
    expect(removeItem(FILE, ['servers'], 0)).toBe(
      FILE.replace(/ {4}- {3}name: "a"[\s\S]*?'x' \]\n/, ''),
    );
    expect(removeItem(FILE, ['servers'], 1)).toBe(FILE.replace(/ {4}- name: b[\s\S]*?text\n/, ''));
    expect(removeItem('servers: [{name: a}, {name: b}] # c\n', ['servers'], 0)).toBe(
      'servers: [{name: b}] # c\n',
    );
    expect(removeItem('servers: [{name: a}, {name: b}] # c\n', ['servers'], 1)).toBe(
      'servers: [{name: a}] # c\n',
    );
  });

  test('gets enabled behind name, or the value that stands there replaced', () => {
    expect(setFlag(FILE, ['servers', 0], 'enabled', false)).toBe(
      FILE.replace('# quoted\n', '# quoted\n        enabled: false\n'),
    );
    expect(setFlag('servers: [{name: a, command: x}]', ['servers', 0], 'enabled', false)).toBe(
      'servers: [{name: a, enabled: false, command: x}]',
    );
    expect(
      setFlag('servers:\n- enabled:   true # why\n  name: a\n', ['servers', 0], 'enabled', false),
    ).toBe('servers:\n- enabled:   false # why\n  name: a\n');
  });
});

describe('a JSON map', () => {
  const tabs =
    '{\n\t"mcpServers": {\n\t\t"a": {"command": "x"},\n\t\t"b": { "url": "y" }\n\t},\n\t"o": 1\n}\n';

  test('gets an entry in the indentation of the file', () => {
    expect(addPair(tabs, 'n', { command: 'z' })).toBe(
      tabs.replace('"y" }\n', '"y" },\n\t\t"n": {\n\t\t\t"command": "z"\n\t\t}\n'),
    );
    expect(addPair('', 'n', { command: 'z' })).toBe(
      `${JSON.stringify({ mcpServers: { n: { command: 'z' } } }, undefined, 2)}\n`,
    );
    expect(addPair('{\n    "o": 1\n}\n', 'n', { command: 'z' })).toBe(
      `${JSON.stringify({ o: 1, mcpServers: { n: { command: 'z' } } }, undefined, 4)}\n`,
    );
  });

  test('loses an entry with its comma', () => {
    expect([removePair(tabs, 'a'), removePair(tabs, 'b'), removePair(tabs, 'c')]).toEqual([
      tabs.replace('"a": {"command": "x"},\n\t\t', ''),
      tabs.replace(',\n\t\t"b": { "url": "y" }', ''),
      undefined,
    ]);
    expect(removePair('{"mcpServers": {"a": {}}}', 'a')).toBe('{"mcpServers": {}}');
  });
});

test('whatever the layout: what is added is read back, and removing it gives the old text', () => {
  let state = TEST_SEED;
  const random = () => {
    state = (state * 1103515245 + 12345) % 2 ** 31;
    return state / 2 ** 31;
  };
  const pick = <T>(items: readonly [T, ...T[]]): T =>
    items[Math.floor(random() * items.length)] ?? items[0];
  for (let round = 0; round < 200; round += 1) {
    const indent = pick(['', '  ', '    ']);
    const end = pick(['\n', '\r\n']);
    const items = Array.from({ length: 1 + Math.floor(random() * 3) }, (_, index) =>
      pick([
        `${indent}- name: s${index}\n${indent}  command: x # c\n`,
        `${indent}- {name: s${index}, command: "x, y"}\n`,
        `${indent}# above\n${indent}-   name: 's${index}'\n${indent}    env:\n${indent}      A: "- b"\n\n`,
        `${indent}-\n${indent}  name: s${index}\n${indent}  description: >\n${indent}    long\n${indent}    text\n`,
      ]),
    );
    const text =
      `${pick(['', '# head\n', 'mcp: {naming: mcp}\n'])}servers:${pick(['', ' # list'])}\n${items.join('')}${pick(['', '# tail\n', 'defaultTools: []\n'])}`.replaceAll(
        '\n',
        end,
      );
    const added = addItem(text, ['servers'], ENTRY) ?? '';
    const file = parseConfigText(added, 'f', '/f');
    expect([file.problems, text]).toEqual([[], text]);
    expect((file.value as { servers: unknown[] }).servers.at(-1)).toEqual(ENTRY);
    expect(removeItem(added, ['servers'], items.length)).toBe(text);
  }
});
