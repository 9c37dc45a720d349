import { describe, expect, test } from 'bun:test';
import { UsageError } from '../../src/base/errors.ts';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import { createBuiltin } from '../../src/host/builtin.ts';
import { ServerOffers } from '../../src/host/server-offers.ts';
import { createManualClock } from '../mcp/manual-clock.ts';
import { serverOf } from './server-config.ts';

const never = new AbortController().signal;
const MINUTE_MS = 60_000;

/** A server with these capabilities whose answers come when the test says so. */
function offersOf(capabilities: JsonObject) {
  const base = createBuiltin(serverOf('docs', { builtin: 'workspace' }), '/tmp');
  const asked: { readonly method: string; readonly answer: PromiseWithResolvers<JsonValue> }[] = [];
  const clock = createManualClock();
  const connection = {
    ...base,
    status: () => ({ ...base.status(), capabilities }),
    request(method: string) {
      const answer = Promise.withResolvers<JsonValue>();
      asked.push({ method, answer });
      return answer.promise;
    },
  };
  const offers = new ServerOffers(connection, clock);
  /** Asks for the prompts and answers with one of this name, where the server is asked at all. */
  const names = async (name: string) => {
    const before = asked.length;
    const reading = offers.prompts(never);
    if (asked.length > before) asked.at(-1)?.answer.resolve({ prompts: [{ name }] });
    return (await reading).items.map((item) => item.name);
  };
  return { offers, asked, clock, names };
}

describe('the list of a server', () => {
  test('is read at first use and kept for a minute where changes are not announced', async () => {
    const { names, clock, asked } = offersOf({ prompts: {} });
    expect(asked).toEqual([]);
    expect([await names('a'), await names('b')]).toEqual([['a'], ['a']]);
    await clock.advance(MINUTE_MS);
    expect(await names('c')).toEqual(['c']);
  });

  test('is kept longer where changes are announced, until one is', async () => {
    const { names, clock, offers } = offersOf({ prompts: { listChanged: true } });
    await names('a');
    await clock.advance(9 * MINUTE_MS);
    expect(await names('b')).toEqual(['a']);
    offers.forget('resources');
    expect(await names('b')).toEqual(['a']);
    offers.forget('prompts');
    expect(await names('b')).toEqual(['b']);
    await clock.advance(10 * MINUTE_MS);
    expect(await names('c')).toEqual(['c']);
  });

  test('is not kept when it changed while it was read, nor when it failed', async () => {
    const { names, offers, asked } = offersOf({ prompts: { listChanged: true } });
    const reading = offers.prompts(never);
    offers.forget('prompts');
    asked[0]?.answer.resolve({ prompts: [{ name: 'old' }] });
    expect((await reading).items.map(({ name }) => name)).toEqual(['old']);
    const failing = offers.prompts(never);
    asked[1]?.answer.reject(new UsageError('out of order'));
    await expect(failing).rejects.toThrow('out of order');
    expect(await names('new')).toEqual(['new']);
  });

  test('is empty without a request where the server does not offer such things', async () => {
    const { offers, asked } = offersOf({ tools: {} });
    expect([
      (await offers.resources(never)).items,
      (await offers.templates(never)).items,
      (await offers.prompts(never)).items,
      (await offers.skills(never)).skills,
      asked,
    ]).toEqual([[], [], [], [], []]);
  });
});
