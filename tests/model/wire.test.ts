import { describe, expect, test } from 'bun:test';
import { isJsonObject, type JsonObject } from '../../src/base/json.ts';
import { askOn, chunk, HELLO, modelOn, raw, stream } from './harness.ts';

/** The parts of a chat request these tests look at. */
interface ChatBody {
  readonly stream_options?: object;
  readonly messages: readonly { readonly reasoning_content?: string }[];
  readonly tools: readonly { readonly function: { readonly name: string } }[];
}

async function bodyOf(request: Request): Promise<ChatBody> {
  // Made by the package under test; a wrong shape fails the comparison.
  return (await request.json()) as ChatBody;
}

describe('chat completions of odd servers', () => {
  const fine: readonly (readonly [string, Parameters<typeof modelOn>[0], string])[] = [
    [
      'events without choices in between',
      [stream('{"type":"ping"}', chunk({ content: 'a' }), '{}', chunk({}, 'stop'))],
      'a',
    ],
    [
      'an opening with a role alone',
      [
        stream(
          chunk({ role: 'assistant', content: '', refusal: null }),
          chunk({ content: 'a' }),
          chunk({ content: '' }, 'stop'),
        ),
      ],
      'a',
    ],
    [
      'an empty finish reason on every chunk',
      [stream(chunk({ content: 'a' }, ''), chunk({ content: 'b' }, 'stop'))],
      'ab',
    ],
    ['no content type', [raw(`data: ${chunk({ content: 'a' }, 'stop')}\n\n`, {})], 'a'],
    [
      'no blank line at the very end',
      [raw(`data: ${chunk({ content: 'a' })}\n\ndata: ${chunk({}, 'stop')}`)],
      'a',
    ],
    [
      'comments and events with names',
      [raw(`: hi\nevent: message\ndata: ${chunk({ content: 'a' }, 'stop')}\n\n`)],
      'a',
    ],
    [
      'one event over two data lines',
      [
        raw(
          `data: {"choices":\ndata: [{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}\n\n`,
        ),
      ],
      'a',
    ],
    [
      'a finish reason quoted in the text',
      [stream(chunk({ content: '"finish_reason":"stop"' }), chunk({}, 'stop'))],
      '"finish_reason":"stop"',
    ],
    [
      'text after [DONE]',
      [stream(chunk({ content: 'a' }, 'stop'), '[DONE]', chunk({ content: 'late' }))],
      'a',
    ],
  ];
  for (const [what, answers, text] of fine) {
    test(`are read: ${what}`, async () => {
      const { model, requests } = await modelOn(answers);
      expect((await askOn(model)).reply?.text).toBe(text);
      expect(requests).toHaveLength(1);
    });
  }

  test('that say stop beside tool calls mean the calls', async () => {
    const call = { index: 0, id: 'c', type: 'function', function: { name: 't', arguments: '{}' } };
    const { model } = await modelOn([stream(chunk({ tool_calls: [call] }), chunk({}, 'stop'))]);
    const { reply } = await askOn(model);
    expect(reply).toMatchObject({
      finish: 'tool_calls',
      toolCalls: [{ id: 'c', name: 't', argumentsText: '{}' }],
    });
  });

  test('that put a call or a thought into the chunk with the role lose neither', async () => {
    const call = { index: 0, id: 'c', type: 'function', function: { name: 't', arguments: '{}' } };
    const role = { role: 'assistant', content: null };
    const { model } = await modelOn([
      stream(
        chunk({ ...role, reasoning_content: 'hm' }),
        chunk({ ...role, tool_calls: [call] }),
        chunk({}, 'tool_calls'),
      ),
    ]);
    const { reply } = await askOn(model);
    expect([reply?.toolCalls, JSON.stringify(reply?.state).includes('hm')]).toEqual([
      [{ id: 'c', name: 't', argumentsText: '{}' }],
      true,
    ]);
  });

  test('that say tool_calls without any gave no answer', async () => {
    const { model } = await modelOn([stream(chunk({ content: 'a' }), chunk({}, 'tool_calls'))]);
    expect((await askOn(model)).reply?.finish).toBe('other');
  });

  test('that keep arguments unterminated hand them on as written', async () => {
    const call = {
      index: 0,
      id: 'c',
      type: 'function',
      function: { name: 't', arguments: '{"a":"ha' },
    };
    const { model } = await modelOn([
      stream(chunk({ tool_calls: [call] }), chunk({}, 'tool_calls')),
    ]);
    expect((await askOn(model)).reply?.toolCalls[0]?.argumentsText).toBe('{"a":"ha');
  });

  const failing: readonly (readonly [string, Parameters<typeof modelOn>[0], number, string])[] = [
    ['only [DONE]', [stream('[DONE]')], 4, 'without a finish reason'],
    ['broken JSON', [stream('{"choices":[{"index', chunk({}, 'stop'))], 4, ''],
    [
      'an error event of plain text',
      [raw('event: error\ndata: out of memory\n\n')],
      4,
      'out of memory',
    ],
    [
      'a JSON error with status 200',
      [
        raw('{"error":{"message":"no such model","code":404}}', {
          'content-type': 'application/json',
        }),
      ],
      1,
      'no such model',
    ],
    [
      'a JSON overload with status 200',
      [raw('{"error":"overloaded"}', { 'content-type': 'application/json' })],
      4,
      'overloaded',
    ],
    [
      'another JSON document',
      [raw('{"object":"list"}', { 'content-type': 'application/json' })],
      1,
      '200 with application/json instead of an event stream',
    ],
    [
      'a used-up account',
      [
        () =>
          Response.json({ error: { message: 'pay', code: 'insufficient_quota' } }, { status: 429 }),
      ],
      1,
      'pay',
    ],
    [
      'an error in FastAPI form',
      [() => Response.json({ detail: [{ loc: ['x'], msg: 'field required' }] }, { status: 422 })],
      1,
      'field required',
    ],
    ['an empty error body', [() => new Response('', { status: 400 })], 1, '400 Bad Request'],
  ];
  for (const [what, answers, tries, text] of failing) {
    test(`fail after ${tries} requests: ${what}`, async () => {
      const { model, requests } = await modelOn(answers);
      const { error } = await askOn(model);
      expect(error).toMatchObject({ code: 'provider', exit: 8 });
      expect(String(error)).toContain(text);
      expect(requests).toHaveLength(tries);
    });
  }

  test('are given an error body of megabytes only in part', async () => {
    const { model } = await modelOn([() => new Response('x'.repeat(5_000_000), { status: 400 })]);
    const { error } = await askOn(model);
    expect(String(error).length).toBeLessThan(700);
  });

  test('are refused an event above 16 MiB', async () => {
    const big = `data: ${'x'.repeat(1024 * 1024)}\n`.repeat(17);
    const { model } = await modelOn([raw(`${big}\n`)]);
    expect((await askOn(model)).error).toMatchObject({
      code: 'limit',
      details: { limit: 'sse_event' },
    });
  });

  test('get no time beyond the first-byte clock', async () => {
    const { model } = await modelOn(
      [
        () =>
          new Response(new ReadableStream(), { headers: { 'content-type': 'text/event-stream' } }),
      ],
      {
        config: { timeout: { firstByteMs: 30, idleMs: 2000 } },
      },
    );
    expect((await askOn(model)).error).toMatchObject({
      details: { limit: 'model.timeout.firstByte' },
    });
  });

  test('end at once when the usage came and the socket stays open', async () => {
    const usage = '{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}';
    const text = [chunk({ content: 'a' }), chunk({}, 'stop'), usage]
      .map((data) => `data: ${data}\n\n`)
      .join('');
    const { model } = await modelOn([
      () => {
        const body = new ReadableStream<Uint8Array>({
          start: (controller) => controller.enqueue(new TextEncoder().encode(text)),
        });
        return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
      },
    ]);
    const before = performance.now();
    expect((await askOn(model)).reply?.usage).toEqual({ inputTokens: 3, outputTokens: 4 });
    expect(performance.now() - before).toBeLessThan(900);
  });
});

