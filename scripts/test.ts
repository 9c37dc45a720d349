/**
 * The whole gate: install, build, check (lint, types), tests. The last line is `N passed, N failed`, with
 * `, N skipped` when some were skipped; the exit code is not 0 when anything failed or nothing ran.
 * Arguments are handed to `bun test`, e.g. `bun run test tests/sse`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildProduct, installDependencies, runCommand } from './steps.ts';

/** Test files that run at once: most of them wait for processes. */
const MAX_WORKERS = 4;

interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

const outcome = await runGate().catch((thrown: unknown): Counts => {
  console.error(thrown instanceof Error ? thrown.message : String(thrown));
  return { passed: 0, failed: 1, skipped: 0 };
});
const skipped = outcome.skipped === 0 ? '' : `, ${outcome.skipped} skipped`;
console.log(`${outcome.passed} passed, ${outcome.failed} failed${skipped}`);
process.exitCode = outcome.failed > 0 || outcome.passed === 0 ? 1 : 0;

async function runGate(): Promise<Counts> {
  await installDependencies();
  await buildProduct();
  const lint = ['check', '--config-path=scripts/lint.json', 'src', 'tests', 'scripts'];
  const broken = [
    await failsAt('lint', ['node_modules/@biomejs/biome/bin/biome', ...lint]),
    await failsAt('types', ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.json']),
  ].filter(Boolean).length;
  const tests = await runTests(process.argv.slice(2));
  return { ...tests, failed: tests.failed + broken };
}

async function failsAt(step: string, command: readonly string[]): Promise<boolean> {
  const code = await runCommand([process.execPath, ...command]);
  if (code !== 0) console.error(`${step} failed with exit code ${code}`);
  return code !== 0;
}

/** Runs the test files, counts by the machine-readable report, not by the text. */
async function runTests(selection: readonly string[]): Promise<Counts> {
  const folder = mkdtempSync(join(tmpdir(), 'usher-report-'));
  const reportFile = join(folder, 'report.xml');
  try {
    const files = selection.length > 0 ? selection : ['tests'];
    const workers = Math.min(MAX_WORKERS, availableParallelism());
    const flags = ['--only-failures', `--parallel=${workers}`];
    const report = ['--reporter=junit', `--reporter-outfile=${reportFile}`];
    const code = await runCommand([process.execPath, 'test', ...flags, ...report, ...files]);
    const counts = await readReport(reportFile);
    // An error outside any test (a file that does not load) shows only in the exit code.
    return code !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function readReport(file: string): Promise<Counts> {
  if (!(await Bun.file(file).exists())) return { passed: 0, failed: 1, skipped: 0 };
  const head = /<testsuites\b[^>]*>/.exec(await Bun.file(file).text())?.[0] ?? '';
  const count = (name: string) => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(head)?.[1] ?? 0);
  const failed = count('failures') + count('errors');
  const skippedCount = count('skipped');
  return { passed: count('tests') - failed - skippedCount, failed, skipped: skippedCount };
}
