import { describe, expect, test } from 'bun:test';
import { askUrl, urlWarnings } from '../../src/host/elicit-url.ts';
import { personTyping } from './dialogue.ts';

async function open(address: string, lines: readonly string[], canOpen = true) {
  const opened: string[] = [];
  const person = personTyping(lines);
  const url = new URL(address);
  const answer = await askUrl(
    { mode: 'url', server: 'forge', message: 'Sign in', url, id: undefined },
    person.dialogue,
    async (href) => {
      opened.push(href);
      return canOpen;
    },
  );
  return { action: answer.action, opened, shown: person.shown() };
}

test('an address, as it looks', async () => {
  const { action, opened, shown } = await open('https://a.example/sign?in=1#x', ['y']);
  expect([action, opened]).toEqual(['accept', ['https://a.example/sign?in=1#x']]);
  expect(shown).toBe(`
*forge* asks you to open an address:
  | Sign in
https://a.example/sign?in=1#x
  host: *a.example*
  y open it, m I open it myself, d decline, c cancel
Open? [y/m/d/c] y`);
});

describe('only a yes opens it', () => {
  test.each<[string, readonly string[], string, number]>([
    ['y', ['y'], 'accept', 1],
    ['yes, after nonsense', ['', 'sure', 'YES'], 'accept', 1],
    ['m', ['m'], 'accept', 0],
    ['d', ['d'], 'decline', 0],
    ['/cancel', ['/cancel'], 'cancel', 0],
    ['Ctrl-C', [], 'cancel', 0],
  ])('%s', async (_name, lines, action, times) => {
    const result = await open('https://a.example/', lines);
    expect<unknown>([result.action, result.opened.length]).toEqual([action, times]);
  });
});

test('where no browser starts, the person is told', async () => {
  const { action, shown } = await open('https://a.example/', ['y'], false);
  expect(action).toBe('accept');
  expect(shown).toEndWith('No browser could be started here: open the address yourself.');
});

test('a long address is shown whole, on one line', async () => {
  const address = `https://a.example/${'x'.repeat(3000)}`;
  expect((await open(address, [])).shown.split('\n')).toContain(address);
});

test.each<[string, readonly string[]]>([
  ['https://a.example/', []],
  ['http://127.0.0.1:8080/', []],
  ['http://a.example/', ['http is not encrypted.']],
  [
    'https://аpple.example/',
    [
      'this host name (аpple.example) is written with letters that can look like other letters; it may imitate a site you know.',
    ],
  ],
])('%s is warned of: %j', (address, warnings) => {
  expect(urlWarnings(new URL(address))).toEqual(warnings);
});
