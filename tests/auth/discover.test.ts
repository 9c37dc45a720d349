/** From a refused request to the authorization server: what is asked, in which order, and what is believed. */
import { describe, expect, test } from 'bun:test';
import { discover } from '../../src/auth/discover.ts';
import { addressProblem, coversServer } from '../../src/auth/metadata-urls.ts';
import type { Challenge, OAuthSettings, ServerMetadata } from '../../src/auth/types.ts';
import { routeFetch } from '../../src/base/route.ts';
import { closedPort } from '../helpers/tcp.ts';
import { createManualClock } from '../mcp/manual-clock.ts';
import {
  loginPorts,
  plainFetch,
  refusalOf,
  type Site,
  type SiteReply,
  serverAt,
  startSite,
} from './site.ts';

const never = new AbortController().signal;
const PRM = '/.well-known/oauth-protected-resource';
const RFC8414 = '/.well-known/oauth-authorization-server';
const OIDC = '/.well-known/openid-configuration';

function challenge(resourceMetadata: string): Challenge {
  const none = { error: undefined, description: undefined, scope: undefined };
  return { scheme: 'bearer', ...none, resourceMetadata };
}

function metadataOf(issuer: string, more: object = {}): ServerMetadata {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    ...more,
  };
}

interface Pair extends AsyncDisposable {
  readonly server: Site;
  readonly auth: Site;
}

function startPair(): Pair {
  const [server, auth] = [startSite(), startSite()];
  return {
    server,
    auth,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await auth[Symbol.asyncDispose]();
    },
  };
}

function find(url: string | undefined, named?: string, settings: OAuthSettings = {}) {
  const asked = named === undefined ? undefined : challenge(named);
  return discover(serverAt(url, settings), asked, loginPorts(), never);
}

