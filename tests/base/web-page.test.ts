import { expect, test } from 'bun:test';
import { quoteBody } from '../../src/base/web-page.ts';

const quoted = (body: string, type = 'text/html; charset=utf-8') =>
  quoteBody(new Response(null, { headers: { 'content-type': type } }), body);

test.each([
  ['its title', '<!doctype html><TITLE lang="en">\n Sign\n in </TITLE><h1>x</h1>', 'Sign in'],
  [
    'its heading where it has no title',
    '<p>a</p><h1 class="b">Bad <b>gateway</b></h1>',
    'Bad gateway',
  ],
  ['its heading where the title is empty', '<title> </title><h1>Gone</h1>', 'Gone'],
  ['nothing where it has neither', '<html><script>var a = 1</script><p>hello</p></html>', ''],
  ['no control character of its title', '<title>\u001b[2Ja</title>', '\\u{1b}[2Ja'],
  ['the beginning of a long title', `<title>${'a'.repeat(500)}</title>`, `${'a'.repeat(99)}…`],
])('of a web page is quoted %s', (_name, body, said) => {
  expect(quoted(body)).toBe(said);
});

test('a page that calls itself plain text is a page; anything else is quoted as it is', () => {
  expect(quoted(' <!DOCTYPE html><title>A</title>', 'text/plain')).toBe('A');
  expect(quoted('<p>no\n such path', 'text/plain')).toBe('<p>no such path');
  expect(quoted('{"error":"<title>x</title>"}', 'application/json')).toBe(
    '{"error":"<title>x</title>"}',
  );
});
