/**
 * Builds the standalone binary. Run directly: `dist/usher` for this machine.
 * The binary reads no `.env` and no `bunfig.toml` of the directory it is started in.
 */
import { mkdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

export const projectRoot = resolve(import.meta.dir, '..');

/** Where `bun run build` puts the binary of this machine. */
export const binaryPath = join(projectRoot, 'dist/usher');

export interface BuildOptions {
  readonly outfile: string;
  /** A target of Bun's cross compiler such as `bun-linux-arm64`; `undefined` = this machine. */
  readonly target?: Bun.Build.CompileTarget;
}

/** The second is a worker: in the binary it is a file of its own, at this path below the root, as `.js`. */
const ENTRIES = ['src/main.ts', 'src/codemode/worker.ts'];

/** Compiles `src/main.ts` to one executable. Returns its size in bytes; throws with the build log. */
export async function buildBinary(options: BuildOptions): Promise<number> {
  mkdirSync(dirname(options.outfile), { recursive: true });
  const result = await Bun.build({
    entrypoints: ENTRIES.map((path) => join(projectRoot, path)),
    root: projectRoot,
    target: 'bun',
    format: 'esm',
    minify: true,
    bytecode: true,
    // Chunks are loaded when they are imported: halves the time of `--version`.
    splitting: true,
    define: {
      USHER_VERSION: JSON.stringify(await readVersion()),
      'process.env.NODE_ENV': '"production"',
    },
    compile: {
      outfile: options.outfile,
      autoloadDotenv: false,
      autoloadBunfig: false,
      autoloadTsconfig: false,
      autoloadPackageJson: false,
      ...(options.target === undefined ? {} : { target: options.target }),
    },
    throw: false,
  });
  if (!result.success) throw new Error(result.logs.map(String).join('\n'));
  return statSync(options.outfile).size;
}

/** The version in package.json. */
export async function readVersion(): Promise<string> {
  const manifest: unknown = await Bun.file(join(projectRoot, 'package.json')).json();
  if (typeof manifest === 'object' && manifest !== null && 'version' in manifest) {
    return String(manifest.version);
  }
  throw new Error('package.json has no version');
}

if (import.meta.main) {
  const startedAt = performance.now();
  const bytes = await buildBinary({ outfile: binaryPath });
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`built dist/usher (${(bytes / 2 ** 20).toFixed(1)} MiB) in ${seconds} s`);
}
