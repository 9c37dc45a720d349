/**
 * Answers elicitation/create: reads what is asked, has the port answer it, and sends nothing that does
 * not fit the schema. Also used for the input requests of the 2026-07-28 era and for the URLs of a
 * -32042 error. Source: MCP 2025-11-25, client features, elicitation.
 */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { type Form, readForm } from './form.ts';
import { formProblems } from './form-check.ts';
import { INTERNAL_FAULT, INVALID_PARAMS, RefusedRequest } from './refusal.ts';

/** What a server asks a person for. All texts are the server's, raw. */
export type Elicitation =
  | {
      readonly mode: 'form';
      /** The configured name of the server. */
      readonly server: string;
      readonly message: string;
      readonly form: Form;
    }
  | {
      readonly mode: 'url';
      readonly server: string;
      readonly message: string;
      /** http or https, without user information, at most 8,192 characters. Never fetched by us. */
      readonly url: URL;
      /** Names the elicitation in a later `notifications/elicitation/complete`. */
      readonly id: string | undefined;
    };

export type ElicitationAnswer =
  | { readonly action: 'accept'; readonly content: JsonObject }
  | { readonly action: 'decline' | 'cancel' };

/** Answers for the person. Rejects only with the signal's reason. `content` is ignored for a URL. */
export type AnswerElicitation = (
  request: Elicitation,
  signal: AbortSignal,
) => Promise<ElicitationAnswer>;

const MAX_URL_CHARACTERS = 8192;

/** The result for the server. Throws RefusedRequest for a request that cannot be put to anybody. */
export async function answerElicitation(
  answer: AnswerElicitation,
  server: string,
  params: JsonObject,
  signal: AbortSignal,
): Promise<JsonValue> {
  const request = readElicitation(server, params);
  const given = await answer(request, signal);
  if (given.action !== 'accept') return { action: given.action };
  if (request.mode === 'url') return { action: 'accept' };
  const problems = formProblems(request.form, given.content);
  if (problems.length > 0) {
    throw new RefusedRequest(INTERNAL_FAULT, `the answer does not fit: ${problems.join('; ')}`);
  }
  return { action: 'accept', content: given.content };
}

/** Throws RefusedRequest (invalid params) with the reason. */
export function readElicitation(server: string, params: JsonObject): Elicitation {
  const { mode = 'form' } = params;
  const message = typeof params['message'] === 'string' ? params['message'] : '';
  if (mode === 'url') {
    const id = params['elicitationId'];
    return {
      mode,
      server,
      message,
      url: readUrl(params['url']),
      id: typeof id === 'string' && id !== '' ? id : undefined,
    };
  }
  if (mode !== 'form') throw invalid(`unknown elicitation mode ${JSON.stringify(mode)}`);
  const form = readForm(params['requestedSchema']);
  if (typeof form === 'string') throw invalid(form);
  return { mode, server, message, form };
}

function readUrl(value: JsonValue | undefined): URL {
  if (typeof value !== 'string' || value.length > MAX_URL_CHARACTERS || !URL.canParse(value)) {
    throw invalid('url is no URL');
  }
  const url = new URL(value);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw invalid('only http and https addresses are opened');
  }
  // A name before the host passes for the host.
  if (url.username !== '' || url.password !== '') throw invalid('url must not name a user');
  return url;
}

function invalid(reason: string): RefusedRequest {
  return new RefusedRequest(INVALID_PARAMS, reason);
}
