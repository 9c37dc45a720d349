/** What a header of a request may look like, and which are not for others to set. Source: RFC 9110 5. */

export function isHeaderName(name: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name);
}

/** True for headers that belong to the connection or the protocol, in any case. */
export function isConnectionHeader(name: string): boolean {
  return CONNECTION_HEADERS.has(name.toLowerCase());
}

/** What keeps a value from being sent, or `undefined`. Never shows it. */
export function headerValueProblem(value: string): string | undefined {
  if (/[\u0000-\u0008\u000a-\u001f\u007f]/.test(value))
    return 'the value has a line break or control character in it';
  return /[^\u0000-\u00ff]/.test(value)
    ? 'the value has a character that a header cannot carry'
    : undefined;
}

const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'upgrade',
  'mcp-session-id',
  'mcp-protocol-version',
  'sec-websocket-accept',
  'sec-websocket-extensions',
  'sec-websocket-key',
  'sec-websocket-protocol',
  'sec-websocket-version',
]);
