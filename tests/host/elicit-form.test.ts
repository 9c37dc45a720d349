import { describe, expect, test } from 'bun:test';
import type { JsonObject } from '../../src/base/json.ts';
import { askForm } from '../../src/host/elicit-form.ts';
import { readForm } from '../../src/mcp/handlers/form.ts';
import { personTyping } from './dialogue.ts';

/** Asks the form; the person types these lines. */
async function fill(
  properties: JsonObject,
  lines: readonly string[],
  more: { required?: readonly string[]; message?: string; server?: string; columns?: number } = {},
) {
  const form = readForm({ type: 'object', properties, required: more.required ?? [] });
  if (typeof form === 'string') throw new Error(form);
  const person = personTyping(lines, more.columns === undefined ? {} : { columns: more.columns });
  const { server = 'forge', message = 'Who are you?' } = more;
  const answer = await askForm({ mode: 'form', server, message, form }, person.dialogue);
  return { answer, shown: person.shown(), left: person.left() };
}

const TEXT = { type: 'string' };

test('the whole of a form, as it looks', async () => {
  const { answer, shown } = await fill(
    {
      name: { type: 'string', title: 'Your name', description: 'As on the badge', maxLength: 9 },
      age: { type: 'integer', minimum: 18, default: 30 },
      tea: { type: 'boolean' },
      cup: {
        type: 'string',
        oneOf: [
          { const: 'l', title: 'Large' },
          { const: 's', title: 's' },
        ],
      },
      extras: { type: 'array', items: { enum: ['milk', 'sugar'] }, maxItems: 2 },
    },
    ['Ada', '', 'y', 'Large', '2, milk', 'y'],
    { required: ['name'] },
  );
  expect(answer).toEqual({
    action: 'accept',
    content: { name: 'Ada', age: 30, tea: true, cup: 'l', extras: ['sugar', 'milk'] },
  });
  expect(shown).toBe(
    `
*forge* asks you for input:
  | Who are you?
Enter takes what stands in [brackets], - leaves a field out,
/decline refuses, /cancel (or Ctrl-C) stops.
1/5 *Your name* (name: text, at most 9 characters,
  required)
  | As on the badge
  > Ada
2/5 *age* (whole number at least 18, optional)
  [30] > 
3/5 *tea* (yes or no, optional)
  > y
4/5 *cup* (one of these, optional)
    1. Large (l)
    2. s
  > Large
5/5 *extras* (any of these, at most 2, optional)
    1. milk
    2. sugar
    numbers or values, separated by commas
  > 2, milk
This goes to forge:
  | name: Ada
  | age: 30
  | tea: yes
  | cup: l
  | extras: sugar, milk
  y yes, e edit, d decline, c cancel
Send? [y/e/d/c] y`,
  );
});

describe('a field', () => {
  test.each<[string, JsonObject, readonly string[], unknown]>([
    ['text is trimmed', TEXT, [' x '], 'x'],
    ['"" is the empty text', TEXT, ['""'], ''],
    ['a number in any spelling', { type: 'number' }, ['-1.5e3'], -1500],
    ['no and its short forms', { type: 'boolean' }, ['N'], false],
    ['a choice by number', { enum: ['x', 'y'] }, ['2'], 'y'],
    ['a choice by value before its number', { enum: ['2', '1'] }, ['2'], '2'],
    ['a choice in any case', { enum: ['Xa', 'y'] }, ['xA'], 'Xa'],
    ['several, each once', { type: 'array', items: { enum: ['x', 'y'] } }, ['x,1, y,'], ['x', 'y']],
    ['Enter takes the default', { ...TEXT, default: 'd' }, [''], 'd'],
    ['- leaves it out', { ...TEXT, default: 'd' }, ['-'], undefined],
    ['Enter leaves out what has no default', TEXT, [''], undefined],
  ])('%s', async (_name, property, lines, expected) => {
    const { answer } = await fill({ a: property }, [...lines, 'y']);
    const content = expected === undefined ? {} : { a: expected };
    expect<unknown>(answer).toEqual({ action: 'accept', content });
  });

  test.each<[JsonObject, string, string]>([
    [{ type: 'integer' }, '1.5', 'expected a whole number'],
    [{ type: 'number' }, '0x10', 'expected a number, such as 3.14'],
    [{ type: 'number' }, 'Infinity', 'expected a number, such as 3.14'],
    [{ type: 'boolean' }, 'maybe', 'expected yes or no'],
    [{ enum: ['x'] }, '2', 'expected a number from 1 to 1, or a value'],
    [{ type: 'array', items: { enum: ['x'] } }, 'x, q', '"q" is none of the choices'],
    [{ ...TEXT, format: 'email' }, 'ada', 'expected an e-mail address'],
    [{ type: 'integer', maximum: 5 }, '6', 'expected at most 5'],
  ])('%j asks again after %s', async (property, wrong, reason) => {
    const { answer, shown } = await fill({ a: property }, [wrong, '-', 'y']);
    expect(answer).toEqual({ action: 'accept', content: {} });
    expect(shown).toContain(`  > ${wrong}\n  ${reason}\n  > -\n`);
  });

  test('a required one is neither skipped nor left out', async () => {
    const { answer, shown } = await fill({ a: TEXT }, ['', '-', 'x', 'y'], { required: ['a'] });
    expect(answer).toEqual({ action: 'accept', content: { a: 'x' } });
    expect(shown.split('\n').filter((line) => line === '  it is required')).toHaveLength(2);
  });
});

