/** Drives the binary at a pseudo-terminal: keys in, text out. */
import { planRun, type UsherOptions } from './usher.ts';

export interface PtySession {
  readonly pid: number;
  readonly exited: Promise<number>;
  readonly home: string;
  readonly cwd: string;
  /** Types keys as they are; Enter is \r, Ctrl-C \x03. */
  send(keys: string): void;
  /** All output so far without control sequences. */
  text(): string;
  /** All output so far as it came. */
  raw(): string;
  /**
   * Resolves with the text since the last match, up to and with the pattern's first match; rejects after the
   * limit (default 10 s) with all that was shown.
   */
  waitFor(pattern: string | RegExp, limitMs?: number): Promise<string>;
  /** Ends what is left. */
  close(): void;
}

const ESC = String.fromCharCode(27);
const CONTROL = new RegExp(
  `${ESC}\\[[0-?]*[ -/]*[@-~]|${ESC}\\][^\\x07${ESC}]*(\\x07|${ESC}\\\\)|${ESC}[@-_=>]`,
  'g',
);

export function startPty(args: readonly string[], options: UsherOptions = {}): PtySession {
  const plan = planRun(args, options);
  const decoder = new TextDecoder();
  const watchers = new Set<() => void>();
  let raw = '';
  let seen = 0;
  const child = Bun.spawn(plan.command, {
    cwd: plan.cwd,
    env: { TERM: 'xterm-256color', ...plan.env },
    terminal: {
      cols: 120,
      rows: 40,
      data: (_terminal, bytes) => {
        raw += decoder.decode(bytes, { stream: true });
        for (const notify of watchers) notify();
      },
    },
  });
  const text = () => raw.replace(CONTROL, '').replaceAll('\r\n', '\n');

  const waitFor = (pattern: string | RegExp, limitMs = 10_000): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = () => {
        const all = text();
        const at = matchEnd(all.slice(seen), pattern);
        if (at === undefined) return;
        const shown = all.slice(seen, seen + at);
        seen += at;
        finish();
        resolve(shown);
      };
      const timer = setTimeout(() => {
        finish();
        reject(new Error(`no ${String(pattern)} on the screen:\n${text()}`));
      }, limitMs);
      const finish = () => {
        clearTimeout(timer);
        watchers.delete(look);
      };
      watchers.add(look);
      look();
    });

  return {
    pid: child.pid,
    exited: child.exited,
    home: plan.home,
    cwd: plan.cwd,
    send: (keys) => child.terminal?.write(keys),
    text,
    raw: () => raw,
    waitFor,
    close: () => {
      child.kill('SIGKILL');
      child.terminal?.close();
    },
  };
}

function matchEnd(text: string, pattern: string | RegExp): number | undefined {
  if (typeof pattern === 'string') {
    const at = text.indexOf(pattern);
    return at < 0 ? undefined : at + pattern.length;
  }
  const match = pattern.exec(text);
  return match === null ? undefined : match.index + match[0].length;
}
