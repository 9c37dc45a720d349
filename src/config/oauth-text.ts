/** What the expanded texts of a sign-in may look like. Each gives what is wrong, or `undefined`. */
import { hostKind } from '../base/address.ts';

/** @see RFC 6749 A.1 */
export function clientIdProblem(text: string): string | undefined {
  return /^[\x20-\x7e]+$/.test(text) ? undefined : 'expected an identifier in plain ASCII';
}

/** @see RFC 6749 3.3 */
export function scopeProblem(text: string): string | undefined {
  return /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/.test(text)
    ? undefined
    : 'expected scopes with one blank between them, no quotes';
}

/** Any text that says something on one line. */
export function nameProblem(text: string): string | undefined {
  if (text === '') return 'expected text that is not empty';
  return /[\u0000-\u001f\u007f]/.test(text)
    ? 'a line break or control character is in it'
    : undefined;
}

/** It is sent as it is, and we listen there. @see RFC 8252 7.3 */
export function callbackProblem(text: string): string | undefined {
  const example = 'http://127.0.0.1:8080/callback';
  if (/[\s\u0000-\u001f\u007f]/.test(text)) return 'expected a URL without white space';
  if (!/^http:\/\/[^/]/i.test(text) || !URL.canParse(text)) {
    return `expected an http URL on this machine such as ${example}`;
  }
  const { hostname, username, password } = new URL(text);
  if (hostKind(hostname) !== 'loopback') {
    return `${hostname} is another host; expected this machine, such as ${example}`;
  }
  if (username !== '' || password !== '') return 'user name and password do not belong into it';
  return text.includes('#') ? 'a fragment (#…) never comes back; remove it' : undefined;
}

/** The address of a document is the client's identifier. @see draft-ietf-oauth-client-id-metadata-document 3 */
export function documentProblem(text: string): string | undefined {
  const example = 'https://example.com/client.json';
  if (/[\s\u0000-\u001f\u007f]/.test(text)) return 'expected a URL without white space';
  const path = /^https:\/\/[^/?#]+(\/[^?#]*)?/i.exec(text)?.[1];
  if (!URL.canParse(text) || path === undefined || path === '/') {
    return `expected an https URL with a path, such as ${example}`;
  }
  if (/^[^/]*\/\/[^/?#]*@/.test(text)) return 'user name and password do not belong into it';
  if (text.includes('#')) return 'a fragment (#…) is not allowed; remove it';
  return path.split('/').some((part) => part === '.' || part === '..')
    ? '. and .. are not allowed in its path'
    : undefined;
}

/** @see RFC 8707 2 */
export function resourceProblem(text: string): string | undefined {
  if (!/^[a-z][a-z0-9+.-]*:[^\s]+$/i.test(text) || !URL.canParse(text)) {
    return 'expected an absolute URI such as https://api.example.com';
  }
  return text.includes('#') ? 'a fragment (#…) is not allowed; remove it' : undefined;
}
