/** The house rules that a machine can check: floors, cycles, sizes, who may touch what, pinned dependencies. */
import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative, resolve } from 'node:path';

const root = resolve(import.meta.dir, '..');

/** What a folder may import besides itself: whole folders, and folders of which only types may be taken. */
interface Floor {
  readonly values: readonly string[];
  readonly types: readonly string[];
}

const floor = (values: readonly string[], types: readonly string[] = []): Floor => ({
  values,
  types,
});
const BELOW_HOST = ['base', 'config', 'sse', 'transport', 'auth', 'tools', 'permission', 'results'];
const PARTS = ['calls', 'mcp', 'model', 'builtin', 'lsp', 'skills', 'agent', 'codemode', 'session'];
const SURFACES = ['repl', 'serve', 'acp', 'a2a', 'pipeline'];
/** What a surface sees of the house. */
const SURFACE = floor(
  ['base', 'session'],
  ['config', 'host', 'agent', 'calls', 'mcp', 'tools', 'permission', 'model'],
);

const FLOORS: Readonly<Record<string, Floor>> = {
  base: floor([]),
  config: floor(['base']),
  sse: floor(['base']),
  transport: floor(['base', 'sse'], ['config']),
  auth: floor(['base'], ['config', 'transport']),
  tools: floor(['base'], ['config']),
  permission: floor(['base'], ['config', 'tools']),
  results: floor(['base'], ['config', 'tools']),
  calls: floor(['base', 'tools', 'permission', 'results'], ['config']),
  mcp: floor(['base', 'transport', 'auth'], ['config', 'tools']),
  model: floor(['base', 'sse', 'tools'], ['config']),
  builtin: floor(['base'], ['config', 'tools']),
  lsp: floor(['base'], ['config', 'tools']),
  skills: floor(['base'], ['config', 'tools']),
  agent: floor(['base', 'calls', 'tools'], ['config', 'model']),
  codemode: floor(['base', 'calls', 'tools'], ['config']),
  session: floor(['base'], ['config', 'agent']),
  host: floor([...BELOW_HOST, ...PARTS]),
  cli: floor(['base', 'session', 'config', 'host', ...SURFACES], SURFACE.types),
  ...Object.fromEntries(SURFACES.map((name) => [name, SURFACE])),
};

interface Import {
  readonly from: string;
  readonly specifier: string;
  /** Path under src of our own file, `undefined` for a package. */
  readonly target: string | undefined;
  readonly typeOnly: boolean;
  readonly lazy: boolean;
  readonly reExport: boolean;
}

const sources = new Map(
  [...new Bun.Glob('**/*.ts').scanSync(join(root, 'src'))]
    .sort()
    .map((file) => [file, readFileSync(join(root, 'src', file), 'utf8')] as const),
);
const imports = [...sources].flatMap(([file, text]) => readImports(file, text));

describe('floors', () => {
  test('every folder of src has a floor', () => {
    const folders = [...sources.keys()].filter((file) => file.includes('/')).map(folderOf);
    expect([...new Set(folders)].filter((name) => FLOORS[name] === undefined)).toEqual([]);
  });

  test('no file imports from a folder that its floor does not allow', () => {
    expect(imports.filter((one) => !isAllowed(one)).map(describeImport)).toEqual([]);
  });

  test('main.ts knows the command line only, index.ts only what embedding needs', () => {
    const outside = (file: string, allowed: readonly string[]) =>
      imports.filter(
        (one) => one.from === file && one.target !== undefined && !isUnder(one.target, allowed),
      );
    expect(outside('main.ts', ['cli', 'base']).map(describeImport)).toEqual([]);
    expect(
      outside('index.ts', ['host', 'base', 'config'])
        .filter((one) => !one.typeOnly)
        .map(describeImport),
    ).toEqual([]);
  });

  test('surfaces are loaded by the command line only when asked for', () => {
    const eager = imports.filter(
      (one) => folderOf(one.from) === 'cli' && isUnder(one.target, SURFACES) && !one.lazy,
    );
    expect(eager.filter((one) => !one.typeOnly).map(describeImport)).toEqual([]);
  });

  test('the linter holds the same table', () => {
    expect(readLintTable()).toEqual(
      Object.fromEntries(Object.keys(FLOORS).map((name) => [name, forbiddenTo(name)])),
    );
  });

  test('no import cycles', () => {
    expect(findCycles()).toEqual([]);
  });
});

