/**
 * Which URLs a configuration may name: https, plain http only where nobody else listens, nothing
 * secret in the text. Names are not resolved here; the transport checks the addresses again.
 */
import { hostKind } from '../base/address.ts';
import { maskText } from './mask.ts';
import { isSecretName } from './secret-names.ts';

/** What is wrong with an expanded URL, or `undefined`. The text never shows userinfo, query values or a fragment. */
export function urlProblem(text: string, allowPrivate: boolean): string | undefined {
  const shown = JSON.stringify(cut(maskText(text.slice(0, 200))));
  if (/^wss?:/i.test(text)) return 'transport: ws is not available in this version';
  if (/[\s\u0000-\u001f\u007f]/.test(text)) return 'expected a URL without white space';
  if (!URL.canParse(text)) return `expected a URL such as https://host/mcp, got ${shown}`;
  const url = new URL(text);
  if (!/^https?:\/\/[^/]/i.test(text)) {
    return `expected a URL such as https://host/mcp, got ${shown}`;
  }
  if (/^[^/?#]*\/\/[^/?#]*@/.test(text)) {
    return 'user name and password do not belong into a URL; write headers or auth';
  }
  if (text.includes('#')) return 'a fragment (#…) is never sent; remove it';
  return addressProblem(url, allowPrivate);
}

/** Query parameters of a URL, as written, whose secret-like value is literal. */
export function literalSecretParameters(text: string): readonly string[] {
  const query = /\?([^#]*)/.exec(text)?.[1] ?? '';
  return query.split('&').flatMap((pair) => {
    const [rawName = '', ...rest] = pair.split('=');
    const value = rest.join('=');
    const name = decodeQuietly(rawName);
    return isSecretName(name) && value !== '' && !value.includes('${') ? [name] : [];
  });
}

function addressProblem(url: URL, allowPrivate: boolean): string | undefined {
  const kind = hostKind(url.hostname);
  if (kind === 'loopback') return undefined;
  if (kind === 'private' && !allowPrivate) {
    return `${url.hostname} is a private address; allowPrivate: true permits it`;
  }
  if (url.protocol === 'https:') return undefined;
  if (kind === 'public') return 'plain http to a public address is refused; write https';
  if (allowPrivate) return undefined;
  return 'plain http is only for this machine; write https, or allowPrivate: true for a private network';
}

function cut(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

function decodeQuietly(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}
