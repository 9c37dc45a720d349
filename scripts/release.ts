/**
 * Builds the binary for every supported machine into `dist/release`, checks that each file is an executable of
 * its kind, runs the one for this machine, and writes SHA256SUMS. Fails naming the target that could not be had.
 */
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildBinary, projectRoot, readVersion } from './build.ts';

interface Target {
  readonly name: string;
  readonly compile: Bun.Build.CompileTarget;
  /** Start of the file: format and machine, read by `kindOf`. */
  readonly kind: string;
}

const TARGETS: readonly Target[] = [
  { name: 'linux-x64', compile: 'bun-linux-x64', kind: 'ELF x64 glibc' },
  { name: 'linux-arm64', compile: 'bun-linux-arm64', kind: 'ELF arm64 glibc' },
  { name: 'linux-x64-musl', compile: 'bun-linux-x64-musl', kind: 'ELF x64 musl' },
  { name: 'linux-arm64-musl', compile: 'bun-linux-arm64-musl', kind: 'ELF arm64 musl' },
  { name: 'darwin-x64', compile: 'bun-darwin-x64', kind: 'Mach-O x64' },
  { name: 'darwin-arm64', compile: 'bun-darwin-arm64', kind: 'Mach-O arm64' },
  { name: 'windows-x64', compile: 'bun-windows-x64', kind: 'PE x64' },
];

const folder = join(projectRoot, 'dist/release');
const version = await readVersion();
const problems: string[] = [];
const sums: string[] = [];

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const target of TARGETS) {
  const problem = await buildTarget(target);
  if (problem !== undefined) problems.push(`${target.name}: ${problem}`);
}
writeFileSync(join(folder, 'SHA256SUMS'), sums.map((line) => `${line}\n`).join(''));
for (const problem of problems) console.error(problem);
console.log(`${TARGETS.length - problems.length} of ${TARGETS.length} targets in dist/release`);
process.exitCode = problems.length === 0 ? 0 : 1;

/** Returns what went wrong, for people. */
async function buildTarget(target: Target): Promise<string | undefined> {
  const file = `usher-${version}-${target.name}${target.kind.startsWith('PE') ? '.exe' : ''}`;
  const path = join(folder, file);
  try {
    const bytes = await buildBinary({ outfile: path, target: target.compile });
    const kind = kindOf(await Bun.file(path).bytes());
    if (kind !== target.kind) return `expected ${target.kind}, the file is ${kind}`;
    const answer = isThisMachine(target) ? await askVersion(path) : undefined;
    if (answer !== undefined && !answer.includes(version)) return `--version printed ${answer}`;
    chmodSync(path, 0o755);
    sums.push(`${await sha256(path)}  ${file}`);
    const ran = answer === undefined ? 'not run here' : 'runs';
    console.log(`${file}  ${kind}  ${(bytes / 2 ** 20).toFixed(1)} MiB  ${ran}`);
    return undefined;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}

/** Format, machine and C library of an executable, from its headers. */
function kindOf(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const magic = view.getUint32(0);
  if (magic === 0x7f454c46) return `ELF ${elfMachine(view.getUint16(18, true))} ${libcOf(bytes)}`;
  if (magic === 0xcffaedfe) return `Mach-O ${machoMachine(view.getUint32(4, true))}`;
  if (magic >>> 16 === 0x4d5a) return peKind(view);
  return `unknown (${magic.toString(16)})`;
}

function elfMachine(code: number): string {
  if (code === 0x3e) return 'x64';
  return code === 0xb7 ? 'arm64' : `machine ${code}`;
}

/** By the loader that the file asks for. */
function libcOf(bytes: Uint8Array): string {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 4096));
  if (head.includes('/lib/ld-musl-')) return 'musl';
  return head.includes('/ld-linux-') ? 'glibc' : 'static';
}

function machoMachine(code: number): string {
  if (code === 0x0100_0007) return 'x64';
  return code === 0x0100_000c ? 'arm64' : `machine ${code}`;
}

function peKind(view: DataView): string {
  const header = view.getUint32(0x3c, true);
  if (view.getUint32(header) !== 0x5045_0000) return 'MZ without PE';
  const machine = view.getUint16(header + 4, true);
  return `PE ${machine === 0x8664 ? 'x64' : `machine ${machine}`}`;
}

function isThisMachine(target: Target): boolean {
  const isMusl = !JSON.stringify(process.report.getReport()).includes('glibcVersionRuntime');
  return target.name === `${process.platform}-${process.arch}${isMusl ? '-musl' : ''}`;
}

async function askVersion(path: string): Promise<string> {
  const child = Bun.spawn([path, '--version'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const text = await child.stdout.text();
  const code = await child.exited;
  return code === 0 ? text.trim() : `exit code ${code}`;
}

async function sha256(path: string): Promise<string> {
  return new Bun.CryptoHasher('sha256').update(await Bun.file(path).bytes()).digest('hex');
}