describe('where metadata is asked for', () => {
  test('for 30 s in all, however many places are slow', async () => {
    await using server = startSite();
    const clock = createManualClock();
    const slow = () => {
      void clock.advance(9_500);
      return new Response('', { status: 404 });
    };
    const issuers = ['a', 'b', 'c'].map((name) => `${server.origin}/${name}`);
    server.serve({
      [PRM]: { body: { resource: server.origin, authorization_servers: issuers } },
      [`${RFC8414}/a`]: slow,
      [`${OIDC}/a`]: slow,
      [`/a${OIDC}`]: slow,
      [`${RFC8414}/b`]: slow,
    });
    const found = discover(serverAt(server.origin), undefined, loginPorts({ clock }), never);
    expect(await refusalOf(found)).toEqual({
      name: 'ConnectError',
      message: 'server "s1": finding out who signs in took longer than 30 s',
      hint: undefined,
    });
    expect(server.asked).toHaveLength(5);
  });

  test('the named address alone, then RFC 8414 at the root of an issuer without a path', async () => {
    await using pair = startPair();
    const { server, auth } = pair;
    const resource = `${server.origin}/mcp`;
    const scopes = ['a', 'b'];
    server.serve({
      '/custom.json': {
        body: { resource, authorization_servers: [auth.origin], scopes_supported: scopes },
      },
    });
    auth.serve({ [RFC8414]: { body: metadataOf(auth.origin) } });
    const found = await find(resource, `${server.origin}/custom.json`);
    expect({ found, asked: server.asked, askedAuth: auth.asked }).toEqual({
      found: {
        resource,
        resourceScopes: scopes,
        metadata: metadataOf(auth.origin),
        isLegacy: false,
      },
      asked: ['GET /custom.json'],
      askedAuth: [`GET ${RFC8414}`],
    });
  });

  test('the path form, then OpenID Connect where RFC 8414 has nothing', async () => {
    await using pair = startPair();
    const { server, auth } = pair;
    const resource = `${server.origin}/mcp`;
    server.serve({ [`${PRM}/mcp`]: { body: { resource, authorization_servers: [auth.origin] } } });
    auth.serve({ [OIDC]: { body: metadataOf(auth.origin) } });
    const found = await find(resource);
    expect({ found, asked: server.asked, askedAuth: auth.asked }).toEqual({
      found: {
        resource,
        resourceScopes: undefined,
        metadata: metadataOf(auth.origin),
        isLegacy: false,
      },
      asked: [`GET ${PRM}/mcp`],
      askedAuth: [`GET ${RFC8414}`, `GET ${OIDC}`],
    });
  });

  test('the root form after the path form; for an issuer with a path never the root', async () => {
    await using pair = startPair();
    const { server, auth } = pair;
    const issuer = `${auth.origin}/tenant1`;
    server.serve({ [PRM]: { body: { resource: server.origin, authorization_servers: [issuer] } } });
    auth.serve({ '/tenant1/.well-known/openid-configuration': { body: metadataOf(issuer) } });
    const found = await find(`${server.origin}/v1/mcp/?x=1`);
    expect({ found, asked: server.asked, askedAuth: auth.asked }).toEqual({
      found: {
        resource: server.origin,
        resourceScopes: undefined,
        metadata: metadataOf(issuer),
        isLegacy: false,
      },
      asked: [`GET ${PRM}/v1/mcp?x=1`, `GET ${PRM}`],
      askedAuth: [
        `GET ${RFC8414}/tenant1`,
        `GET ${OIDC}/tenant1`,
        'GET /tenant1/.well-known/openid-configuration',
      ],
    });
  });

  test('once for a server without a path', async () => {
    await using site = startSite();
    await find(`${site.origin}/`);
    expect(site.asked).toEqual([`GET ${PRM}`, `GET ${RFC8414}`]);
  });

  test('the well-known places where a named one is nowhere, and no old ones then', async () => {
    await using site = startSite();
    const named = `${site.origin}/gone?key=canary`;
    expect({
      refusal: await refusalOf(find(`${site.origin}/mcp`, named)),
      asked: site.asked,
    }).toEqual({
      refusal: {
        name: 'ProtocolError',
        message: `server "s1" names ${site.origin}/gone as its metadata, but none is there`,
        hint: undefined,
      },
      asked: ['GET /gone?key=canary', `GET ${PRM}/mcp`, `GET ${PRM}`],
    });
  });

  test.each([
    'javascript:alert(1)',
    'file:///etc/passwd',
    'http://8.8.8.8/x',
    'http://u:p@localhost/',
  ])('nowhere when the challenge names %s', async (named) => {
    await using site = startSite();
    const refusal = await refusalOf(find(`${site.origin}/mcp`, named));
    expect({ name: refusal.name, asked: site.asked }).toEqual({ name: 'AuthError', asked: [] });
  });

  test('the second issuer when the first cannot be used or does not describe itself', async () => {
    await using pair = startPair();
    const { server, auth } = pair;
    await using silent = startSite();
    const resource = `${server.origin}/mcp`;
    const issuers = ['javascript:1', 'http://8.8.8.8', silent.origin, auth.origin];
    server.serve({ [`${PRM}/mcp`]: { body: { resource, authorization_servers: issuers } } });
    auth.serve({ [RFC8414]: { body: metadataOf(auth.origin) } });
    expect((await find(resource)).metadata).toEqual(metadataOf(auth.origin));
    expect(silent.asked).toEqual([`GET ${RFC8414}`, `GET ${OIDC}`]);
  });

  test('the origin of the server when its metadata names no issuer', async () => {
    await using site = startSite();
    const resource = `${site.origin}/mcp`;
    site.serve({
      [`${PRM}/mcp`]: { body: { resource } },
      [OIDC]: { body: metadataOf(site.origin) },
    });
    const found = await find(resource);
    expect(found).toEqual({
      resource,
      resourceScopes: undefined,
      metadata: metadataOf(site.origin),
      isLegacy: false,
    });
    expect(site.asked).toEqual([`GET ${PRM}/mcp`, `GET ${RFC8414}`, `GET ${OIDC}`]);
  });
});

