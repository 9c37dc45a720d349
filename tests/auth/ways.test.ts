/** Which client a sign-in uses: the one of before, where it still fits. */
import { describe, expect, test } from 'bun:test';
import type { RegisteredClient } from '../../src/auth/types.ts';
import { clientFor, type SignInJob } from '../../src/auth/ways.ts';
import { contextFor, NOW, startTokenServer } from './token-server.ts';

const CALLBACK = 'http://127.0.0.1:4711/callback';
const KNOWN: RegisteredClient = {
  clientId: 'known',
  method: 'none',
  kind: 'dcr',
  redirectUri: CALLBACK,
};

/** The id of the client for `scope`, when `known` is kept from before. */
async function idFor(known: Partial<RegisteredClient>, scope: string | undefined) {
  await using server = startTokenServer(() =>
    Response.json({ client_id: 'fresh' }, { status: 201 }),
  );
  const { subject, metadata, ports, signal } = contextFor(server.url, {});
  const at = { ...metadata, registration_endpoint: `${server.url}/register` };
  const discovery = { resource: undefined, resourceScopes: undefined, isLegacy: false };
  const job: SignInJob = {
    subject,
    ports,
    discovery: { ...discovery, metadata: at },
    scope,
    kept: {
      key: subject.key,
      metadata: at,
      client: { ...KNOWN, ...known },
      tokens: { accessToken: 'canary-ways-token', type: 'bearer' },
      savedAt: NOW,
    },
    bindsTokens: false,
    signal,
  };
  return (await clientFor(job, CALLBACK)).clientId;
}

describe('the client of before serves', () => {
  test.each([
    ['for what it was registered for', { scope: 'a b' }, 'b', 'known'],
    ['where nothing was said of scopes', {}, 'a b', 'known'],
    ['where none is asked for', { scope: 'a' }, undefined, 'known'],
    ['not for more', { scope: 'a' }, 'a b', 'fresh'],
    ['not for another callback', { redirectUri: 'http://127.0.0.1:1/c' }, undefined, 'fresh'],
    ['not when its secret has ended', { secretExpiresAt: NOW }, undefined, 'fresh'],
  ])('%s', async (_name, known, scope, id) => {
    expect(await idFor(known, scope)).toBe(id);
  });
});
