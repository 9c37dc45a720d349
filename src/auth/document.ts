/**
 * Metadata documents as a hostile party may write them: one JSON object of bounded depth, whose fields are
 * read by type. A field that is null or empty counts as absent.
 */
import { isDeeperThan } from '../base/depth.ts';
import { ProtocolError } from '../base/errors.ts';
import { mediaType } from '../base/http.ts';
import { isJsonObject, type JsonObject, tryParseJson } from '../base/json.ts';
import { shownUrl } from './metadata-urls.ts';
import type { LoginFetch } from './request.ts';

/** Whose sign-in it is, for texts, and how to ask. */
export interface Asking {
  readonly label: string;
  readonly fetch: LoginFetch;
}

export interface Fields {
  /** Throws ProtocolError for another type or more than 4096 characters. */
  text(name: string): string | undefined;
  /** Throws ProtocolError for another type, or more than 1000 texts. */
  texts(name: string): readonly string[] | undefined;
  flag(name: string): boolean | undefined;
}

const MAX_DEPTH = 64;
const MAX_TEXT = 4096;
const MAX_TEXTS = 1000;
/** Statuses below 500 that say nothing about what is there. */
const PASSING = new Set([408, 425, 429]);

/**
 * The fields of the document at `url`; `undefined` when none is there: refused by a 4xx, a web page, or an
 * object without any of the `marks`. Throws ProtocolError for everything else that is no document.
 */
export async function readDocument(
  { label, fetch }: Asking,
  url: string,
  marks: readonly string[],
): Promise<Fields | undefined> {
  const response = await fetch(url);
  const { status } = response;
  const isPassing = status >= 500 || PASSING.has(status);
  if (!response.ok && !isPassing) return undefined;
  const where = `${label}: ${shownUrl(url)}`;
  if (isPassing) {
    throw new ProtocolError(`${where} answered HTTP ${status}`, {
      retryable: true,
      details: { status },
    });
  }
  const body = await response.text();
  if (mediaType(response) === 'text/html' || /^\s*</.test(body)) return undefined;
  const document = tryParseJson(body);
  if (!isJsonObject(document) || isDeeperThan(document, MAX_DEPTH)) {
    throw new ProtocolError(`${where} answered HTTP ${status}, but no metadata in JSON`, {
      details: { status },
    });
  }
  const hasMark = marks.some((name) => (document[name] ?? '') !== '');
  return hasMark ? fieldsOf(document, where) : undefined;
}

function fieldsOf(document: JsonObject, where: string): Fields {
  const wrong = (name: string, expected: string) =>
    new ProtocolError(`${where}: its ${name} is not ${expected}`, { details: { field: name } });
  const isShort = (value: unknown) => typeof value === 'string' && value.length <= MAX_TEXT;
  return {
    text(name) {
      const value = document[name] ?? '';
      if (value === '') return undefined;
      if (typeof value === 'string' && isShort(value)) return value;
      throw wrong(name, `a text of at most ${MAX_TEXT} characters`);
    },
    texts(name) {
      const value = document[name] ?? undefined;
      if (value === undefined) return undefined;
      if (Array.isArray(value) && value.length <= MAX_TEXTS && value.every(isShort)) return value;
      throw wrong(name, `a list of at most ${MAX_TEXTS} texts`);
    },
    flag(name) {
      const value = document[name] ?? undefined;
      if (value === undefined || typeof value === 'boolean') return value;
      throw wrong(name, 'true or false');
    },
  };
}
