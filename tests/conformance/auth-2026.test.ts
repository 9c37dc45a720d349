/** Every scenario of the protocol's conformance suite that needs a login, all at 2026-07-28, on the binary. */
import { expect, test } from 'bun:test';
import { runScenario, scenariosOf } from './suite.ts';

/** A scenario starts several processes, one after the other. */
const LIMIT_MS = 45_000;

test.each([...scenariosOf('2026-07-28', 'auth')])(
  '%s passes and reaches every check of its floor',
  async (scenario) => expect(await runScenario('2026-07-28', scenario)).toEqual([]),
  LIMIT_MS,
);
