/** Preloaded into usher run from source: appends the path of each module of `src` it loads to the file $MODULE_TRACE. */
import { appendFileSync, readFileSync } from 'node:fs';
import { sep } from 'node:path';
import { plugin } from 'bun';

const file = Bun.env['MODULE_TRACE'] ?? '';

plugin({
  name: 'module-trace',
  setup(build) {
    build.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => {
      appendFileSync(file, `${path.split(`${sep}src${sep}`).at(-1)}\n`);
      return { contents: readFileSync(path, 'utf8'), loader: 'ts' };
    });
  },
});
