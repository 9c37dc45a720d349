/**
 * Which URLs a configuration may name: https, plain http only where nobody else listens, nothing
 * secret in the text. Names are not resolved here; the transport checks the addresses again.
 */
import { hostKind } from '../base/address.ts';
import { maskText } from './mask.ts';
import { isSecretName } from './secret-names.ts';

/**
 * What is wrong with an expanded URL, or `undefined`. `transport`: of a server; without it only http and
 * https will do. The text never shows userinfo, query values or a fragment.
 */
export function urlProblem(
  text: string,
  allowPrivate: boolean,
  transport?: 'http' | 'sse' | 'ws',
): string | undefined {
  const shown = JSON.stringify(cut(maskText(text.slice(0, 200))));
  const isSocket = transport === 'ws';
  const example = isSocket ? 'wss://host/mcp' : 'https://host/mcp';
  if (!isSocket && transport !== undefined && /^wss?:/i.test(text)) {
    return `${shown} is a WebSocket address; it goes with transport: ws`;
  }
  if (/[\s\u0000-\u001f\u007f]/.test(text)) return 'expected a URL without white space';
  const scheme = isSocket ? /^wss?:\/\/[^/]/i : /^https?:\/\/[^/]/i;
  if (!URL.canParse(text) || !scheme.test(text)) {
    return `expected a URL such as ${example}, got ${shown}`;
  }
  const url = new URL(text);
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
  const plain = url.protocol.slice(0, -1);
  if (plain === 'https' || plain === 'wss') return undefined;
  const safe = `${plain}s`;
  if (kind === 'public') return `plain ${plain} to a public address is refused; write ${safe}`;
  if (allowPrivate) return undefined;
  return `plain ${plain} is only for this machine; write ${safe}, or allowPrivate: true for a private network`;
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
