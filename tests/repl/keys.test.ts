import { describe, expect, test } from 'bun:test';
import { createKeyDecoder, type Key } from '../../src/repl/keys.ts';

function decode(...chunks: readonly string[]): readonly Key[] {
  const decoder = createKeyDecoder();
  return chunks.flatMap((chunk) => decoder.feed(chunk));
}

const MIXED = 'aé\x1b[D\x1b[200~x\r\ny\x1b[201~日\x1b[3~\x03\x1bOHb\x1b[1;5C\r';

describe('createKeyDecoder', () => {
  test('knows text, controls, sequences and pastes in one stream', () => {
    expect(decode(MIXED)).toEqual([
      { kind: 'text', text: 'aé' },
      { kind: 'name', name: 'left' },
      { kind: 'paste', text: 'x\ny' },
      { kind: 'text', text: '日' },
      { kind: 'name', name: 'delete' },
      { kind: 'name', name: 'interrupt' },
      { kind: 'name', name: 'home' },
      { kind: 'text', text: 'b' },
      { kind: 'name', name: 'word_right' },
      { kind: 'name', name: 'enter' },
    ]);
  });

  test('gives the same keys however the text is cut in two', () => {
    const whole = joinText(decode(MIXED));
    for (let at = 0; at <= MIXED.length; at += 1) {
      expect(joinText(decode(MIXED.slice(0, at), MIXED.slice(at)))).toEqual(whole);
    }
  });

  test('gives the same keys one unit at a time', () => {
    expect(joinText(decode(...MIXED.split('')))).toEqual(joinText(decode(MIXED)));
  });

  test('keeps line ends of a paste and drops its control characters', () => {
    expect(decode('\x1b[200~one\rtwo\x1b[31m\x00\x03\tthree\x1b[201~')).toEqual([
      { kind: 'paste', text: 'one\ntwo[31m\tthree' },
    ]);
  });

  test('drops unknown sequences whole', () => {
    expect(decode('\x1b[24;5~\x1b[?1;2c\x1bOPx')).toEqual([{ kind: 'text', text: 'x' }]);
  });

  test('forgets a paste beyond its bound but finds its end', () => {
    const [paste, next] = decode(`\x1b[200~${'x'.repeat(3 * 1024 * 1024)}`, '\x1b[201~y');
    expect(paste).toEqual({ kind: 'paste', text: 'x'.repeat(1024 * 1024) });
    expect(next).toEqual({ kind: 'text', text: 'y' });
  });

  test('takes Alt-Enter as a line end and a lone Escape as nothing', () => {
    expect(decode('\x1b\r', '\x1b', '\x1b[A')).toEqual([
      { kind: 'name', name: 'newline' },
      { kind: 'name', name: 'up' },
    ]);
  });
});

/** Neighbouring text keys as one, since a cut may split them. */
function joinText(keys: readonly Key[]): readonly Key[] {
  const joined: Key[] = [];
  for (const key of keys) {
    const last = joined.at(-1);
    if (key.kind === 'text' && last?.kind === 'text') {
      joined[joined.length - 1] = { kind: 'text', text: last.text + key.text };
    } else joined.push(key);
  }
  return joined;
}
