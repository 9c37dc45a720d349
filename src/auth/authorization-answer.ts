/**
 * Judges what an authorization server answered through the browser: first whose answer it is, then what it says.
 * @see RFC 6749 4.1.2, RFC 9207 2.4 (`iss`)
 */
import { AuthError } from '../base/errors.ts';
import { registerSecret, scrubSecrets } from '../base/redact.ts';
import { escapeForTerminal, shorten } from '../base/text.ts';
import type { Answer } from './pasted.ts';
import type { ServerMetadata, Subject } from './types.ts';

export interface ExpectedAnswer {
  readonly subject: Subject;
  readonly metadata: ServerMetadata;
  readonly state: string;
}

/** `state`: not of this sign-in. `issuer`: of another server. `refused`: an error. `malformed`: neither code nor error, or twice. */
export type AnswerProblem = 'issuer' | 'state' | 'refused' | 'malformed';

export class AnswerError extends AuthError {
  readonly problem: AnswerProblem;

  constructor(subject: Subject, problem: AnswerProblem, text: string, error?: string) {
    super(`${subject.label}: ${text}`, {
      hint: subject.command,
      details: { problem, ...(error === undefined ? {} : { error }) },
    });
    this.problem = problem;
  }
}

const MAX_ERROR_CHARACTERS = 80;
const MAX_DESCRIPTION_CHARACTERS = 300;
const ONCE = ['code', 'state', 'iss', 'error'];

/** The checked parameters; a bare code that was pasted, which nothing can be checked of, as it is. */
export function acceptAnswer(answer: Answer, expected: ExpectedAnswer): URLSearchParams {
  if (answer.kind === 'answer') return checkAnswer(answer.params, expected);
  return new URLSearchParams({ code: answer.code });
}

/** The same parameters when they hold a code for this sign-in; else AnswerError. `iss` is compared before anything is read. */
function checkAnswer(params: URLSearchParams, expected: ExpectedAnswer): URLSearchParams {
  const { subject, metadata } = expected;
  const code = params.get('code');
  if (code !== null) registerSecret(code);
  const problem = (kind: AnswerProblem, text: string, error?: string) =>
    new AnswerError(subject, kind, text, error);

  const twice = ONCE.find((name) => params.getAll(name).length > 1);
  if (twice !== undefined) throw problem('malformed', `the answer holds \`${twice}\` twice`);
  const iss = params.get('iss');
  if (iss === null && metadata.authorization_response_iss_parameter_supported === true) {
    throw problem('issuer', `the answer does not say that it comes from ${metadata.issuer}`);
  }
  if (iss !== null && iss !== metadata.issuer) {
    const other = plain(iss, MAX_DESCRIPTION_CHARACTERS);
    throw problem('issuer', `the answer comes from ${other}, not from ${metadata.issuer}`);
  }
  if (params.get('state') !== expected.state) {
    const what = params.has('state') ? 'another `state`' : 'no `state`';
    throw problem('state', `the answer holds ${what}: it belongs to another sign-in`);
  }
  const error = params.get('error');
  if (error !== null) {
    const label = plain(error, MAX_ERROR_CHARACTERS);
    throw problem('refused', refusal(label, params.get('error_description')), label);
  }
  if (code === null || code === '') throw problem('malformed', 'the answer holds no code');
  return params;
}

function refusal(error: string, description: string | null): string {
  const text = description === null ? '' : plain(description, MAX_DESCRIPTION_CHARACTERS);
  const detail = text === '' ? error : `${error}: ${text}`;
  return error === 'access_denied'
    ? `the sign-in was refused (${detail})`
    : `the authorization server ended the sign-in (${detail})`;
}

/** Foreign text on one line. */
function plain(text: string, maxCharacters: number): string {
  const line = scrubSecrets(text).replace(/\s+/g, ' ').trim();
  return shorten(escapeForTerminal(line), maxCharacters);
}
