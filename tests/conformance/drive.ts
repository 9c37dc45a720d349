/**
 * The client that the conformance suite starts: `bun drive.ts URL`, the scenario in the environment. Plays each
 * scenario as command lines of usher, one process each, in one fresh HOME. Exit 0: every command did what
 * the scenario asks; 1: one did not, told on stderr.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Below the 20 s that the suite gives a client by custom, so that the reason can be told. */
const COMMAND_MS = 15_000;

interface Outcome {
  readonly code: number;
  /** The document on stdout, where it is one. */
  readonly json: unknown;
}

type Act = (words: readonly string[], wanted?: 'success' | 'refusal') => Promise<Outcome>;

async function play(): Promise<number> {
  const scenario = Bun.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
  const url = process.argv.at(-1) ?? '';
  const scene = SCENES[scenario];
  if (scene === undefined) {
    process.stderr.write(`drive: no scene for "${scenario}"\n`);
    return 1;
  }
  const home = mkdtempSync(join(tmpdir(), 'usher-conformance-'));
  try {
    await scene(url, (words, wanted) => act(home, words, wanted ?? 'success'));
    return 0;
  } catch (error) {
    process.stderr.write(`drive: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function act(
  home: string,
  words: readonly string[],
  wanted: 'success' | 'refusal',
): Promise<Outcome> {
  const child = Bun.spawn([String(Bun.env['USHER_BIN']), ...words, '--json'], {
    cwd: home,
    env: { PATH: String(Bun.env['PATH']), HOME: home, TMPDIR: home, CI: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: COMMAND_MS,
    killSignal: 'SIGKILL',
  });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  const code = await child.exited;
  // A refusal is an exit code of usher's own, not a signal and not a fault.
  const isWanted = wanted === 'success' ? code === 0 : code > 0 && code < 70;
  if (!isWanted) {
    throw new Error(`usher ${words[0]} ended with ${code} instead of ${wanted}: ${stderr.trim()}`);
  }
  return { code, json: parse(stdout) };
}

const SCENES: Readonly<Record<string, (url: string, act: Act) => Promise<void>>> = {
  initialize: listTools,
  'request-metadata': listTools,
  'json-schema-ref-no-deref': listTools,
  async tools_call(url, act) {
    await listTools(url, act);
    await call(url, act, 'add_numbers', { a: 5, b: 3 });
  },
  async 'elicitation-sep1034-client-defaults'(url, act) {
    await call(url, act, 'test_client_elicitation_defaults', {}, ACCEPT);
  },
  async 'sse-retry'(url, act) {
    await call(url, act, 'test_reconnection', {});
  },
  async 'sep-2322-client-request-state'(url, act) {
    const tools = ['echo_state', 'unrelated', 'no_state', 'no_result_type'];
    for (const tool of tools) await call(url, act, `test_mrtr_${tool}`, {}, ACCEPT);
  },
  async 'http-standard-headers'(url, act) {
    await listTools(url, act);
    for (const tool of ['test_headers', 'my-hyphenated-tool']) await call(url, act, tool, {});
    const [resource] = items(await act(['resources', url]), 'resources');
    await act(['read', url, textOf(resource, 'uri')]);
    const [prompt] = items(await act(['prompts', url]), 'prompts');
    await act(['prompt', url, textOf(prompt, 'name')]);
  },
  async 'http-custom-headers'(url, act) {
    await listTools(url, act);
    for (const one of items({ json: context() }, 'toolCalls')) {
      await call(url, act, textOf(one, 'name'), fieldOf(one, 'arguments'));
    }
  },
  async 'http-invalid-tool-headers'(url, act) {
    const names = items(await act(['tools', url]), 'tools').map((tool) => textOf(tool, 'name'));
    if (!names.includes('valid_tool')) throw new Error('valid_tool is not listed');
    for (const name of names) await call(url, act, name, { region: 'us-west1' });
  },
  async 'json-schema-2020-12-preservation'(url, act) {
    const tools = items(await act(['tools', url]), 'tools');
    const tool = tools.find((one) => fieldOf(one, 'name') === 'json_schema_2020_12_tool');
    await call(url, act, 'json_schema_echo', { schema: fieldOf(tool, 'inputSchema') });
  },
  async 'sep-2640-client-no-prefetch'(url, act) {
    await act(['skills', url]);
  },
  'sep-2640-client-verify-digest': refuseTamperedSkill,
  'sep-2640-client-verify-size': refuseTamperedSkill,
  'sep-2640-client-verify-frontmatter': refuseTamperedSkill,
};

const ACCEPT = ['--elicit', 'accept'];

async function listTools(url: string, act: Act): Promise<void> {
  await act(['tools', url]);
}

async function call(
  url: string,
  act: Act,
  tool: string,
  args: unknown,
  more: readonly string[] = [],
): Promise<void> {
  await act(['call', url, tool, JSON.stringify(args), ...more]);
}

async function refuseTamperedSkill(url: string, act: Act): Promise<void> {
  await act(['skills', url]);
  await act(['skill', url, 'skill://pdf-processing/SKILL.md'], 'refusal');
}

function context(): unknown {
  return parse(Bun.env['MCP_CONFORMANCE_CONTEXT'] ?? '');
}

function items({ json }: Pick<Outcome, 'json'>, key: string): readonly unknown[] {
  const list = fieldOf(json, key);
  return Array.isArray(list) ? list : [];
}

function textOf(value: unknown, key: string): string {
  const text = fieldOf(value, key);
  if (typeof text !== 'string') throw new Error(`there is no ${key} to go on with`);
  return text;
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Commands that refuse print no document.
    return undefined;
  }
}

if (import.meta.main) process.exitCode = await play();
