/**
 * The scenes of the scenarios that need a login, as command lines. The scenario's data comes in the context that
 * the suite sets; its client secret reaches usher by variable, its keys and assertions by file.
 */
import type { Scene, Stage } from './stage.ts';
import { textOf } from './stage.ts';

/** The suite knows this document and serves it nowhere. */
const METADATA = ['--client-metadata-url', 'https://conformance-test.local/client-metadata.json'];

/** The scene of a scenario below `auth/`. */
export function authScene(scenario: string): Scene {
  if (REFUSED.has(scenario)) return refuse;
  return OWN[scenario] ?? ((stage) => listAndCall(stage));
}

/** One command alone: two of them could add up to more authorization requests than are allowed. */
const REFUSED: ReadonlySet<string> = new Set([
  'auth/scope-retry-limit',
  'auth/resource-mismatch',
  'auth/iss-supported-missing',
  'auth/iss-wrong-issuer',
  'auth/iss-unexpected',
  'auth/iss-normalized',
  'auth/metadata-issuer-mismatch',
]);

const OWN: Readonly<Record<string, Scene>> = {
  'auth/pre-registration': (stage) => listAndCall(stage, withSecret(stage)),
  'auth/dpop': (stage) => listAndCall(stage, ['--dpop']),
  'auth/dpop-nonce': (stage) => listAndCall(stage, ['--dpop']),
  async 'auth/authorization-server-migration'({ url, act }) {
    await act(['tools', url]);
    await act(['call', url, 'test-tool', '{}']);
  },
  async 'auth/client-credentials-basic'(stage) {
    await list(stage, [...withSecret(stage), '--grant', 'client_credentials']);
  },
  async 'auth/client-credentials-jwt'(stage) {
    const key = stage.keep('key.pem', textOf(stage.context, 'private_key_pem'));
    const algorithm = ['--alg', textOf(stage.context, 'signing_algorithm')];
    const grant = ['--grant', 'client_credentials', '--private-key', key, ...algorithm];
    await list(stage, [...withId(stage), ...grant]);
  },
  async 'auth/enterprise-managed-authorization'(stage) {
    const idp = stage.keep('idp.json', JSON.stringify(stage.context));
    await list(stage, [...withSecret(stage), '--grant', 'enterprise', '--idp', idp]);
  },
  async 'auth/wif-jwt-bearer'(stage) {
    const assertion = stage.keep('assertion', textOf(stage.context, 'valid_jwt'));
    await list(stage, [...withId(stage), '--grant', 'jwt-bearer', '--assertion', assertion]);
  },
};

/** Two processes: the second one has to use, or to widen, what the first one got. */
async function listAndCall({ url, act }: Stage, flags: readonly string[] = []): Promise<void> {
  await act(['tools', url, ...METADATA, ...flags]);
  await act(['call', url, 'test-tool', '{}', ...METADATA, ...flags]);
}

async function list({ url, act }: Stage, flags: readonly string[]): Promise<void> {
  await act(['tools', url, ...flags]);
}

async function refuse({ url, act }: Stage): Promise<void> {
  await act(['tools', url, ...METADATA], 'refusal');
}

function withId({ context }: Stage): readonly string[] {
  return ['--client-id', textOf(context, 'client_id')];
}

function withSecret(stage: Stage): readonly string[] {
  return [...withId(stage), '--client-secret-env', stage.secretEnv];
}
