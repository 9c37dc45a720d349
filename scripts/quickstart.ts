/**
 * From a fresh clone to a first answer: installs, builds, then asks a real question that the built-in
 * `workspace` server answers through the offline router. Needs no key, no model, no network beyond the install.
 */
import { binaryPath, projectRoot } from './build.ts';
import { buildProduct, installDependencies } from './steps.ts';

const QUESTION = 'list the files here';

await setUp();
console.log(`\n$ dist/usher --config config.example.yaml --prompt "${QUESTION}"`);
const child = Bun.spawn([binaryPath, '--config', 'config.example.yaml', '--prompt', QUESTION], {
  cwd: projectRoot,
  stdio: ['ignore', 'pipe', 'inherit'],
});
const answer = await child.stdout.text();
const code = await child.exited;
console.log(answer.trimEnd());

if (code !== 0 || answer.trim() === '') {
  console.error(`\nquickstart failed: exit code ${code}, ${answer.length} characters of answer`);
  process.exitCode = code === 0 ? 1 : code;
} else {
  console.log(`
It works. Next:
  dist/usher tools --config config.example.yaml     what is exposed
  dist/usher call workspace list_directory path=src --config config.example.yaml
  dist/usher config example                         every option, commented`);
}

async function setUp(): Promise<void> {
  try {
    await installDependencies();
    await buildProduct();
  } catch (thrown) {
    console.error(thrown instanceof Error ? thrown.message : String(thrown));
    process.exit(1);
  }
}
