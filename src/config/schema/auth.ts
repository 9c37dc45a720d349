/** `auth:` of a server and `logins:`. Descriptions feed the example config, the JSON Schema and error texts. */
import * as v from 'valibot';
import {
  bool,
  headerName,
  nonEmptyText,
  PLAIN_NAME,
  PLAIN_NAME_TEXT,
  variableName,
  wholeNumber,
} from './atoms.ts';

export const GRANTS = [
  'authorization_code',
  'device_code',
  'client_credentials',
  'jwt-bearer',
  'enterprise',
] as const;

/** Signatures of private_key_jwt. @see RFC 7518 3.1, RFC 8037 3.1 */
const ALGORITHMS = [
  'ES256',
  'ES384',
  'ES512',
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'EdDSA',
  'Ed25519',
] as const;

/** Shared by `auth: {type: oauth}` and `logins:`. */
export const oauthEntries = {
  clientId: v.optional(v.pipe(nonEmptyText(), v.description('a client registered beforehand'))),
  clientSecretEnv: v.optional(
    v.pipe(variableName(), v.description('NAME of the variable with its secret')),
  ),
  clientName: v.optional(
    v.pipe(nonEmptyText(), v.description('how usher registers itself; default usher')),
  ),
  clientMetadataUrl: v.optional(
    v.pipe(nonEmptyText(), v.description('address of a client metadata document of your own')),
  ),
  clientRegistration: v.optional(
    v.pipe(
      v.picklist(['auto', 'cimd', 'dcr'], 'auto, cimd or dcr'),
      v.description(
        'by metadata document or by dynamic registration; default what the server offers',
      ),
    ),
  ),
  scope: v.optional(
    v.pipe(nonEmptyText(), v.description('scopes, separated by spaces; default what is asked for')),
  ),
  callbackPort: v.optional(
    v.pipe(
      wholeNumber(0),
      v.maxValue(65_535, 'a port from 0 to 65535'),
      v.description('port of the callback; default a free one'),
    ),
  ),
  callbackUrl: v.optional(
    v.pipe(nonEmptyText(), v.description('callback sent as it is; http on a loopback host')),
  ),
  authServerMetadataUrl: v.optional(
    v.pipe(nonEmptyText(), v.description('where the authorization server describes itself')),
  ),
  grant: v.optional(
    v.pipe(
      v.picklist(GRANTS, `one of ${GRANTS.join(', ')}`),
      v.description('how tokens are got; default authorization_code, with a person'),
    ),
  ),
  privateKeyFile: v.optional(
    v.pipe(nonEmptyText(), v.description('PEM file: the client proves itself by signed JWTs')),
  ),
  algorithm: v.optional(
    v.pipe(
      v.picklist(ALGORITHMS, `one of ${ALGORITHMS.join(', ')}`),
      v.description('of that key; default ES256'),
    ),
  ),
  assertionFile: v.optional(
    v.pipe(
      nonEmptyText(),
      v.description('grant jwt-bearer: file with the assertion, read anew each time'),
    ),
  ),
  idpFile: v.optional(
    v.pipe(
      nonEmptyText(),
      v.description('grant enterprise: JSON file about the identity provider'),
    ),
  ),
  dpop: v.optional(
    v.pipe(bool(), v.description('bind tokens to a key of ours; default where the server asks')),
  ),
};

export const authSchema = v.variant(
  'type',
  [
    v.strictObject({
      type: v.literal('bearer'),
      tokenEnv: v.pipe(variableName(), v.description('NAME of the variable with the token')),
    }),
    v.strictObject({
      type: v.literal('apiKey'),
      header: v.pipe(headerName(), v.description('header that carries the key')),
      tokenEnv: v.pipe(variableName(), v.description('NAME of the variable with the key')),
    }),
    v.strictObject({ type: v.literal('oauth'), ...oauthEntries }),
    v.strictObject({
      type: v.literal('command'),
      command: v.pipe(
        v.array(nonEmptyText()),
        v.minLength(1, 'a program and its arguments'),
        v.description(
          'program and arguments; prints the token, alone or as an OAuth answer in JSON',
        ),
      ),
    }),
    v.strictObject({
      type: v.literal('provider'),
      provider: v.pipe(
        nonEmptyText(),
        v.description('a name of logins:, signed in to by usher login'),
      ),
    }),
  ],
  'bearer, apiKey, oauth, command or provider',
);

const loginSchema = v.strictObject({
  issuer: v.optional(
    v.pipe(nonEmptyText(), v.description('the authorization server, as it calls itself')),
  ),
  ...oauthEntries,
  resource: v.optional(
    v.pipe(nonEmptyText(), v.description('what the tokens are for, as a URI (RFC 8707)')),
  ),
  allowPrivate: v.optional(
    v.pipe(bool(), v.description('allow http and private addresses; default false')),
  ),
});

export const loginsSchema = v.record(
  v.pipe(v.string(), v.regex(PLAIN_NAME, PLAIN_NAME_TEXT)),
  loginSchema,
);

export type AuthEntry = v.InferOutput<typeof authSchema>;
export type OAuthEntry = Omit<Extract<AuthEntry, { readonly type: 'oauth' }>, 'type'>;
export type LoginEntry = v.InferOutput<typeof loginSchema>;
export type LoginEntries = v.InferOutput<typeof loginsSchema>;