describe('Anthropic, Gemini and OpenAI on odd wires', () => {
  test('Anthropic events without names are read', async () => {
    const { model } = await modelOn(
      [
        stream(
          '{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}}',
          '{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}',
          '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}',
          '{"type":"content_block_stop","index":0}',
          '{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":2}}',
        ),
      ],
      { provider: 'anthropic' },
    );
    expect((await askOn(model)).reply).toMatchObject({ text: 'a', finish: 'stop' });
  });

  test('a prompt Gemini blocks is said to be blocked, once', async () => {
    const { model, requests } = await modelOn(
      [stream('{"promptFeedback":{"blockReason":"SAFETY"}}')],
      { provider: 'google' },
    );
    expect(String((await askOn(model)).error)).toContain('content filter refused the prompt');
    expect(requests).toHaveLength(1);
  });

  test('a wait named in the body of a Gemini 429 is obeyed', async () => {
    const body = {
      error: {
        code: 429,
        message: 'quota',
        status: 'RESOURCE_EXHAUSTED',
        details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '3000s' }],
      },
    };
    const { model } = await modelOn([() => Response.json(body, { status: 429 })], {
      provider: 'google',
    });
    expect(String((await askOn(model)).error)).toContain('it asks to wait 3000 s');
  });

  test('a failed response of OpenAI is asked again by its code', async () => {
    const failed = (code: string) =>
      stream(
        JSON.stringify({ type: 'response.failed', response: { error: { code, message: 'why' } } }),
      );
    for (const [code, tries] of [
      ['server_error', 4],
      ['invalid_prompt', 1],
    ] as const) {
      const { model, requests } = await modelOn([failed(code)], { provider: 'openai' });
      expect(String((await askOn(model)).error)).toContain('why');
      expect(requests).toHaveLength(tries);
    }
  });
});

