/**
 * Reads what a refusing server asks for in `WWW-Authenticate`: any number of challenges, in one field or
 * in many. Text of a hostile party: whatever does not parse is left out, and every character is read once.
 * @see RFC 9110 11.2 to 11.6.1 (grammar)
 */
import type { Challenge } from './types.ts';

/**
 * The challenge to answer: DPoP before Bearer, one that names metadata before one that does not; what it
 * leaves open comes from the others of these schemes. `undefined`: neither scheme is asked for.
 */
export function readChallenge(response: Response): Challenge | undefined {
  const field = response.headers.get('www-authenticate');
  if (field === null) return undefined;
  const ours = parseChallenges(field).flatMap(toChallenge);
  const best =
    ours.find((one) => one.scheme === 'dpop' && one.resourceMetadata !== undefined) ??
    ours.find((one) => one.scheme === 'dpop') ??
    ours.find((one) => one.resourceMetadata !== undefined) ??
    ours[0];
  if (best === undefined) return undefined;
  const failed = best.error === undefined ? ours.find((one) => one.error !== undefined) : best;
  return {
    scheme: best.scheme,
    error: failed?.error,
    description: failed?.description ?? best.description,
    scope: best.scope ?? ours.find((one) => one.scope !== undefined)?.scope,
    resourceMetadata:
      best.resourceMetadata ??
      ours.find((one) => one.resourceMetadata !== undefined)?.resourceMetadata,
  };
}

interface ParsedChallenge {
  /** In lower case. */
  readonly scheme: string;
  /** Names in lower case; the first of a name counts. */
  readonly parameters: ReadonlyMap<string, string>;
}

function toChallenge({ scheme, parameters }: ParsedChallenge): readonly Challenge[] {
  if (scheme !== 'bearer' && scheme !== 'dpop') return [];
  const scope = parameters.get('scope')?.replace(/\s+/g, ' ').trim();
  return [
    {
      scheme,
      error: nonEmpty(parameters.get('error')),
      description: nonEmpty(parameters.get('error_description')),
      scope: nonEmpty(scope),
      resourceMetadata: nonEmpty(parameters.get('resource_metadata')?.trim()),
    },
  ];
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

const SEPARATORS = /[\s,]*/y;
const BLANKS = /[ \t]*/y;
const TOKEN = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/y;
/** Only where a comma or the end follows; a name with a value is a parameter. */
const TOKEN68 = /[A-Za-z0-9\-._~+/]+=*(?=[ \t]*(?:,|$))/y;
const QUOTED = /"((?:[^"\\]|\\.)*)"/sy;
/** Laxer than the grammar: an address without quotes is clear enough. */
const UNQUOTED = /[^\s,"]+/y;
/** To the next separator, over what cannot be read. */
const REST = /[^\s,]*/y;

function parseChallenges(field: string): readonly ParsedChallenge[] {
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const match = pattern.exec(field);
    if (match === null) return undefined;
    at = pattern.lastIndex;
    return match;
  };

  const takeParameters = (): ReadonlyMap<string, string> => {
    const parameters = new Map<string, string>();
    for (;;) {
      const start = at;
      take(SEPARATORS);
      const name = take(TOKEN)?.[0].toLowerCase();
      take(BLANKS);
      if (name === undefined || field[at] !== '=') {
        // No parameter: the next scheme, or what nobody can read.
        at = start;
        return parameters;
      }
      at += 1;
      take(BLANKS);
      const value = take(QUOTED)?.[1]?.replace(/\\(.)/gs, '$1') ?? take(UNQUOTED)?.[0];
      // Nothing after a quote that never ends can be told from its text.
      if (value === undefined && field[at] === '"') at = field.length;
      else if (value !== undefined && !parameters.has(name)) parameters.set(name, value);
    }
  };

  const challenges: ParsedChallenge[] = [];
  for (;;) {
    take(SEPARATORS);
    if (at >= field.length) return challenges;
    const scheme = take(TOKEN)?.[0].toLowerCase();
    if (scheme === undefined) {
      take(REST);
      continue;
    }
    take(BLANKS);
    take(TOKEN68);
    challenges.push({ scheme, parameters: takeParameters() });
  }
}
