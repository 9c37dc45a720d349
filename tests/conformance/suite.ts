/**
 * Runs scenarios of the public conformance suite, one at a time: its own way of running many starts all of
 * them at once, takes no notice of the client's exit code and calls a run without any check a pass.
 */
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { newFolder } from '../helpers/places.ts';
import { usherBinary } from '../helpers/usher.ts';
import floors from './floors.json';

export type Leg = keyof typeof floors;

const ROOT = resolve(import.meta.dir, '../..');
const SUITE = join(ROOT, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
const DRIVE = join(import.meta.dir, 'drive.ts');
const SCENARIO_MS = 30_000;

/** `default`: each scenario at its own revision. */
export const LEGS = ['default', '2026-07-28'] as const satisfies readonly Leg[];

/** The checks that count, `id|name`, by scenario. */
export function floorOf(leg: Leg): Readonly<Record<string, readonly string[]>> {
  return floors[leg];
}

/** Scenarios with a floor: those that need a login, or the others. */
export function scenariosOf(leg: Leg, kind: 'auth' | 'open'): readonly string[] {
  return Object.keys(floorOf(leg)).filter((name) => name.startsWith('auth/') === (kind === 'auth'));
}

/** Names of the client scenarios that the installed suite has for a leg. */
export async function listScenarios(leg: Leg): Promise<readonly string[]> {
  const { stdout } = await runSuite(['list', '--client', ...versionFlag(leg)]);
  return [...stdout.matchAll(/^\s+- (\S+) \[/gm)].map(([, name = '']) => name);
}

/** Everything wrong with one scenario, a line each; empty: it passes and reaches its floor. */
export async function runScenario(leg: Leg, scenario: string): Promise<readonly string[]> {
  const folder = newFolder();
  const command = `${process.execPath} ${DRIVE}`;
  const limit = ['--timeout', String(SCENARIO_MS), '-o', folder];
  const run = await runSuite([
    'client',
    '--scenario',
    scenario,
    '--command',
    command,
    ...limit,
    ...versionFlag(leg),
  ]);
  const checks = await readChecks(folder);
  const reached = new Set(checks.filter(({ status }) => status === 'SUCCESS').map(keyOf));
  return [
    ...(run.code === 0 ? [] : [`the suite ended with ${run.code}: ${clientWords(run.stderr)}`]),
    ...checks
      .filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
      .map((check) => `${check.status} ${keyOf(check)}: ${check.errorMessage ?? ''}`),
    ...(floorOf(leg)[scenario] ?? [])
      .filter((key) => !reached.has(key))
      .map((key) => `not reached: ${key}`),
  ];
}

interface Check {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly errorMessage?: string;
}

function keyOf({ id, name }: Check): string {
  return `${id}|${name}`;
}

async function readChecks(folder: string): Promise<readonly Check[]> {
  const file = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((name) =>
    name.endsWith('checks.json'),
  );
  if (file === undefined) return [];
  // The suite's own file; its form is pinned with the suite's version.
  return (await Bun.file(join(folder, file)).json()) as readonly Check[];
}

function versionFlag(leg: Leg): readonly string[] {
  return leg === 'default' ? [] : ['--spec-version', leg];
}

async function runSuite(words: readonly string[]) {
  const child = Bun.spawn([process.execPath, SUITE, ...words], {
    cwd: newFolder(),
    env: { PATH: String(Bun.env['PATH']), HOME: newFolder(), USHER_BIN: usherBinary },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: SCENARIO_MS + 10_000,
  });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, stdout, stderr };
}

/** What the driver said. */
function clientWords(stderr: string): string {
  return /drive: .*/.exec(stderr)?.[0] ?? stderr.slice(-300);
}