test('a field may be called like what every object has', async () => {
  const properties: JsonObject = JSON.parse(
    '{"constructor": {"type": "string"}, "__proto__": {"type": "string"}}',
  );
  const { answer } = await fill(properties, ['', 'x', 'y']);
  expect(JSON.stringify(answer)).toBe('{"action":"accept","content":{"__proto__":"x"}}');
});

describe('at any time', () => {
  test.each<[string, readonly string[], string]>([
    ['/decline at a field', ['x', '/decline'], 'decline'],
    ['/cancel at a field', ['/cancel'], 'cancel'],
    ['Ctrl-C at a field', [], 'cancel'],
    ['d at the end', ['x', 'y', 'd'], 'decline'],
    ['c at the end', ['x', 'y', 'c'], 'cancel'],
    ['Ctrl-C at the end', ['x', 'y'], 'cancel'],
    ['nonsense at the end is no yes', ['x', 'y', 'sure', 'd'], 'decline'],
  ])('%s', async (_name, lines, action) => {
    const { answer } = await fill({ a: TEXT, b: TEXT }, lines);
    expect<unknown>(answer).toEqual({ action });
  });

  test('e goes through the fields again with what was typed at hand', async () => {
    const { answer, shown } = await fill({ a: TEXT, b: TEXT }, ['x', '', 'e', '', 'z', 'y']);
    expect(answer).toEqual({ action: 'accept', content: { a: 'x', b: 'z' } });
    expect(shown).toContain('  [x] > \n');
  });
});

test('a form without fields needs a yes alone', async () => {
  const { answer, shown } = await fill({}, ['e', 'y']);
  expect(answer).toEqual({ action: 'accept', content: {} });
  expect(shown).toContain('Your yes goes to forge.\n  y yes, d decline, c cancel\n');
});

describe('text of the server', () => {
  test('is escaped, bounded and never at the start of a line', async () => {
    const message = `\u001b[2J\nSend? [y/e/d/c] y\n\n\n\n${'x'.repeat(2000)}`;
    const { shown } = await fill({ a: TEXT }, [], { message, server: 'f\nAllow?' });
    expect(shown).not.toContain('\u001b');
    expect(shown.split('\n').filter((line) => /^(Send|Allow)/.test(line))).toEqual([]);
    expect(shown).toContain(
      '*f Allow?* asks you for input:\n  | \\u{1b}[2J\n  | Send? [y/e/d/c] y\n  |\n  | x',
    );
    expect(shown.match(/x+/g)?.join('').length).toBeLessThan(1000);
  });

  test('fits a narrow terminal', async () => {
    const { shown } = await fill(
      { a: { type: 'string', description: 'a word and another word and a third' } },
      ['/cancel'],
      { columns: 24 },
    );
    expect(shown.split('\n').filter((line) => line.length > 24)).toEqual([]);
  });
});

describe('a secret', () => {
  test.each([
    { password: TEXT },
    { apiKey: TEXT },
    { a: { ...TEXT, title: 'Access token' } },
    { a: { ...TEXT, description: 'Enter your password' } },
  ])('%j is warned of', async (properties) => {
    expect((await fill(properties, [])).shown).toContain('looks like a secret');
  });

  test.each([
    { name: TEXT },
    { maxLength: TEXT },
    { a: { ...TEXT, description: 'A number (not your pin or password)' } },
    { shipping: TEXT },
  ])('%j is none', async (properties) => {
    expect((await fill(properties, [])).shown).not.toContain('looks like a secret');
  });
});
