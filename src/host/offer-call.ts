/** A person's reading as a call on the one road: deny rules hold, nobody is asked. */
import { assertNever, UsageError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import type { ToolCall } from '../calls/types.ts';
import type { RegisteredTool, RegistrySnapshot } from '../tools/types.ts';
import { promptReader, resourceReader, skillLoader } from './offer-reader.ts';
import type { Offers } from './offers.ts';
import type { ServerOffers } from './server-offers.ts';

/** What a person wants to read of a server of this run. */
export type OfferRequest =
  | { readonly kind: 'resource'; readonly server: string; readonly uri: string }
  /** A SKILL.md; all its files are verified. */
  | { readonly kind: 'skill'; readonly server: string; readonly uri: string }
  | {
      readonly kind: 'prompt';
      readonly server: string;
      readonly name: string;
      readonly arguments: JsonObject;
    };

/** Throws UsageError for a server that this run does not have or that is a built-in. */
export function offerCall(
  offers: Offers,
  request: OfferRequest,
): { readonly call: ToolCall; readonly snapshot: RegistrySnapshot } {
  const server = offers.find(request.server);
  if (server === undefined) {
    throw new UsageError(`server ${request.server} has no resources, prompts or skills`);
  }
  const tool = readerOf(request, server);
  return {
    call: {
      id: 'read-1',
      name: tool.name,
      arguments: argumentsOf(request),
      invalidArguments: undefined,
      origin: 'user',
    },
    snapshot: {
      tools: [tool],
      reachable: [tool],
      hidden: [],
      resolve: () => ({ kind: 'found', tool }),
    },
  };
}

function readerOf(request: OfferRequest, server: ServerOffers): RegisteredTool {
  switch (request.kind) {
    case 'resource':
      return resourceReader(server);
    case 'skill':
      return skillLoader(server);
    case 'prompt':
      return promptReader(server);
    default:
      return assertNever(request);
  }
}

function argumentsOf(request: OfferRequest): JsonObject {
  return request.kind === 'prompt'
    ? { name: request.name, arguments: request.arguments }
    : { uri: request.uri };
}
