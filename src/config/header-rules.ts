/** Headers as written and as expanded: names and values a request can carry, no literal secret. */
import { headerValueProblem, isConnectionHeader, isHeaderName } from '../base/header-fields.ts';
import { hasReference } from './expand.ts';
import { PlainScalar } from './schema/atoms.ts';
import { isSecretName } from './secret-names.ts';

/**
 * What is wrong with a header as written in the file, or `undefined`. `variable` is the name to
 * propose for its value. The text never shows the value.
 */
export function writtenHeaderProblem(
  name: string,
  value: unknown,
  variable: string,
): string | undefined {
  if (!isHeaderName(name)) return 'this is not a header name';
  if (isConnectionHeader(name)) return 'this header is set by usher itself';
  const written = value instanceof PlainScalar ? value.source : value;
  if (typeof written !== 'string' || !isSecretName(name) || hasReference(written)) return undefined;
  // A reference that is spelled wrong is reported where it is expanded.
  if (/(?<!\$)\$\{/.test(written)) return undefined;
  const scheme = /^(Bearer|Basic|Token|ApiKey) /i.exec(written.trim())?.[1];
  const named = /\$([A-Za-z_]\w*)$/.exec(written.trim())?.[1] ?? variable;
  const spelling = `"${scheme === undefined ? '' : `${scheme} `}\${${named}}"`;
  return `a secret never stands in the file; put it into a variable and write ${spelling}`;
}

/** What is wrong with a header's expanded value, or `undefined`. */
export function sentHeaderProblem(name: string, value: string): string | undefined {
  const problem = headerValueProblem(value);
  if (problem !== undefined) return problem;
  if (!isSecretName(name)) return undefined;
  const isEmpty = value === '' || /^(?:bearer|basic|token|apikey)$/i.test(value);
  return isEmpty ? 'the credential is empty' : undefined;
}

/** Names that stand twice when case does not count. */
export function repeatedHeaders(names: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return names.filter((name) => {
    const isRepeated = seen.has(name.toLowerCase());
    seen.add(name.toLowerCase());
    return isRepeated;
  });
}
