/**
 * Writes what is derived from the source: `config.example.yaml`. With `--check` writes nothing and fails when
 * the file in the tree is not what the source says.
 */
import { join } from 'node:path';
import { exampleConfig } from '../src/config/example.ts';
import { projectRoot } from './build.ts';

const path = join(projectRoot, 'config.example.yaml');
const text = exampleConfig();
if (process.argv.includes('--check')) {
  const isCurrent = (await Bun.file(path).text()) === text;
  if (!isCurrent) console.error('config.example.yaml is not current: bun run docs');
  process.exitCode = isCurrent ? 0 : 1;
} else {
  await Bun.write(path, text);
  console.log('wrote config.example.yaml');
}
