/**
 * What a model is sent for the same task over 527 real tools, by exposure: tokens (o200k_base) of the first
 * request and of all requests together, for 1, 5 and 20 calls. The model is scripted: it searches once per
 * call where it has to, and writes one script where it may.
 *
 *   bun scripts/bench/tokens.ts
 */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { runTask, startRealServers, WAYS } from '../../tests/flow/token-task.ts';

const CALLS = [1, 5, 20];

await using real = await startRealServers();
console.log(`${real.tools.length} tools of ${real.servers.size} servers\n`);
console.log(
  '| exposure | calls | first request | all requests | requests |\n|---|--:|--:|--:|--:|',
);
for (const way of WAYS) {
  for (const calls of CALLS) {
    const { bodies, effects, exit } = await runTask(real, way, calls);
    if (exit !== 0 || effects.length !== calls) {
      throw new Error(`${way}: ${effects.length} of ${calls} calls arrived, exit ${exit}`);
    }
    const tokens = bodies.map((body) => countTokens(JSON.stringify(body)));
    const all = tokens.reduce((sum, one) => sum + one, 0);
    const cells = [way, calls, tokens[0] ?? 0, all, tokens.length];
    console.log(`| ${cells.map((cell) => cell.toLocaleString('en-US')).join(' | ')} |`);
  }
}
