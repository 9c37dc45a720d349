import { expect, test } from 'bun:test';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { createOpenUrl } from '../../src/base/open-url.ts';
import { newFolder, writeFiles } from '../helpers/places.ts';

const url = 'https://a.example/?q=a;b&c=$(d)';

/** A browser that writes its arguments, one a line, and ends with this code. */
function browser(code = 0) {
  const folder = writeFiles(newFolder(), {
    browser: `#!/bin/sh\nprintf '%s\\n' "$@" > "$0.args"\nexit ${code}\n`,
  });
  const path = join(folder, 'browser');
  chmodSync(path, 0o755);
  const seen = () => (existsSync(`${path}.args`) ? readFileSync(`${path}.args`, 'utf8') : '');
  return { path, seen };
}

const open = (BROWSER: string, address = url) =>
  createOpenUrl({ BROWSER, PATH: String(Bun.env['PATH']) }, systemClock)(address);

test('the words of $BROWSER are no shell line, and the address goes last', async () => {
  const { path, seen } = browser();
  expect(await open(`${path}  --new `)).toBe(true);
  expect(seen()).toBe(`--new\n${url}\n`);
});

test('%s says where the address goes', async () => {
  const { path, seen } = browser();
  expect(await open(`${path} %s --wait`)).toBe(true);
  expect(seen()).toBe(`${url}\n--wait\n`);
});

test('a browser that fails or is not there is told', async () => {
  expect(await open(browser(3).path)).toBe(false);
  expect(await open(join(newFolder(), 'nothing'))).toBe(false);
});

test('nothing but http and https is opened', async () => {
  const { path, seen } = browser();
  expect(await open(path, 'file:///etc/passwd')).toBe(false);
  expect(seen()).toBe('');
});
