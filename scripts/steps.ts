/** Steps shared by the two set-up commands. Uses nothing but Bun itself: node_modules may be missing. */
import { projectRoot } from './build.ts';

/** Installs exactly what bun.lock names. A few milliseconds when nothing is missing. */
export async function installDependencies(): Promise<void> {
  await runStep('install', [process.execPath, 'install', '--frozen-lockfile']);
}

/** Builds `dist/usher` in a process of its own, so that it sees the packages just installed. */
export async function buildProduct(): Promise<void> {
  await runStep('build', [process.execPath, 'scripts/build.ts']);
}

/** Runs one command in the project's root with its output shown; throws when it fails. */
export async function runStep(name: string, command: readonly string[]): Promise<void> {
  const code = await runCommand(command);
  if (code !== 0) throw new StepError(name, code);
}

/** Runs one command in the project's root with its output shown. Returns its exit code. */
export async function runCommand(command: readonly string[]): Promise<number> {
  const child = Bun.spawn([...command], {
    cwd: projectRoot,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return child.exited;
}

export class StepError extends Error {
  constructor(step: string, code: number) {
    super(`${step} failed with exit code ${code}`);
    this.name = 'StepError';
  }
}
