/** Commands that fetch a server before they start it: silence of theirs says nothing about the server. */
import { basename } from 'node:path';

const LAUNCHERS = new Set([
  ...['npx', 'npm', 'pnpm', 'pnpx', 'yarn', 'bunx', 'bun', 'deno'],
  ...['uvx', 'uv', 'pipx', 'docker', 'podman', 'nerdctl', 'nix', 'dnx', 'dotnet', 'go', 'cargo'],
]);
const SHELLS = new Set(['sh', 'bash', 'dash', 'zsh', 'fish', 'env', 'cmd']);
/** Without one of these the launcher runs what is there already. */
const FETCHES: Readonly<Record<string, RegExp>> = {
  bun: /^x$/,
  deno: /^(run|x)$/,
  go: /^run$/,
  cargo: /^(run|install)$/,
  dotnet: /^(run|tool)$/,
};

/** By names alone; also of what a shell is given to run. */
export function mayDownload(command: string, args: readonly string[]): boolean {
  const name = nameOf(command);
  if (SHELLS.has(name)) {
    const words = args.flatMap((arg) => arg.split(/[\s;&|()]+/));
    return words.some((word, at) => mayFetch(nameOf(word), words.slice(at + 1)));
  }
  return mayFetch(name, args);
}

function mayFetch(name: string, args: readonly string[]): boolean {
  if (!LAUNCHERS.has(name)) return false;
  const only = FETCHES[name];
  return only === undefined || args.some((arg) => only.test(arg));
}

function nameOf(command: string): string {
  return basename(command.replaceAll('\\', '/')).replace(/\.(exe|cmd|bat|ps1)$/i, '');
}
