/** Properties over random forms and random typing: whatever happens, only what fits is sent. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { isJsonObject, type JsonObject } from '../../src/base/json.ts';
import { askForm } from '../../src/host/elicit-form.ts';
import { quoteLines } from '../../src/host/quote.ts';
import { readForm } from '../../src/mcp/handlers/form.ts';
import { formProblems } from '../../src/mcp/handlers/form-check.ts';
import { TEST_SEED } from '../helpers/seed.ts';
import { personTyping } from './dialogue.ts';

const PARAMETERS = { seed: TEST_SEED, numRuns: 300 };

const bound = fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined });
const choices = fc.uniqueArray(fc.constantFrom('a', 'B', '1', '2', '-', 'yes'), { minLength: 1 });
const preset = fc.constantFrom<unknown>(undefined, 'a', '', 1, 2.5, true, ['a'], null);
const property = fc
  .oneof(
    fc.record({
      type: fc.constant('string'),
      minLength: bound,
      maxLength: bound,
      format: fc.constantFrom(undefined, 'email', 'date', 'uri', 'date-time'),
    }),
    fc.record({ type: fc.constantFrom('number', 'integer'), minimum: bound, maximum: bound }),
    fc.record({ type: fc.constant('boolean') }),
    choices.map((values) => ({ type: 'string', enum: values })),
    fc.tuple(choices, bound, bound).map(([values, minItems, maxItems]) => ({
      type: 'array',
      items: { enum: values },
      minItems,
      maxItems,
    })),
  )
  .chain((schema) => preset.map((value) => ({ ...schema, default: value })));
const names = fc.constantFrom('name', 'age', 'constructor', 'a b', '');
const schema = fc.record({
  properties: fc.dictionary(names, property, { maxKeys: 4 }),
  required: fc.constantFrom(true, false),
});
const typing = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.constantFrom('', '-', '1', '2', 'a', 'y', 'n', 'a, 1', '2.5', '""', 'e'),
    },
    { weight: 1, arbitrary: fc.constantFrom('a@b.c', '2026-07-28', '/decline', '/cancel') },
    { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 6 }) },
  ),
  { maxLength: 24, size: 'max' },
);

test('an accepted form fits its schema, after any typing', async () => {
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(schema, typing, async ({ properties, required }, lines) => {
      // As it comes over the wire.
      const parsed: unknown = JSON.parse(JSON.stringify(properties));
      const sent: JsonObject = isJsonObject(parsed) ? parsed : {};
      const form = readForm({
        properties: sent,
        required: required ? Object.keys(sent).slice(0, 1) : [],
      });
      if (typeof form === 'string') throw new Error(form);
      const person = personTyping([...lines, 'y', 'y', 'y']);
      const answer = await askForm(
        { mode: 'form', server: 's', message: 'm', form },
        person.dialogue,
      );
      if (answer.action !== 'accept') return;
      accepted += 1;
      expect(formProblems(form, answer.content)).toEqual([]);
    }),
    PARAMETERS,
  );
  expect(accepted).toBeGreaterThan(10);
});

test('a quote never stands at the start of a line, is bounded and shows no control character', () => {
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.oneof(
          fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
          fc.constantFrom('\n', '\u001b', ' ', '\r', 'word'),
        ),
        maxLength: 400,
      }),
      fc.integer({ min: 8, max: 80 }),
      (text, columns) => {
        const lines = quoteLines(text, columns, 100);
        for (const line of lines) {
          expect(line).toStartWith('  |');
          expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
        }
        // 100 characters, each at most \u{10ffff}, and the marks of the lines.
        expect(lines.join('').length).toBeLessThan(100 * 10 + lines.length * 4 + 1);
      },
    ),
    PARAMETERS,
  );
});
