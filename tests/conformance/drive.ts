/**
 * The client that the conformance suite starts: `bun drive.ts URL`, the scenario in the environment. Plays each
 * scenario as command lines of usher, one process each, in one fresh HOME. Exit 0: every command did what
 * the scenario asks; 1: one did not, told on stderr.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { authScene } from './scenes-auth.ts';
import { fieldOf, items, type Outcome, parse, type Scene, type Stage, textOf } from './stage.ts';

/** Below the 20 s that the suite gives a client by custom, so that the reason can be told. */
const COMMAND_MS = 15_000;
const SECRET_ENV = 'CONFORMANCE_CLIENT_SECRET';
const BROWSER = resolve(import.meta.dir, '../fixtures/auth/browser.ts');

async function play(): Promise<number> {
  const scenario = Bun.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
  const scene = scenario.startsWith('auth/') ? authScene(scenario) : SCENES[scenario];
  if (scene === undefined) {
    process.stderr.write(`drive: no scene for "${scenario}"\n`);
    return 1;
  }
  const home = mkdtempSync(join(tmpdir(), 'usher-conformance-'));
  try {
    await scene(stageIn(home, process.argv.at(-1) ?? ''));
    return 0;
  } catch (error) {
    process.stderr.write(`drive: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function stageIn(home: string, url: string): Stage {
  const context = parse(Bun.env['MCP_CONFORMANCE_CONTEXT'] ?? '');
  const secret = fieldOf(context, 'client_secret');
  return {
    url,
    context,
    secretEnv: SECRET_ENV,
    keep(name, text) {
      const path = join(home, name);
      writeFileSync(path, text, { mode: 0o600 });
      return path;
    },
    act: (words, wanted = 'success') =>
      act(home, words, wanted, typeof secret === 'string' ? { [SECRET_ENV]: secret } : {}),
  };
}

async function act(
  home: string,
  words: readonly string[],
  wanted: 'success' | 'refusal',
  secrets: Readonly<Record<string, string>>,
): Promise<Outcome> {
  const places = { HOME: home, TMPDIR: home, PATH: String(Bun.env['PATH']) };
  const browser = `${process.execPath} ${BROWSER} follow`;
  const child = Bun.spawn([String(Bun.env['USHER_BIN']), ...words, '--json'], {
    cwd: home,
    env: { ...places, CI: '1', USHER_KEYRING: 'off', BROWSER: browser, ...secrets },
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

const SCENES: Readonly<Record<string, Scene>> = {
  initialize: listTools,
  'request-metadata': listTools,
  'json-schema-ref-no-deref': listTools,
  async tools_call(stage) {
    await listTools(stage);
    await call(stage, 'add_numbers', { a: 5, b: 3 });
  },
  async 'elicitation-sep1034-client-defaults'(stage) {
    await call(stage, 'test_client_elicitation_defaults', {}, ACCEPT);
  },
  async 'sse-retry'(stage) {
    await call(stage, 'test_reconnection', {});
  },
  async 'sep-2322-client-request-state'(stage) {
    const tools = ['echo_state', 'unrelated', 'no_state', 'no_result_type'];
    for (const tool of tools) await call(stage, `test_mrtr_${tool}`, {}, ACCEPT);
  },
  async 'http-standard-headers'(stage) {
    const { url, act } = stage;
    await listTools(stage);
    for (const tool of ['test_headers', 'my-hyphenated-tool']) await call(stage, tool, {});
    const [resource] = items(await act(['resources', url]), 'resources');
    await act(['read', url, textOf(resource, 'uri')]);
    const [prompt] = items(await act(['prompts', url]), 'prompts');
    await act(['prompt', url, textOf(prompt, 'name')]);
  },
  async 'http-custom-headers'(stage) {
    await listTools(stage);
    for (const one of items({ json: stage.context }, 'toolCalls')) {
      await call(stage, textOf(one, 'name'), fieldOf(one, 'arguments'));
    }
  },
  async 'http-invalid-tool-headers'(stage) {
    const listed = items(await stage.act(['tools', stage.url]), 'tools');
    const names = listed.map((tool) => textOf(tool, 'name'));
    if (!names.includes('valid_tool')) throw new Error('valid_tool is not listed');
    for (const name of names) await call(stage, name, { region: 'us-west1' });
  },
  async 'json-schema-2020-12-preservation'(stage) {
    const tools = items(await stage.act(['tools', stage.url]), 'tools');
    const tool = tools.find((one) => fieldOf(one, 'name') === 'json_schema_2020_12_tool');
    await call(stage, 'json_schema_echo', { schema: fieldOf(tool, 'inputSchema') });
  },
  async 'sep-2640-client-no-prefetch'({ url, act }) {
    await act(['skills', url]);
  },
  'sep-2640-client-verify-digest': refuseTamperedSkill,
  'sep-2640-client-verify-size': refuseTamperedSkill,
  'sep-2640-client-verify-frontmatter': refuseTamperedSkill,
};

const ACCEPT = ['--elicit', 'accept'];

async function listTools({ url, act }: Stage): Promise<void> {
  await act(['tools', url]);
}

async function call(
  { url, act }: Stage,
  tool: string,
  args: unknown,
  more: readonly string[] = [],
): Promise<void> {
  await act(['call', url, tool, JSON.stringify(args), ...more]);
}

async function refuseTamperedSkill({ url, act }: Stage): Promise<void> {
  await act(['skills', url]);
  await act(['skill', url, 'skill://pdf-processing/SKILL.md'], 'refusal');
}

if (import.meta.main) process.exitCode = await play();
