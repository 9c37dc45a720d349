/** Keeps a conversation under `contextTokens` by shrinking the oldest tool results (design 5). */
import type { ModelMessage, ModelRequest, ModelTool } from '../model/types.ts';

/** Rough but stable: a token is about four bytes of UTF-8. */
const BYTES_PER_TOKEN = 4;

/** Read by the model in place of an old result. */
export const SHRUNK_RESULT =
  '[an older tool result was left out to save space; call the tool again if it is needed]';

/** Estimated input tokens of a request: text, calls and tool definitions. */
export function estimateTokens(request: ModelRequest): number {
  let bytes = Buffer.byteLength(request.system);
  for (const tool of request.tools) bytes += bytesOnce(tool, toolBytes);
  for (const message of request.messages) bytes += bytesOnce(message, messageBytes);
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/**
 * The messages with the oldest tool results replaced by a marker until the estimate fits.
 * The results of the last tool message stay whole. `undefined` contextTokens = no limit.
 */
export function fitContext(
  request: ModelRequest,
  contextTokens: number | undefined,
): readonly ModelMessage[] {
  if (contextTokens === undefined) return request.messages;
  let excessBytes = (estimateTokens(request) - contextTokens) * BYTES_PER_TOKEN;
  if (excessBytes <= 0) return request.messages;
  const lastTool = request.messages.findLastIndex((message) => message.role === 'tool');
  return request.messages.map((message, index) => {
    if (message.role !== 'tool' || index >= lastTool || excessBytes <= 0) return message;
    const results = message.results.map((result) => {
      const saved = Buffer.byteLength(result.text) - Buffer.byteLength(SHRUNK_RESULT);
      if (excessBytes <= 0 || saved <= 0) return result;
      excessBytes -= saved;
      return { ...result, text: SHRUNK_RESULT };
    });
    return { ...message, results };
  });
}

/** Tools and messages are measured at every turn and never change. */
const measured = new WeakMap<object, number>();

function bytesOnce<T extends object>(part: T, measure: (part: T) => number): number {
  const known = measured.get(part);
  if (known !== undefined) return known;
  const bytes = measure(part);
  measured.set(part, bytes);
  return bytes;
}

function toolBytes(tool: ModelTool): number {
  return Buffer.byteLength(JSON.stringify(tool));
}

function messageBytes(message: ModelMessage): number {
  switch (message.role) {
    case 'user':
      return Buffer.byteLength(message.text);
    case 'assistant':
      return (
        Buffer.byteLength(message.text) +
        message.toolCalls.reduce(
          (sum, call) => sum + Buffer.byteLength(call.argumentsText) + call.name.length,
          0,
        )
      );
    case 'tool':
      return message.results.reduce((sum, result) => sum + Buffer.byteLength(result.text), 0);
  }
}
