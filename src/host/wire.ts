/**
 * Watches what goes over the wire to one server, without touching it: every request with its times, and
 * what its answer says about the server. Bodies go through as they come; values of secrets are not kept.
 */
import type { Clock } from '../base/clock.ts';
import type { Fetch, FetchInit } from '../base/http.ts';
import { isJsonObject, type JsonObject, tryParseJson } from '../base/json.ts';
import type { Child, Spawn } from '../base/spawn.ts';
import { createSseParser } from '../sse/parser.ts';

/** One request of ours. */
export interface WireStep {
  /** The JSON-RPC method; `GET`, `DELETE` where there is none. */
  readonly name: string;
  readonly startedMs: number;
  /** Until its answer, or the headers of an answer that holds none; `undefined`: nothing came. */
  ms: number | undefined;
  /** `HTTP 404`, a JSON-RPC error, a network failure; `undefined`: all is well so far. */
  remark: string | undefined;
  readonly params: JsonObject;
  result: JsonObject | undefined;
  /** HTTP only: names of the headers sent, with the values of those that are no secret. */
  readonly sent: Readonly<Record<string, string>>;
  readonly received: Record<string, string>;
}

export interface Wire {
  readonly steps: readonly WireStep[];
  fetch(real: Fetch): Fetch;
  spawn(real: Spawn): Spawn;
}

const MAX_LINE_CHARACTERS = 4 * 1024 * 1024;
/** Sent headers whose values are shown; of others only that they were sent. */
const OPEN_HEADERS = /^(mcp-(?!session)|accept$|content-type$|user-agent$)/;
/** Received headers that explain how a server behaves. */
const TELLING = ['content-type', 'server', 'allow', 'retry-after', 'location', 'cache-control'];

export function watchWire(clock: Clock): Wire {
  const steps: WireStep[] = [];
  const begin = (message: JsonObject, name: string, sent: Record<string, string>): WireStep => {
    const params = isJsonObject(message['params']) ? message['params'] : {};
    const step: WireStep = {
      name,
      startedMs: clock.now(),
      ms: undefined,
      remark: undefined,
      params,
      result: undefined,
      sent,
      received: {},
    };
    steps.push(step);
    return step;
  };
  const settle = (step: WireStep, message: unknown) => {
    if (!isJsonObject(message) || 'method' in message) return;
    step.ms = clock.now() - step.startedMs;
    const { result, error } = message;
    if (isJsonObject(result)) step.result = result;
    if (isJsonObject(error)) step.remark ??= `error ${error['code'] ?? ''}`.trim();
  };

  return {
    steps,
    fetch(real) {
      const watched: Fetch = async (url, init) => {
        const message = tryParseJson(init.body ?? '');
        const body = isJsonObject(message) ? message : {};
        const step = begin(body, nameOf(body, init), shownHeaders(init.headers));
        try {
          const response = await real(url, init);
          step.ms = clock.now() - step.startedMs;
          if (response.status >= 300) step.remark = `HTTP ${response.status}`;
          noteHeaders(step, response);
          return tapped(response, (answer) => settle(step, answer));
        } catch (error) {
          step.remark = init.signal.aborted ? 'given up' : 'no connection';
          throw error;
        }
      };
      return Object.assign(watched, real);
    },
    spawn: (real) => (options) => {
      const child = real(options);
      const open = new Map<string, WireStep>();
      const stdout = tappedLines(child.stdout, (line) => {
        const message = tryParseJson(line);
        if (!isJsonObject(message)) return;
        const step = open.get(String(message['id']));
        if (step !== undefined) settle(step, message);
      });
      return wrapChild(child, stdout, (message) => {
        const id = String(message['id']);
        if ('method' in message) open.set(id, begin(message, String(message['method']), {}));
      });
    },
  };
}

function nameOf(message: JsonObject, { method }: FetchInit): string {
  const name = message['method'];
  return typeof name === 'string' ? name : method;
}

function shownHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      const key = name.toLowerCase();
      return [key, OPEN_HEADERS.test(key) ? value : '(not shown)'];
    }),
  );
}

function noteHeaders(step: WireStep, { headers }: Response): void {
  for (const name of TELLING) {
    const value = headers.get(name);
    if (value !== null) step.received[name] = value;
  }
  if (headers.has('mcp-session-id')) step.received['mcp-session-id'] = '(not shown)';
  const challenge = headers.get('www-authenticate');
  // The scheme alone: what follows may hold a nonce.
  if (challenge !== null) step.received['www-authenticate'] = challenge.split(/\s/)[0] ?? '';
}

/** The same response; every JSON message of its body is told as well. */
function tapped(response: Response, onMessage: (message: unknown) => void): Response {
  if (response.body === null) return response;
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const decoder = new TextDecoder();
  let text = '';
  const parser = createSseParser({ onEvent: ({ data }) => onMessage(tryParseJson(data)) });
  const tap = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      if (isStream) parser.feed(chunk);
      else if (text.length < MAX_LINE_CHARACTERS) text += decoder.decode(chunk, { stream: true });
      controller.enqueue(chunk);
    },
    flush() {
      if (!isStream) onMessage(tryParseJson(text));
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(tap), { status, statusText, headers });
}

async function* tappedLines(
  stream: AsyncIterable<Uint8Array>,
  onLine: (line: string) => void,
): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    if (text.length > MAX_LINE_CHARACTERS) text = '';
    for (const line of lines) onLine(line);
    yield chunk;
  }
}

function wrapChild(
  child: Child,
  stdout: AsyncIterable<Uint8Array>,
  onSent: (message: JsonObject) => void,
): Child {
  return {
    ...child,
    stdout,
    write(text) {
      const message = tryParseJson(text);
      if (isJsonObject(message) && message['id'] !== undefined) onSent(message);
      return child.write(text);
    },
  };
}
