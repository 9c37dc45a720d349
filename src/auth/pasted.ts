/**
 * Reads what a person pastes at the end of a sign-in: the address that the browser ended at, a part of it, or the
 * bare code, with all that terminals, mails and chats add. Pure; what is pasted is secret.
 */
import { registerSecret } from '../base/redact.ts';

export type Answer =
  /** The parameters of an address; its host does not count. */
  | { readonly kind: 'answer'; readonly params: URLSearchParams }
  | { readonly kind: 'code'; readonly code: string };

/** `unusable`: nothing to go on with; `why` is for the person. */
export type Pasted = Answer | { readonly kind: 'unusable'; readonly why: string };

const MAX_CHARACTERS = 16 * 1024;
const QUOTES = /^["'`<([{\u201c\u2018\u00ab]+|["'`>)\]}\u201d\u2019\u00bb]+$/g;
/** Bracketed paste and colours. */
const ESCAPES = /\u001b\[[\d;?]*[ -/]*[@-~]/g;
/** Line ends of narrow terminals, and characters that nobody sees. */
const GAPS = /[\s\u0000-\u001f\u007f\u200b-\u200f\u2028-\u202e\u2060\ufeff]+/g;

export function readPasted(text: string): Pasted {
  if (text.length > MAX_CHARACTERS) return unusable('that is too long for an address or a code');
  const cleaned = text.replace(ESCAPES, '').replace(GAPS, '').replace(QUOTES, '');
  if (cleaned === '') return unusable('nothing was pasted');
  const query = queryOf(cleaned);
  if (query === undefined) return readCode(cleaned);
  const params = new URLSearchParams(query);
  const code = params.get('code');
  if (code !== null) registerSecret(code);
  if (code !== null || params.has('error')) return { kind: 'answer', params };
  return params.has('code_challenge')
    ? unusable('that is the address to open; paste the one that the browser ends at')
    : unusable('that address holds no code; paste the one that the browser ends at');
}

/** Also without scheme and host, as some browsers copy it; `undefined`: no address at all. */
function queryOf(text: string): string | undefined {
  const isAddress = /^[a-z][a-z\d+.-]*:\/\//i.test(text);
  const isQuery = /(^|[?&])(code|error|state)=/.test(text);
  if (!isAddress && !isQuery) return undefined;
  const [address = ''] = text.replaceAll('&amp;', '&').split('#');
  const at = address.indexOf('?');
  if (at === -1) return isAddress ? '' : address;
  return address.slice(at + 1);
}

function readCode(text: string): Pasted {
  const code = isEncoded(text) ? decodeURIComponent(text) : text;
  // RFC 6749 A.11: visible ASCII characters and the space.
  if (!/^[\x21-\x7e]+$/.test(code)) return unusable('that is neither an address nor a code');
  registerSecret(code);
  return { kind: 'code', code };
}

/** As it stands in the address line: every `%` begins a pair of digits that decodes. */
function isEncoded(text: string): boolean {
  return text.includes('%') && /^(?:[^%]|%[2-7][\da-f])*$/i.test(text);
}

function unusable(why: string): Pasted {
  return { kind: 'unusable', why };
}
