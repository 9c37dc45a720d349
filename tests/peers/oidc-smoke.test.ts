/** The peer of oidc.test.ts, driven by another client first. */
import { expect, test } from 'bun:test';
import * as oauth from 'oauth4webapi';
import { agree } from './oidc-browser.ts';
import { type OidcPeer, SCOPES, startOidcPeer } from './oidc-provider.ts';

const HTTP = { [oauth.allowInsecureRequests]: true } as const;

async function start(peer: OidcPeer, redirectUri: string) {
  const issuer = new URL(peer.issuer);
  const as = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { algorithm: 'oidc', ...HTTP }),
  );
  const metadata = {
    redirect_uris: [redirectUri],
    application_type: 'native',
    token_endpoint_auth_method: 'none',
    grant_types: [
      'authorization_code',
      'refresh_token',
      'urn:ietf:params:oauth:grant-type:device_code',
    ],
  };
  const client = await oauth.processDynamicClientRegistrationResponse(
    await oauth.dynamicClientRegistrationRequest(as, metadata, HTTP),
  );
  return { as, client };
}

async function list(peer: OidcPeer, accessToken: string | undefined): Promise<number> {
  const response = await fetch(peer.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${accessToken}`,
    },
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
  });
  return response.status;
}

test('oidc-provider consents, binds to the resource, rotates and revokes', async () => {
  await using peer = await startOidcPeer();
  const answers: URL[] = [];
  await using callback = serve((url) => answers.push(url));
  const { as, client } = await start(peer, callback.url);
  const verifier = oauth.generateRandomCodeVerifier();
  const query = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: callback.url,
    response_type: 'code',
    scope: SCOPES.list,
    resource: peer.url,
    state: 's',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  expect(await agree(`${as.authorization_endpoint}?${query}`)).toBe('thanks');
  const [answer] = answers;
  if (answer === undefined) throw new Error('there was no callback');
  const tokens = await oauth.processAuthorizationCodeResponse(
    as,
    client,
    await oauth.authorizationCodeGrantRequest(
      as,
      client,
      oauth.None(),
      oauth.validateAuthResponse(as, client, answer, 's'),
      callback.url,
      verifier,
      { ...HTTP, additionalParameters: { resource: peer.url } },
    ),
  );
  expect([tokens.scope, await list(peer, tokens.access_token), await list(peer, 'x')]).toEqual([
    SCOPES.list,
    200,
    401,
  ]);
  const refresh = async () =>
    oauth.refreshTokenGrantRequest(as, client, oauth.None(), tokens.refresh_token ?? '', HTTP);
  const fresh = await oauth.processRefreshTokenResponse(as, client, await refresh());
  expect(await list(peer, fresh.access_token)).toBe(200);
  expect([(await refresh()).status, await list(peer, fresh.access_token)]).toEqual([400, 401]);
});

test('oidc-provider gives tokens to a device that its person has looked at', async () => {
  await using peer = await startOidcPeer();
  const { as, client } = await start(peer, 'http://127.0.0.1/callback');
  const device = await oauth.processDeviceAuthorizationResponse(
    as,
    client,
    await oauth.deviceAuthorizationRequest(
      as,
      client,
      oauth.None(),
      { scope: SCOPES.list, resource: peer.url },
      HTTP,
    ),
  );
  const poll = () =>
    oauth.deviceCodeGrantRequest(as, client, oauth.None(), device.device_code, HTTP);
  expect((await poll()).status).toBe(400);
  expect(await agree(device.verification_uri_complete ?? '')).toContain('success');
  const tokens = await oauth.processDeviceCodeResponse(as, client, await poll());
  expect(await list(peer, tokens.access_token)).toBe(200);
});

function serve(onAnswer: (url: URL) => void) {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      onAnswer(new URL(request.url));
      return new Response('thanks');
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/callback`,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}