describe('files', () => {
  test('re-exports stand in index.ts alone', () => {
    const barrels = imports.filter((one) => one.reExport && one.from !== 'index.ts');
    expect(barrels.map(describeImport)).toEqual([]);
  });

  test('no file is longer than 350 lines', () => {
    const long = [...sources].filter(([, text]) => text.split('\n').length > 351);
    expect(long.map(([file]) => file)).toEqual([]);
  });

  test('folders are at most two deep, and no name says nothing', () => {
    const three = /^(config\/schema|mcp\/handlers|cli\/commands)\/[^/]+$/;
    const deep = (file: string) => file.split('/').length > 2 && !three.test(file);
    const vague = /(^|\/)(utils?|helpers?|common|misc|manager2)(\/|\.ts$)/;
    const odd = /[^a-z0-9/.-]/;
    const bad = [...sources.keys()].filter((f) => deep(f) || vague.test(f) || odd.test(f));
    expect(bad).toEqual([]);
  });

  test.each([
    ['process environment', /\b(process|Bun)\.env\b/, ['base/env.ts']],
    ['console', /\bconsole\.\w+\(/, []],
    ['stdout writer', /\bstdout\.write\(|\bBun\.stdout\b/, ['cli/output.ts']],
    ['module mock', /\bmock\.module\(/, []],
    ['default export', /^export default /m, []],
  ])('%s stays in its place', (_name, pattern, allowed) => {
    const offenders = [...sources].filter(([, text]) => pattern.test(withoutComments(text)));
    expect(offenders.map(([file]) => file).filter((file) => !allowed.includes(file))).toEqual([]);
  });
});

describe('project', () => {
  test('nothing stands at the top level but what belongs there', () => {
    const allowed = new Set(
      `package.json tsconfig.json bunfig.toml src tests config.example.yaml scripts README.md bun.lock
       LICENSE CHANGELOG.md .gitignore .gitattributes .ci`.split(/\s+/),
    );
    const entries = new Set(trackedFiles().map((file) => file.split('/')[0] ?? ''));
    expect([...entries].filter((name) => !allowed.has(name))).toEqual([]);
  });

  test('dependencies are pinned exactly, and those of the binary explained in src/README.md', () => {
    const manifest = readJson('package.json');
    const own = recordOf(manifest['dependencies']);
    const all = { ...own, ...recordOf(manifest['devDependencies']) };
    expect(
      Object.entries(all).filter(([, range]) => !/^\d+\.\d+\.\d+[\w.-]*$/.test(range)),
    ).toEqual([]);
    const page = readFileSync(join(root, 'src/README.md'), 'utf8');
    expect(Object.keys(own).filter((name) => !page.includes(name))).toEqual([]);
  });

  test('no tracked file names a package registry or a path of one machine', () => {
    const forbidden = [`registry.${'npmjs'}.org`, `/${'work'}/main`, `/${'work'}/shared`];
    const offenders = trackedFiles().filter((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      return forbidden.some((word) => text.includes(word));
    });
    expect(offenders).toEqual([]);
  });
});

function isAllowed(one: Import): boolean {
  const from = folderOf(one.from);
  const rule = FLOORS[from];
  if (rule === undefined || one.target === undefined) return true;
  const to = folderOf(one.target);
  if (to === from || rule.values.includes(to)) return true;
  return rule.types.includes(to) && (one.typeOnly || one.target === `${to}/types.ts`);
}

function isUnder(target: string | undefined, folders: readonly string[]): boolean {
  return target !== undefined && folders.includes(folderOf(target));
}

/** Folders that a folder may not even take types from. */
function forbiddenTo(name: string): string[] {
  const rule = FLOORS[name] ?? floor([]);
  const open = new Set([name, ...rule.values, ...rule.types]);
  return Object.keys(FLOORS).filter((other) => !open.has(other));
}

/** Folder → folders its override in scripts/lint.json forbids, read back from the patterns. */
function readLintTable(): Record<string, string[]> {
  const table: Record<string, string[]> = {};
  for (const override of listOf(readJson('scripts/lint.json')['overrides'])) {
    const text = JSON.stringify(override);
    if (!text.includes('noRestrictedImports')) continue;
    const name = /"\*\*\/src\/([a-z0-9]+)\/\*\*"/.exec(text)?.[1] ?? text;
    table[name] = /\*\*\/\.\.\/\{([a-z0-9,]+)\}\/\*\*/.exec(text)?.[1]?.split(',') ?? [];
  }
  return table;
}

/** Each cycle of value imports once, as `a → b → a`. Lazy imports do not close one. */
function findCycles(): string[] {
  const edges = new Map<string, string[]>();
  for (const one of imports) {
    if (one.typeOnly || one.lazy || one.target === undefined) continue;
    edges.set(one.from, [...(edges.get(one.from) ?? []), one.target]);
  }
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    const seenAt = path.indexOf(file);
    if (seenAt >= 0) cycles.push([...path.slice(seenAt), file].join(' → '));
    if (seenAt >= 0 || done.has(file)) return;
    for (const next of edges.get(file) ?? []) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of edges.keys()) visit(file, []);
  return cycles;
}

function readImports(file: string, text: string): Import[] {
  const code = withoutComments(text);
  const fixed = /^(import|export)\s+(type\s+)?((?:[\w*\s{},$]+?)\sfrom\s+)?['"]([^'"]+)['"]/gm;
  const found = [...code.matchAll(fixed)].map((match) => ({
    specifier: match[4] ?? '',
    typeOnly: match[2] !== undefined || isTypeList(match[3] ?? ''),
    lazy: false,
    reExport: match[1] === 'export',
  }));
  const lazy = [...code.matchAll(/\bimport\(\s*['"]([^'"]+)['"]/g)].map((match) => ({
    specifier: match[1] ?? '',
    typeOnly: false,
    lazy: true,
    reExport: false,
  }));
  return [...found, ...lazy].map((one) => ({
    ...one,
    from: file,
    target: one.specifier.startsWith('.')
      ? relative('.', normalize(join(dirname(file), one.specifier)))
      : undefined,
  }));
}

/** `{ type A, type B } from`: nothing but types. */
function isTypeList(clause: string): boolean {
  const names = /^\{([^}]*)\}\s+from\s+$/.exec(clause)?.[1]?.split(',') ?? [];
  const filled = names.map((name) => name.trim()).filter((name) => name !== '');
  return filled.length > 0 && filled.every((name) => name.startsWith('type '));
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');
}

function describeImport(one: Import): string {
  return `${one.from} → ${one.specifier}${one.typeOnly ? ' (type)' : ''}`;
}

function folderOf(file: string): string {
  return file.includes('/') ? file.slice(0, file.indexOf('/')) : '';
}

/** Files under version control; outside a checkout, all that is not generated. */
function trackedFiles(): string[] {
  const listed = Bun.spawnSync(['git', 'ls-files', '-z'], { cwd: root, stderr: 'ignore' });
  const names = listed.success
    ? listed.stdout.toString().split('\0')
    : [...new Bun.Glob('{*,{src,tests,scripts,.ci}/**}').scanSync({ cwd: root, dot: true })];
  return names.filter((name) => name !== '' && existsSync(join(root, name)));
}

function readJson(file: string): Readonly<Record<string, unknown>> {
  return recordLike(JSON.parse(readFileSync(join(root, file), 'utf8')));
}

function recordLike(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function recordOf(value: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.entries(recordLike(value)).map(([name, item]) => [name, String(item)]),
  );
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
