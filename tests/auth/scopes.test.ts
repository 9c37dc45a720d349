import { describe, expect, test } from 'bun:test';
import { lacksScope, type ScopeWish, scopeToAsk } from '../../src/auth/scopes.ts';
import type { Challenge, StoredLogin } from '../../src/auth/types.ts';

const metadata = { issuer: 'https://id.example', token_endpoint: 'https://id.example/token' };

interface Facts {
  readonly configured?: string;
  readonly challenged?: string;
  readonly isStepUp?: boolean;
  readonly listed?: readonly string[];
  readonly supported?: readonly string[];
  readonly granted?: string;
  readonly extra?: string;
}

function wishOf(facts: Facts): ScopeWish {
  const { configured, challenged, isStepUp, listed, supported, granted, extra } = facts;
  const challenge: Challenge = {
    scheme: 'bearer',
    error: isStepUp === true ? 'insufficient_scope' : undefined,
    description: undefined,
    scope: challenged,
    resourceMetadata: undefined,
  };
  const kept: StoredLogin = {
    key: 'k',
    metadata,
    client: { clientId: 'c', method: 'none', kind: 'dcr' },
    tokens: {
      accessToken: 't',
      type: 'bearer',
      ...(granted === undefined ? {} : { scope: granted }),
    },
    savedAt: 0,
  };
  return {
    settings: configured === undefined ? {} : { scope: configured },
    discovery: {
      resource: undefined,
      resourceScopes: listed,
      metadata: {
        ...metadata,
        ...(supported === undefined ? {} : { scopes_supported: supported }),
      },
      isLegacy: false,
    },
    challenge,
    kept: granted === undefined ? undefined : kept,
    extra,
  };
}

describe('what is asked for', () => {
  test.each<[name: string, facts: Facts, asked: string | undefined]>([
    ['nothing where nobody says anything', {}, undefined],
    ['what the challenge names', { challenged: 'a b', listed: ['c'] }, 'a b'],
    ['else what the resource lists', { listed: ['c', 'd'], supported: ['x'] }, 'c d'],
    ['never all that the authorization server knows', { supported: ['x', 'y'] }, undefined],
    ['the configured scopes alone', { configured: 'r', challenged: 'a', listed: ['c'] }, 'r'],
    ['what the person adds', { challenged: 'a', extra: 'b a' }, 'a b'],
    ['what was granted before as well', { challenged: 'b', granted: 'a' }, 'a b'],
    [
      'not what was granted before the setting was narrowed',
      { configured: 'r', granted: 'r w' },
      'r',
    ],
    [
      'for a step-up the granted, the configured and the missing ones',
      { configured: 'r', challenged: 'w', isStepUp: true, granted: 'r x' },
      'r x w',
    ],
    [
      'offline_access where it is listed',
      { challenged: 'a', supported: ['offline_access'] },
      'a offline_access',
    ],
    ['not where it is not', { challenged: 'a offline_access', supported: ['a'] }, 'a'],
    ['nor alone', { supported: ['offline_access'] }, undefined],
    ['nor beside the configured ones', { configured: 'r', supported: ['offline_access'] }, 'r'],
  ])('%s', (_name, facts, asked) => {
    expect(scopeToAsk(wishOf(facts))).toBe(asked);
  });
});

test.each<[wanted: string | undefined, had: (string | undefined)[], lacks: boolean]>([
  [undefined, [], false],
  ['a', [], true],
  ['a b', ['a', 'b'], false],
  ['a b', ['a', undefined], true],
])('of %j with %j something is missing: %p', (wanted, had, lacks) => {
  expect(lacksScope(wanted, ...had)).toBe(lacks);
});