describe('whose metadata it is', () => {
  test.each<[string, string, string]>([
    ['/mcp', '/mcp', 'itself'],
    ['/mcp/', '/mcp', 'less a slash'],
    ['/mcp', '/mcp/', 'with a slash'],
    ['/a/b/mcp', '/a', 'a parent path'],
    ['/mcp', '', 'the origin'],
    ['/mcp?x=1', '/mcp', 'less the query'],
  ])('of %s takes %j (%s) and keeps its spelling', async (path, resourcePath) => {
    await using pair = startPair();
    const { server, auth } = pair;
    const resource = `${server.origin.replace('localhost', 'LocalHost')}${resourcePath}`;
    server.serve({ '/m': { body: { resource, authorization_servers: [auth.origin] } } });
    auth.serve({ [RFC8414]: { body: metadataOf(auth.origin) } });
    expect((await find(server.origin + path, '/m')).resource).toBe(resource);
  });

  test('takes a default port that is written out', () => {
    expect(coversServer('HTTPS://Host.test:443/mcp/', 'https://host.test/mcp')).toBe(true);
  });

  test.each([
    'https://other-host.test/mcp',
    'http://127.0.0.1:1/mcp',
    '{origin}/mc',
    '{origin}/other',
    '{origin}/mcp/below',
    '{origin}/mcp#x',
    '{origin}/mcp?tenant=2',
    'not an address',
  ])(
    'refuses %s once its authorization server was looked at, and asks no more',
    async (written) => {
      await using pair = startPair();
      const { server, auth } = pair;
      const resource = written.replace('{origin}', server.origin);
      server.serve({
        [`${PRM}/mcp`]: { body: { resource, authorization_servers: [auth.origin] } },
      });
      auth.serve({ [RFC8414]: { body: metadataOf(auth.origin) } });
      expect({
        refusal: await refusalOf(find(`${server.origin}/mcp`)),
        asked: server.asked,
        askedAuth: auth.asked,
      }).toEqual({
        refusal: {
          name: 'AuthError',
          message: `server "s1": its metadata at ${server.origin}${PRM}/mcp is about ${resource}, not about ${server.origin}/mcp; nobody is signed in there`,
          hint: 'check url; if it is right, its operator has to correct resource in the metadata',
        },
        asked: [`GET ${PRM}/mcp`],
        askedAuth: [`GET ${RFC8414}`],
      });
    },
  );

  test('takes an issuer that differs by its last slash, as the document spells it', async () => {
    await using pair = startPair();
    const { server, auth } = pair;
    const resource = `${server.origin}/mcp`;
    server.serve({
      [`${PRM}/mcp`]: { body: { resource, authorization_servers: [`${auth.origin}/`] } },
    });
    auth.serve({ [RFC8414]: { body: metadataOf(auth.origin) } });
    expect((await find(resource)).metadata.issuer).toBe(auth.origin);
  });

  test.each(['https://attacker.example.com', '{auth}/tenant', '{auth}//', '{AUTH}', undefined])(
    'believes no document of issuer %s and looks no further',
    async (written) => {
      await using pair = startPair();
      const { server, auth } = pair;
      const issuer = written
        ?.replace('{auth}', auth.origin)
        .replace('{AUTH}', auth.origin.toUpperCase());
      const resource = `${server.origin}/mcp`;
      server.serve({
        [`${PRM}/mcp`]: { body: { resource, authorization_servers: [auth.origin] } },
      });
      const good = metadataOf(auth.origin);
      auth.serve({ [RFC8414]: { body: { ...good, issuer } }, [OIDC]: { body: good } });
      expect({ refusal: await refusalOf(find(resource)), asked: auth.asked }).toEqual({
        refusal: {
          name: 'AuthError',
          message: `server "s1": ${auth.origin}${RFC8414} names ${issuer ?? 'nobody'} as its issuer, not ${auth.origin}; none of its endpoints is used`,
          hint: 'its operator has to correct issuer in the metadata',
        },
        asked: [`GET ${RFC8414}`],
      });
    },
  );

  test('names the issuers that cannot be used', async () => {
    await using site = startSite();
    const resource = `${site.origin}/mcp`;
    const issuers = ['http://8.8.8.8', 'https://h.test/?t=1', 'x'];
    site.serve({ [`${PRM}/mcp`]: { body: { resource, authorization_servers: issuers } } });
    expect(await refusalOf(find(resource))).toEqual({
      name: 'AuthError',
      message:
        'server "s1" names no authorization server that can be used: "http://8.8.8.8" is plain http; only https is safe, "https://h.test/?t=1" has a query, "x" is no address',
      hint: 'its operator has to correct authorization_servers in the metadata',
    });
  });
});

