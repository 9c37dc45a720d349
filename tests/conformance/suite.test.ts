/** Every scenario of the protocol's conformance suite that needs no login, in both legs, on the binary. */
import { describe, expect, test } from 'bun:test';
import notYet from './not-yet.json';
import { floorOf, LEGS, listScenarios, runScenario, scenariosOf } from './suite.ts';

/** A scenario starts several processes, one after the other. */
const LIMIT_MS = 45_000;

describe.each([...LEGS])('leg %s', (leg) => {
  const waiting: readonly string[] = notYet[leg];

  test('every scenario of the suite has a floor', async () => {
    expect((await listScenarios(leg)).toSorted()).toEqual(Object.keys(floorOf(leg)).toSorted());
  });

  test('what is waited for is a scenario', () => {
    expect(waiting.filter((name) => floorOf(leg)[name] === undefined)).toEqual([]);
  });

  test.each(scenariosOf(leg, 'open').filter((name) => !waiting.includes(name)))(
    '%s passes and reaches every check of its floor',
    async (scenario) => expect(await runScenario(leg, scenario)).toEqual([]),
    LIMIT_MS,
  );

  // One that passes has to leave not-yet.json.
  test.each(waiting.map((name) => [name]))(
    '%s does not pass yet',
    async (scenario) => expect(await runScenario(leg, scenario)).not.toEqual([]),
    LIMIT_MS,
  );
});
