/** What an error quotes of an HTTP body. Of a web page that is its title: the rest is markup that helps nobody. */
import { excerpt, mediaType } from './http.ts';
import { shorten } from './text.ts';

const MAX_TITLE_CHARACTERS = 100;
const PAGE_TYPES: readonly string[] = ['text/html', 'application/xhtml+xml'];

/**
 * The body on one line, at most 500 characters, safe to show; of a web page its title, or without one its first
 * heading, at most 100 characters. Empty where there is nothing to say.
 */
export function quoteBody(response: Response, body: string): string {
  if (!isWebPage(response, body)) return excerpt(body);
  return pageTitle(body);
}

/** The title of a page, or its first heading, at most 100 characters, safe to show; empty where it has neither. */
export function pageTitle(body: string): string {
  const title = textOf(body, /<title\b[^>]*>([\s\S]*?)<\/title/i);
  return shorten(excerpt(title === '' ? textOf(body, HEADING) : title), MAX_TITLE_CHARACTERS);
}

/** By its type, or by its beginning where the type says something else. */
export function isWebPage(response: Response, body: string): boolean {
  return PAGE_TYPES.includes(mediaType(response)) || /^\s*<(?:!doctype html|html)\b/i.test(body);
}

const HEADING = /<h1\b[^>]*>([\s\S]*?)<\/h1/i;

function textOf(body: string, element: RegExp): string {
  const [, content = ''] = element.exec(body) ?? [];
  return content.replace(/<[^>]*>/g, ' ').trim();
}
