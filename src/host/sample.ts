/**
 * Lets a server have text from the configured model, after a person saw what it asks and said yes. Only
 * for servers with `sampling: ask`. Neither the tools nor the history of the session are in the request.
 */
import { toAppError } from '../base/errors.ts';
import { INTERNAL_FAULT, RefusedRequest, USER_REJECTED } from '../mcp/handlers/refusal.ts';
import type { SampleModel, SamplingRequest } from '../mcp/handlers/sampling.ts';
import type { ModelMessage, ModelProvider } from '../model/types.ts';
import { ourLines, quoteInline, quoteLines } from './quote.ts';
import type { Dialogue, Talk } from './talk.ts';

export interface SamplePorts {
  /** `undefined`: nobody is there. Already one conversation at a time. */
  readonly talk: Talk | undefined;
  /** A model that answers with at most so many tokens; `undefined`: there is only the router. */
  readonly openModel: (maxTokens: number) => Promise<ModelProvider | undefined>;
}

/** Where the server names no number, and the most it gets. */
const DEFAULT_MAX_TOKENS = 1024;
const MOST_TOKENS = 8192;
const SHOWN_MESSAGES = 6;

export function createSampleModel({ talk, openModel }: SamplePorts): SampleModel {
  return async (request, signal) => {
    const maxTokens = Math.min(request.maxTokens ?? DEFAULT_MAX_TOKENS, MOST_TOKENS);
    const model = await openModel(maxTokens);
    if (model === undefined) {
      throw new RefusedRequest(
        INTERNAL_FAULT,
        'no language model is configured: the offline router cannot sample',
      );
    }
    if (talk === undefined) {
      throw new RefusedRequest(
        USER_REJECTED,
        'sampling needs a person to allow it; nobody is here',
      );
    }
    const isAllowed = await talk(
      (dialogue) => askConsent(request, { model: model.label, maxTokens }, dialogue),
      signal,
    );
    if (!isAllowed) throw new RefusedRequest(USER_REJECTED, 'User rejected sampling request');
    return sample(model, request, signal);
  };
}

async function sample(model: ModelProvider, request: SamplingRequest, signal: AbortSignal) {
  const messages = request.messages.map(
    ({ role, text }): ModelMessage =>
      role === 'user' ? { role, text } : { role, text, toolCalls: [], state: undefined },
  );
  const reply = await model
    .reply({ system: request.system, messages, tools: [] }, SILENT, signal)
    .catch((error: unknown) => {
      signal.throwIfAborted();
      // What the provider said is between it and the person.
      throw new RefusedRequest(INTERNAL_FAULT, `the model failed (${toAppError(error).code})`);
    });
  if (reply.finish !== 'stop' && reply.finish !== 'length') {
    throw new RefusedRequest(INTERNAL_FAULT, `the model gave no answer (${reply.finish})`);
  }
  const stopReason = reply.finish === 'stop' ? ('endTurn' as const) : ('maxTokens' as const);
  return { model: model.label, text: reply.text, stopReason };
}

const SILENT = {
  onText: () => undefined,
  onReset: () => undefined,
  onRetry: () => undefined,
};

async function askConsent(
  request: SamplingRequest,
  by: { readonly model: string; readonly maxTokens: number },
  dialogue: Dialogue,
): Promise<boolean> {
  const { columns, strong } = dialogue;
  const { server, system, messages } = request;
  const shown = messages.slice(0, SHOWN_MESSAGES);
  const left = messages.length - shown.length;
  const quote = (title: string, text: string, most: number | undefined) => [
    ...ourLines(title, columns, '  '),
    ...quoteLines(text, columns, most),
  ];
  const view = (most: number | undefined, list: SamplingRequest['messages']) => [
    ...(system === '' ? [] : quote('system prompt:', system, most)),
    ...list.flatMap(({ role, text }) => quote(`${role}:`, text, most)),
  ];
  dialogue.show([
    '',
    ...ourLines(
      `${strong(quoteInline(server))} wants your model ${quoteInline(by.model)} to answer this, in at most ${by.maxTokens} tokens; the answer goes to the server:`,
      columns,
    ),
    ...view(undefined, shown),
    ...(left > 0 ? ourLines(`… ${left} more messages; v shows all`, columns, '  ') : []),
    ...ourLines('y yes, n no, v view everything', columns, '  '),
  ]);
  for (;;) {
    const typed = await dialogue.read('Allow? [y/n/v] ');
    if (typed.kind !== 'line') return false;
    switch (typed.text.trim().toLowerCase()) {
      case 'y':
      case 'yes':
        return true;
      case 'n':
      case 'no':
        return false;
      case 'v':
        dialogue.show(view(MAX_VIEW_CHARACTERS, messages));
        break;
    }
  }
}

const MAX_VIEW_CHARACTERS = 64 * 1024;