describe('what is no metadata', () => {
  const html: SiteReply = {
    headers: { 'content-type': 'text/html' },
    body: '<html>welcome</html>',
  };
  test.each<[string, SiteReply]>([
    ...[400, 401, 403, 404, 405, 410].map((status): [string, SiteReply] => [
      `${status}`,
      { status },
    ]),
    ['a web page', html],
    ['a web page without a type', { body: '\n<!doctype html>' }],
    ['some other JSON object', { body: { status: 'ok' } }],
  ])('%s everywhere leads to the places of old', async (_what, reply) => {
    await using site = startSite();
    site.serve({ [`${PRM}/mcp`]: reply, [PRM]: reply, [RFC8414]: reply });
    const { origin } = site;
    expect(await find(`${origin}/mcp?key=1`)).toEqual({
      resource: `${origin}/mcp`,
      resourceScopes: undefined,
      metadata: metadataOf(origin, { registration_endpoint: `${origin}/register` }),
      isLegacy: true,
    });
    expect(site.asked).toEqual([`GET ${PRM}/mcp?key=1`, `GET ${PRM}`, `GET ${RFC8414}`]);
  });

  test('metadata at the root of the server is taken without that of a resource', async () => {
    await using site = startSite();
    const metadata = {
      issuer: site.origin,
      authorization_endpoint: `${site.origin}/oauth/authorize`,
      token_endpoint: `${site.origin}/oauth/token`,
    };
    site.serve({ [RFC8414]: { body: metadata } });
    expect(await find(`${site.origin}/mcp`)).toEqual({
      resource: `${site.origin}/mcp`,
      resourceScopes: undefined,
      metadata,
      isLegacy: true,
    });
  });

  test('metadata at the root of the server about another issuer is refused', async () => {
    await using site = startSite();
    site.serve({ [RFC8414]: { body: metadataOf(`${site.origin}/oauth`) } });
    expect((await refusalOf(find(`${site.origin}/mcp`))).name).toBe('AuthError');
  });

  const deep = `{"resource":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
  test.each<[string, SiteReply, string, string]>([
    ['500', { status: 500 }, 'ProtocolError', ' answered HTTP 500'],
    ['429', { status: 429 }, 'ProtocolError', ' answered HTTP 429'],
    [
      'half a document',
      { body: '{"resource":' },
      'ProtocolError',
      ' answered HTTP 200, but no metadata in JSON',
    ],
    ['nothing', { body: '' }, 'ProtocolError', ' answered HTTP 200, but no metadata in JSON'],
    ['a list', { body: [] }, 'ProtocolError', ' answered HTTP 200, but no metadata in JSON'],
    [
      '100000 levels',
      { body: deep },
      'ProtocolError',
      ' answered HTTP 200, but no metadata in JSON',
    ],
    [
      '10 MB',
      { body: { resource: 'x'.repeat(10_000_000) } },
      'LimitError',
      ': the answer is larger than 1 MiB',
    ],
    [
      'a resource that is no text',
      { body: { resource: 5 } },
      'ProtocolError',
      ': its resource is not a text of at most 4096 characters',
    ],
    [
      'issuers that are no list',
      { body: { resource: '{url}', authorization_servers: 'x' } },
      'ProtocolError',
      ': its authorization_servers is not a list of at most 1000 texts',
    ],
  ])('%s is an error and no fallback', async (_what, reply, name, end) => {
    await using site = startSite();
    const url = `${site.origin}/mcp`;
    const body =
      typeof reply.body === 'object'
        ? JSON.parse(JSON.stringify(reply.body).replace('{url}', url))
        : (reply.body ?? '');
    site.serve({ [`${PRM}/mcp`]: { ...reply, body } });
    const refusal = await refusalOf(find(url));
    expect({ name: refusal.name, message: refusal.message, asked: site.asked }).toEqual({
      name,
      message: `server "s1": ${site.origin}${PRM}/mcp${end}`,
      asked: [`GET ${PRM}/mcp`],
    });
  });

  test('metadata without a resource is an error', async () => {
    await using site = startSite();
    site.serve({ [`${PRM}/mcp`]: { body: { authorization_servers: [site.origin] } } });
    expect((await refusalOf(find(`${site.origin}/mcp`))).message).toBe(
      `server "s1": its metadata at ${site.origin}${PRM}/mcp names no resource`,
    );
  });

  test('a server that cannot be reached is an error', async () => {
    const origin = `http://127.0.0.1:${closedPort()}`;
    expect((await refusalOf(find(`${origin}/mcp`))).message).toBe(
      `server "s1": cannot reach ${origin}${PRM}/mcp: connection refused`,
    );
  });

  test('an authorization server that fails in one place is asked in the next', async () => {
    await using pair = startPair();
    const { server, auth } = pair;
    const resource = `${server.origin}/mcp`;
    server.serve({ [`${PRM}/mcp`]: { body: { resource, authorization_servers: [auth.origin] } } });
    auth.serve({ [RFC8414]: { status: 500 }, [OIDC]: { body: metadataOf(auth.origin) } });
    expect((await find(resource)).metadata).toEqual(metadataOf(auth.origin));
    auth.serve({ [RFC8414]: { status: 500 } });
    expect((await refusalOf(find(resource))).message).toBe(
      `server "s1": ${auth.origin}${RFC8414} answered HTTP 500`,
    );
    auth.serve({});
    expect(await refusalOf(find(resource))).toEqual({
      name: 'AuthError',
      message: `server "s1": the authorization server ${auth.origin} does not describe itself`,
      hint: 'authServerMetadataUrl says where its metadata is',
    });
  });
});

