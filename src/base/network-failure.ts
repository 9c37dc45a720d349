/** Why no answer came from the network, in plain words, with what helps. Knows neither MCP nor models. */
import type { ProxyWay } from './proxy.ts';

/** What `fetch` rejected with on a way that leads through a proxy; `code` as there. */
export class ProxiedError extends Error {
  readonly code: string;
  readonly proxy: ProxyWay;
  readonly host: string;

  constructor(proxy: ProxyWay, host: string, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = 'ProxiedError';
    this.code = failureCode(cause);
    this.proxy = proxy;
    this.host = host;
  }
}

export interface NetworkFailure {
  /** As the runtime names it; empty when it does not. */
  readonly code: string;
  /** `undefined`: nothing better to say than the runtime's message. */
  readonly words: string | undefined;
  readonly remedy: string | undefined;
  /** True when no byte of the request was read by anybody. */
  readonly isUnsent: boolean;
  /** True when the same request may succeed later. */
  readonly isPassing: boolean;
  readonly isCertificate: boolean;
}

/** Reads a failure of `fetch`; anything else gives an empty code. */
export function describeNetworkFailure(thrown: unknown): NetworkFailure {
  const code = failureCode(thrown);
  const certificate = CERTIFICATES[code];
  const isCertificate = certificate !== undefined || /CERT|SELF_SIGNED|ISSUER|^ERR_TLS/.test(code);
  const [words, remedy] = isCertificate
    ? [`${certificate?.[0] ?? 'its certificate is not accepted'} (${code})`, certificate?.[1]]
    : [UNSENT[code], undefined];
  const through = thrown instanceof ProxiedError ? thrown : undefined;
  return {
    code,
    words: throughWords(words, through),
    remedy: remedy ?? (through === undefined ? undefined : bypass(through)),
    isUnsent: words !== undefined,
    isPassing: PASSING.has(code),
    isCertificate,
  };
}

/** How a host is reached without its proxy. */
function bypass({ proxy, host }: ProxiedError): string {
  return proxy.source === 'proxy:'
    ? 'proxy: none in its entry goes past the proxy'
    : `NO_PROXY=${host} goes past the proxy`;
}

function throughWords(words: string | undefined, through: ProxiedError | undefined) {
  if (through === undefined) return words;
  const said = words === undefined || words === TUNNEL ? through.message : words;
  const { shown, source } = through.proxy;
  return `${said} (through the proxy ${shown} of ${source})`;
}

const TUNNEL = 'the proxy refused';
/** Failures before a connection stood. */
const UNSENT: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'host name cannot be resolved',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  EPROTO: 'the TLS handshake failed; does the server speak TLS on this port?',
  FailedToOpenSocket: 'no connection could be opened',
  ERR_PROXY_TUNNEL: TUNNEL,
};

const TRUST = 'tls: { ca: FILE } names the certificate of its issuer, in PEM form';
/** A certificate that was not accepted, and what helps. @see OpenSSL X509_V_ERR codes */
const CERTIFICATES: Readonly<Record<string, readonly [words: string, remedy: string]>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: [
    'its certificate is self-signed',
    'tls: { ca: FILE } names that certificate as one to trust, in PEM form',
  ],
  SELF_SIGNED_CERT_IN_CHAIN: ['its certificate is from an issuer not known here', TRUST],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ['its certificate is from an issuer not known here', TRUST],
  UNABLE_TO_GET_ISSUER_CERT: ['its certificate is from an issuer not known here', TRUST],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ['its certificate is from an issuer not known here', TRUST],
  CERT_HAS_EXPIRED: [
    'its certificate has expired',
    'its operator has to renew it; a wrong clock on this machine looks the same',
  ],
  CERT_NOT_YET_VALID: ['its certificate is not valid yet', 'check the clock of this machine'],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    'its certificate is for another host',
    'write the host that the certificate names into the URL',
  ],
};

/** Worth another attempt. A name or a certificate does not get better, nor does a header that cannot be sent. */
const PASSING = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

function failureCode(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
}
