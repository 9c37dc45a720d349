/** The seed of all property tests in this process, printed once: `USHER_TEST_SEED=N` repeats a run. */

// biome-ignore lint/style/noProcessEnv: tests have no base/env.ts of their own.
const given = Number(process.env['USHER_TEST_SEED']);

/** A 31-bit whole number. */
export const TEST_SEED = Number.isInteger(given) && given > 0 ? given : Date.now() % 2 ** 31;

process.stderr.write(`property tests: USHER_TEST_SEED=${TEST_SEED}\n`);