describe('what metadata may name', () => {
  async function withMetadata(more: object) {
    await using site = startSite();
    site.serve({ [RFC8414]: { body: { ...metadataOf(site.origin), ...more } } });
    const ports = loginPorts();
    const found = discover(serverAt(`${site.origin}/mcp`), undefined, ports, never);
    const outcome = await found.then(
      ({ metadata }) => metadata,
      () => refusalOf(found),
    );
    const plain: unknown = JSON.parse(JSON.stringify(outcome).replaceAll(site.origin, 'O'));
    return { outcome: plain, said: ports.said.map((line) => line.replaceAll(site.origin, 'O')) };
  }
  const base = metadataOf('O');

  test('keeps what we know, typed, and nothing else', async () => {
    const known = {
      registration_endpoint: 'https://other.test/register',
      revocation_endpoint: 'https://other.test/revoke?a=b',
      device_authorization_endpoint: 'http://localhost:1/device',
      scopes_supported: ['a', 'offline_access'],
      grant_types_supported: ['authorization_code'],
      token_endpoint_auth_methods_supported: ['none'],
      code_challenge_methods_supported: ['S256'],
      dpop_signing_alg_values_supported: ['ES256'],
      client_id_metadata_document_supported: false,
      authorization_response_iss_parameter_supported: true,
    };
    expect(await withMetadata({ ...known, jwks_uri: 'x', later: [{}] })).toEqual({
      outcome: { ...base, ...known },
      said: [],
    });
  });

  test('takes null and empty for absent', async () => {
    const empty = { registration_endpoint: '', revocation_endpoint: null, scopes_supported: null };
    expect(await withMetadata({ ...empty, authorization_endpoint: '' })).toEqual({
      outcome: { issuer: 'O', token_endpoint: 'O/token' },
      said: [],
    });
  });

  test.each([
    ['javascript:alert(1)', 'is neither https nor http'],
    ['data:text/html,x', 'is neither https nor http'],
    ['file:///etc/passwd', 'is neither https nor http'],
    ['/authorize', 'is no address'],
    ['https://h.test/a b', 'is no address'],
    ['https://u:p@h.test/a', 'holds a user name or password'],
    ['https://h.test/a#b', 'has a fragment (#…)'],
    ['http://h.test/a', 'is plain http; only https is safe'],
  ])('refuses the endpoint %s', async (endpoint, problem) => {
    for (const name of ['authorization_endpoint', 'token_endpoint']) {
      const { outcome, said } = await withMetadata({ [name]: endpoint });
      expect({ outcome, said }).toMatchObject({
        outcome: { name: 'AuthError', hint: 'its operator has to correct the metadata' },
        said: [],
      });
      expect(JSON.stringify(outcome)).toContain(`its ${name} `);
      expect(JSON.stringify(outcome)).toContain(problem);
    }
    const { outcome, said } = await withMetadata({ registration_endpoint: endpoint });
    expect({ outcome, lines: said.length }).toEqual({ outcome: base, lines: 1 });
    expect(said[0]).toStartWith(`warn: server "s1": O${RFC8414}: its registration_endpoint `);
    expect(said[0]).toEndWith(` ${problem}; it is not used`);
  });

  test.each(['authorization_endpoint', 'token_endpoint'])(
    'asks nobody to consent when its %s is a private address that is not allowed',
    async (name) => {
      await using site = startSite();
      const metadata = metadataOf(site.origin, { [name]: 'http://192.168.1.1/reboot' });
      site.serve({ [RFC8414]: { body: metadata } });
      expect(await refusalOf(find(`${site.origin}/mcp`))).toEqual({
        name: 'ConnectError',
        message: 'server "s1": 192.168.1.1 is a private address; nothing was sent',
        hint: 'allowPrivate: true permits it, if this is a network of your own',
      });
      const fetch = routeFetch(plainFetch, { env: {}, allowPrivate: true });
      const subject = serverAt(`${site.origin}/mcp`);
      const found = await discover(subject, undefined, loginPorts({ fetch }), never);
      expect(found.metadata).toEqual(metadata);
    },
  );

  test.each<[object, string]>([
    [{ token_endpoint: undefined }, ' names no token_endpoint'],
    [{ token_endpoint: 5 }, ': its token_endpoint is not a text of at most 4096 characters'],
    [
      { scopes_supported: Array.from({ length: 1001 }, () => 'a') },
      ': its scopes_supported is not a list of at most 1000 texts',
    ],
    [
      { code_challenge_methods_supported: 'S256' },
      ': its code_challenge_methods_supported is not a list of at most 1000 texts',
    ],
    [
      { authorization_response_iss_parameter_supported: 'true' },
      ': its authorization_response_iss_parameter_supported is not true or false',
    ],
  ])('refuses %j', async (more, end) => {
    expect((await withMetadata(more)).outcome).toEqual({
      name: 'ProtocolError',
      message: `server "s1": O${RFC8414}${end}`,
    });
  });

  test('somebody on the network names no address of this machine', () => {
    const problems = [
      'https://h.test/x',
      'https://10.0.0.1/x',
      'http://localhost:1/x',
      undefined,
    ].map((namer) => addressProblem('http://127.0.0.1:8080/admin', namer));
    expect(problems).toEqual([
      'is on this machine, which h.test is not',
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('what the person configures', () => {
  test('authServerMetadataUrl alone is asked, its issuer taken from there', async () => {
    await using pair = startPair();
    const { server, auth } = pair;
    const resource = `${server.origin}/mcp`;
    server.serve({
      [`${PRM}/mcp`]: { body: { resource, authorization_servers: [`${auth.origin}/t`] } },
    });
    auth.serve({ '/odd': { body: metadataOf(`${auth.origin}/t`) } });
    const found = await find(resource, undefined, { authServerMetadataUrl: `${auth.origin}/odd` });
    expect({ found, asked: auth.asked }).toEqual({
      found: {
        resource,
        resourceScopes: undefined,
        metadata: metadataOf(`${auth.origin}/t`),
        isLegacy: false,
      },
      asked: ['GET /odd'],
    });
  });

  test('authServerMetadataUrl of an issuer that the server does not name is refused', async () => {
    await using pair = startPair();
    const { server, auth } = pair;
    const resource = `${server.origin}/mcp`;
    const named = ['https://one.test', 'https://two.test/'];
    server.serve({ [`${PRM}/mcp`]: { body: { resource, authorization_servers: named } } });
    auth.serve({ '/odd': { body: metadataOf(auth.origin) } });
    const work = find(resource, undefined, { authServerMetadataUrl: `${auth.origin}/odd` });
    expect((await refusalOf(work)).message).toBe(
      `server "s1": ${auth.origin}/odd names ${auth.origin} as its issuer, not https://one.test or https://two.test/; none of its endpoints is used`,
    );
  });

  test('authServerMetadataUrl serves a server without metadata of its own', async () => {
    await using pair = startPair();
    const { server, auth } = pair;
    auth.serve({ '/odd': { body: metadataOf(auth.origin) } });
    const url = `${server.origin}/mcp`;
    const found = await find(url, undefined, { authServerMetadataUrl: `${auth.origin}/odd` });
    expect({ found, asked: server.asked }).toEqual({
      found: {
        resource: url,
        resourceScopes: undefined,
        metadata: metadataOf(auth.origin),
        isLegacy: true,
      },
      asked: [`GET ${PRM}/mcp`, `GET ${PRM}`],
    });
  });

  test('authServerMetadataUrl that leads nowhere is named', async () => {
    await using site = startSite();
    const settings = { authServerMetadataUrl: `${site.origin}/gone?key=canary` };
    expect(await refusalOf(find(undefined, undefined, settings))).toEqual({
      name: 'AuthError',
      message: `login "work": ${site.origin}/gone holds no metadata of an authorization server`,
      hint: 'check authServerMetadataUrl',
    });
  });

  test.each(['http://h.test/x', 'h.test', 'javascript:1'])(
    'authServerMetadataUrl %s is an error of the configuration',
    async (authServerMetadataUrl) => {
      const refusal = await refusalOf(find(undefined, undefined, { authServerMetadataUrl }));
      expect(refusal.name).toBe('ConfigError');
    },
  );

  test('a login is found by its issuer, without a resource', async () => {
    await using site = startSite();
    const issuer = `${site.origin}/realms/a`;
    site.serve({ [`${RFC8414}/realms/a`]: { body: metadataOf(issuer) } });
    const found = await discover(
      { ...serverAt(undefined), issuer },
      undefined,
      loginPorts(),
      never,
    );
    expect({ found, asked: site.asked }).toEqual({
      found: {
        resource: undefined,
        resourceScopes: undefined,
        metadata: metadataOf(issuer),
        isLegacy: false,
      },
      asked: [`GET ${RFC8414}/realms/a`],
    });
  });

  test('a login that says nowhere who signs in is an error of the configuration', async () => {
    expect(await refusalOf(find(undefined))).toEqual({
      name: 'ConfigError',
      message: 'login "work" says nowhere who signs in',
      hint: 'set its issuer, or authServerMetadataUrl',
    });
  });
});
