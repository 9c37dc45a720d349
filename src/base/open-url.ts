/**
 * Opens an address in the person's browser, without a shell. Knows nothing of why. The browser is a
 * process of its own: it outlives us.
 */
import { type Clock, sleep } from './clock.ts';
import { type Env, envValue } from './env.ts';

export type OpenUrl = (url: string) => Promise<boolean>;

/** An opener that still runs by then is the browser itself. */
const ANSWER_MS = 2000;

/**
 * `$BROWSER` (words separated by spaces, the address last or in place of `%s`), else what the system
 * has. False when nothing could be started, or when what was started failed at once. Only http and https.
 */
export function createOpenUrl(env: Env, clock: Clock): OpenUrl {
  return async (url) => {
    if (!/^https?:\/\//i.test(url)) return false;
    const command = commandFor(env, url);
    try {
      const child = Bun.spawn([...command], {
        env: { ...env },
        stdio: ['ignore', 'ignore', 'ignore'],
        detached: true,
      });
      child.unref();
      const ended = new AbortController();
      const late = sleep(clock, ANSWER_MS, ended.signal).catch(() => undefined);
      const exit = await Promise.race([child.exited, late]);
      ended.abort();
      return exit === undefined || exit === 0;
    } catch (error) {
      // ENOENT, EACCES: there is no such program here.
      if (error instanceof Error && 'code' in error) return false;
      throw error;
    }
  };
}

function commandFor(env: Env, url: string): readonly string[] {
  const words = envValue(env, 'BROWSER')?.trim().split(/\s+/) ?? [];
  if (words.length > 0) {
    return words.includes('%s')
      ? words.map((word) => (word === '%s' ? url : word))
      : [...words, url];
  }
  if (process.platform === 'darwin') return ['open', url];
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', url];
  return ['xdg-open', url];
}
