/**
 * Tokens without a person: the client for itself (RFC 6749 4.4), a workload by an assertion (RFC 7523 2.1), an
 * employee by the identity provider of a company (`enterprise.ts`). A refusal is final: no other grant is tried.
 */
import { AuthError, ConfigError, InternalError } from '../base/errors.ts';
import { registerSecret } from '../base/redact.ts';
import { readLoginFile } from './login-file.ts';
import { requestTokens, type TokenContext } from './token-request.ts';
import type { Tokens } from './types.ts';

export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/**
 * Tokens by `subject.settings.grant`. Files are read anew each time. Errors as `requestTokens`; ConfigError
 * for settings that the grant lacks and for files that cannot be used, AuthError for an empty assertion.
 */
export async function grantTokens(context: TokenContext): Promise<Tokens> {
  const { grant } = context.subject.settings;
  switch (grant) {
    case 'client_credentials':
      return requestTokens(context, {
        grantType: 'client_credentials',
        parameters: { scope: context.scope },
        what: 'the client credentials',
      });
    case 'jwt-bearer':
      return byAssertion(
        context,
        await readAssertion(context),
        'the assertion',
        `a fresh assertion in ${context.subject.settings.assertionFile}`,
      );
    case 'enterprise': {
      const { identityAssertion } = await import('./enterprise.ts');
      const assertion = await identityAssertion(context);
      return byAssertion(context, assertion, "the identity provider's assertion", undefined);
    }
    case 'authorization_code':
    case 'device_code':
    case undefined:
      throw new InternalError(`${context.subject.label}: the grant ${grant} needs a person`);
  }
}

function byAssertion(
  context: TokenContext,
  assertion: string,
  what: string,
  hint: string | undefined,
): Promise<Tokens> {
  return requestTokens(context, {
    grantType: JWT_BEARER,
    parameters: { assertion, scope: context.scope },
    what,
    ...(hint === undefined ? {} : { hint }),
  });
}

async function readAssertion({ subject, ports }: TokenContext): Promise<string> {
  const { assertionFile } = subject.settings;
  if (assertionFile === undefined) {
    throw new ConfigError(`${subject.label}: the grant jwt-bearer needs an assertion`, {
      hint: 'name the file that holds it: assertionFile',
    });
  }
  const text = await readLoginFile(assertionFile, `${subject.label}: assertionFile`, ports.clock);
  const assertion = text.trim();
  if (assertion === '') {
    throw new AuthError(`${subject.label}: assertionFile ${assertionFile} is empty`, {
      hint: 'let the platform write a fresh assertion there',
    });
  }
  registerSecret(assertion);
  return assertion;
}
