/**
 * Preloaded before every test: an isolated HOME, no keys, no proxies, no address outside loopback.
 */
import { setDefaultTimeout } from 'bun:test';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// A test that starts processes takes several times as long on a busy machine; one that hangs still ends.
setDefaultTimeout(30_000);

const home = mkdtempSync(join(tmpdir(), 'usher-test-home-'));
const KEEP = new Set(['PATH', 'TMPDIR', 'TERM', 'LANG', 'CI', 'USHER_TEST_SEED', 'USHER_BIN']);

const env = process.env;
for (const name of Object.keys(env)) if (!KEEP.has(name)) delete env[name];
env['HOME'] = home;
env['XDG_CONFIG_HOME'] = join(home, '.config');
env['XDG_STATE_HOME'] = join(home, '.local/state');

const realFetch = globalThis.fetch;
const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);
globalThis.fetch = Object.assign(
  (...parameters: Parameters<typeof fetch>) => {
    const [input] = parameters;
    const url = new URL(input instanceof Request ? input.url : String(input));
    if (!LOOPBACK.has(url.hostname)) throw new Error(`a test asked for ${url.hostname}`);
    return realFetch(...parameters);
  },
  { preconnect: realFetch.preconnect },
);
