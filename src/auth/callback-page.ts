/** The page that a browser shows at the end of a sign-in: one plain text, no script, nothing foreign in it. */
import { scrubSecrets } from '../base/redact.ts';
import { escapeForTerminal, shorten } from '../base/text.ts';

/** `unknown`: nobody told in time how it ended. `stray`: the request was no answer to a sign-in. */
export type PageKind = 'signed in' | 'refused' | 'unknown' | 'stray';

const MAX_TEXT_CHARACTERS = 600;

const TITLES: Readonly<Record<PageKind, string>> = {
  'signed in': 'Signed in',
  refused: 'Not signed in',
  unknown: 'Go back to the terminal',
  stray: 'Nothing to do here',
};

const NEXT: Readonly<Record<PageKind, string>> = {
  'signed in': 'You can close this window.',
  refused: 'The terminal says what to do next.',
  unknown: '',
  stray: '',
};

const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  Connection: 'close',
};

const STYLE = `:root { color-scheme: light dark }
body { max-width: 36rem; margin: 15vh auto 0; padding: 0 1.5rem; font: 1.0625rem/1.5 system-ui, sans-serif }
h1 { font-size: 1.5rem; font-weight: 600 }
p { overflow-wrap: anywhere }`;

/** `text` is shown as plain text, scrubbed and cut at 600 characters. */
export function pageResponse(kind: PageKind, text: string, status: number): Response {
  return new Response(page(TITLES[kind], [text, NEXT[kind]]), { status, headers: HEADERS });
}

/** For what gets no page: HEAD, other methods, foreign hosts. */
export function bareResponse(
  status: number,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(null, { status, headers: { ...HEADERS, ...headers } });
}

function page(title: string, texts: readonly string[]): string {
  const shown = texts
    .filter((text) => text !== '')
    .map(paragraph)
    .join('');
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title} - usher</title>
<style>${STYLE}</style></head>
<body><h1>${title}</h1>${shown}</body>
</html>
`;
}

function paragraph(text: string): string {
  const shown = shorten(escapeForTerminal(scrubSecrets(text)), MAX_TEXT_CHARACTERS);
  return `<p>${escapeHtml(shown)}</p>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
