import { describe, expect, test } from 'bun:test';
import type { JsonObject } from '../../../src/base/json.ts';
import {
  answerElicitation,
  type Elicitation,
  type ElicitationAnswer,
} from '../../../src/mcp/handlers/elicitation.ts';
import { RefusedRequest } from '../../../src/mcp/handlers/refusal.ts';

const never = new AbortController().signal;
const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };

/** Answers one request and tells what the port saw. */
async function answer(params: JsonObject, given: ElicitationAnswer) {
  const seen: Elicitation[] = [];
  const result = await answerElicitation(
    async (request) => {
      seen.push(request);
      return given;
    },
    'forge',
    params,
    never,
  ).catch((error: unknown) =>
    error instanceof RefusedRequest ? { refused: error.rpcCode, message: error.message } : error,
  );
  return { result, seen };
}

const accept = (content: JsonObject = {}): ElicitationAnswer => ({ action: 'accept', content });

describe('a form', () => {
  test('is put to the port, and its answer is sent', async () => {
    const params = { message: 'Who?', requestedSchema: schema };
    const { result, seen } = await answer(params, accept({ name: 'Ada' }));
    expect(result).toEqual({ action: 'accept', content: { name: 'Ada' } });
    expect(seen).toMatchObject([
      { mode: 'form', server: 'forge', message: 'Who?', form: { fields: [{ name: 'name' }] } },
    ]);
  });

  test.each(['decline', 'cancel'] as const)('%s is sent without content', async (action) => {
    const { result } = await answer({ mode: 'form', requestedSchema: schema }, { action });
    expect(result).toEqual({ action });
  });

  test('an answer that does not fit is never sent', async () => {
    const { result } = await answer({ requestedSchema: schema }, accept({ nickname: 1 }));
    expect(result).toEqual({
      refused: -32603,
      message:
        'the answer does not fit: nickname: the form has no such field; name: it is required',
    });
  });
});

describe('an address', () => {
  test('is put to the port, and accepted without content', async () => {
    const params = {
      mode: 'url',
      message: 'Sign in',
      url: 'https://a.example/x',
      elicitationId: 'e1',
    };
    const { result, seen } = await answer(params, accept({ ignored: true }));
    expect(result).toEqual({ action: 'accept' });
    const url = new URL('https://a.example/x');
    expect(seen).toEqual([{ mode: 'url', server: 'forge', message: 'Sign in', url, id: 'e1' }]);
  });

  test.each([
    ['file:///etc/passwd', 'only http and https addresses are opened'],
    ['javascript:alert(1)', 'only http and https addresses are opened'],
    ['https://bank.example@evil.example/', 'url must not name a user'],
    ['not an address', 'url is no URL'],
    [`https://a.example/${'x'.repeat(8192)}`, 'url is no URL'],
  ])('%.40s is nobody to be shown', async (url, message) => {
    const { result, seen } = await answer({ mode: 'url', message: '', url }, accept());
    expect([result, seen]).toEqual([{ refused: -32602, message }, []]);
  });
});

test('an unknown mode and a bad schema are invalid', async () => {
  const unknown = await answer({ mode: 'voice', message: 'x' }, accept());
  expect(unknown.result).toEqual({ refused: -32602, message: 'unknown elicitation mode "voice"' });
  const bad = await answer({ message: 'x' }, accept());
  expect(bad.result).toEqual({ refused: -32602, message: 'requestedSchema is no object' });
});