describe('what a provider refuses', () => {
  const tools = ['alpha', 'beta', 'gamma'].map((name) => ({
    name,
    description: '',
    inputSchema: {},
  }));
  const done = stream(chunk({ content: 'ok' }, 'stop'));
  const texts = [
    "Invalid schema for function 'beta': object schema missing properties",
    "Invalid 'tools[1].function.parameters': bad",
    'tools.1.custom.input_schema: does not support oneOf',
    'GenerateContentRequest.tools[0].function_declarations[1].parameters: unknown name',
  ];
  for (const message of texts) {
    test(`is left out of this and later requests: ${message}`, async () => {
      const refuse = () => Response.json({ error: { message } }, { status: 400 });
      const { model, requests } = await modelOn([refuse, done]);
      const { reply, heard } = await askOn(model, { ...HELLO, tools });
      expect(reply?.text).toBe('ok');
      expect(heard[0]).toEndWith('asking again without the tool beta');
      await askOn(model, { ...HELLO, tools });
      const bodies = await Promise.all(requests.map(bodyOf));
      const names = bodies.map((body) => body.tools.map((tool) => tool.function.name));
      expect(names).toEqual([
        ['alpha', 'beta', 'gamma'],
        ['alpha', 'gamma'],
        ['alpha', 'gamma'],
      ]);
    });
  }

  test('is an error when it names no tool, or several', async () => {
    for (const message of ['bad schema', 'schema of alpha and beta']) {
      const refuse = () => Response.json({ error: { message } }, { status: 400 });
      const { model, requests } = await modelOn([refuse]);
      expect(String((await askOn(model, { ...HELLO, tools })).error)).toContain(message);
      expect(requests).toHaveLength(1);
    }
  });

  test('is asked again without reasoning when that is refused', async () => {
    const refuse = () =>
      Response.json({ error: { message: 'reasoning_content is not supported' } }, { status: 400 });
    const { model, requests } = await modelOn([refuse, done]);
    const { reply } = await askOn(model, {
      ...HELLO,
      messages: [
        ...HELLO.messages,
        {
          role: 'assistant',
          text: '',
          toolCalls: [{ id: 'c', name: 'alpha', argumentsText: '{}' }],
          state: {
            family: 'chat',
            parts: [
              { type: 'reasoning', text: 'hm' },
              { type: 'call', id: 'c' },
            ],
          },
        },
        { role: 'tool', results: [{ callId: 'c', name: 'alpha', text: 'r', status: 'ok' }] },
      ],
      tools,
    });
    expect(reply?.text).toBe('ok');
    const bodies = await Promise.all(requests.map(bodyOf));
    expect(bodies.map((body) => body.messages[1]?.reasoning_content)).toEqual(['hm', undefined]);
  });

  test('is asked again without stream_options when those are refused', async () => {
    const refuse = () =>
      Response.json({ detail: 'stream_options: extra inputs are not permitted' }, { status: 422 });
    const { model, requests } = await modelOn([refuse, done]);
    expect((await askOn(model)).reply?.text).toBe('ok');
    const bodies = await Promise.all(requests.map(bodyOf));
    expect(bodies.map((body) => body.stream_options)).toEqual([{ include_usage: true }, undefined]);
  });

  test('ends after one more try when the provider refuses the same again', async () => {
    const refuse = () => Response.json({ error: { message: 'stream_options' } }, { status: 400 });
    const { model, requests } = await modelOn([refuse]);
    expect((await askOn(model)).error).toMatchObject({ code: 'provider' });
    expect(requests).toHaveLength(2);
  });
});

describe('what another provider gave for itself', () => {
  const states: readonly (readonly [string, JsonObject])[] = [
    ['of another family', { family: 'anthropic', parts: [{ type: 'reasoning', text: 'hm' }] }],
    [
      'of an unknown shape',
      { family: 'chat', parts: ['x', { type: 'reasoning' }, { type: 'new' }] },
    ],
    ['without parts', { family: 'chat' }],
  ];
  for (const [what, state] of states) {
    test(`is not handed on: ${what}`, async () => {
      const { model, requests } = await modelOn([stream(chunk({ content: 'ok' }, 'stop'))]);
      const toolCalls = [{ id: 'c', name: 't', argumentsText: '{"a":1}' }];
      await askOn(model, {
        ...HELLO,
        messages: [
          ...HELLO.messages,
          { role: 'assistant', text: 'said', toolCalls, state },
          { role: 'tool', results: [{ callId: 'c', name: 't', text: 'r', status: 'ok' }] },
        ],
      });
      const body = await requests[0]?.json();
      expect(body).toMatchObject({ model: 'm' });
      expect(bodyMessages(body)[1]).toEqual({
        role: 'assistant',
        content: 'said',
        tool_calls: [{ id: 'c', type: 'function', function: { name: 't', arguments: '{"a":1}' } }],
      });
    });
  }
});

function bodyMessages(body: unknown): readonly unknown[] {
  return isJsonObject(body) && Array.isArray(body['messages']) ? body['messages'] : [];
}
