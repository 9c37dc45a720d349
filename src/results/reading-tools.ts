/** The tools by which a model reads on in a cut result, without calling its server again. */
import type { JsonObject, JsonValue } from '../base/json.ts';
import { defineTool } from '../base/own-tool.ts';
import type { SourceCall, ToolDefinition, ToolResult, ToolSource } from '../tools/types.ts';
import { GREP_NAME, type KeptResults, SLICE_NAME } from './kept.ts';
import {
  DEFAULT_CONTEXT,
  DEFAULT_SLICE,
  grepText,
  MAX_CONTEXT,
  MAX_SLICE,
  sliceText,
} from './reading.ts';

/** No configured server can have this name. */
export const READING_NAME = '@results';

const ID = {
  type: 'string',
  description: 'The id named where the result was cut.',
} as const;

/** Read by the model; reviewed as prose. */
export const READING_TOOLS: readonly ToolDefinition[] = [
  define(
    SLICE_NAME,
    'Reads a piece of a tool result that was cut because it was too long. Reads what was kept of that result; the server is not called again.',
    {
      id: ID,
      offset: {
        type: 'integer',
        minimum: 0,
        description: 'First character of the piece, counted from 0. Default 0.',
      },
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: MAX_SLICE,
        description: `Characters to read. Default ${DEFAULT_SLICE}, at most ${MAX_SLICE}.`,
      },
    },
    ['id'],
  ),
  define(
    GREP_NAME,
    'Finds every place of a text in a tool result that was cut because it was too long. The text is taken literally, in upper or lower case. The server is not called again.',
    {
      id: ID,
      text: { type: 'string', minLength: 1, description: 'What to look for. No pattern.' },
      context: {
        type: 'integer',
        minimum: 0,
        maximum: MAX_CONTEXT,
        description: `Characters to show before and after each place. Default ${DEFAULT_CONTEXT}.`,
      },
    },
    ['id', 'text'],
  ),
];

export function createReadingSource(kept: KeptResults): ToolSource {
  return {
    name: READING_NAME,
    kind: 'builtin',
    identity: 'builtin:results',
    ownNames: true,
    isFree: true,
    alwaysOffered: true,
    call: (call) => Promise.resolve(read(kept, call)),
  };
}

function read(kept: KeptResults, { tool, arguments: args }: SourceCall): ToolResult {
  const { id } = args;
  const text = typeof id === 'string' ? kept.read(id) : undefined;
  if (text === undefined) {
    const ids = kept.list().map((one) => one.id);
    return resultOf(
      `There is no kept result with this id. Kept: ${ids.join(', ') || 'none'}.`,
      true,
    );
  }
  if (tool === SLICE_NAME) {
    return resultOf(
      sliceText(text, countOf(args['offset'], 0), countOf(args['limit'], DEFAULT_SLICE)),
    );
  }
  const wanted = args['text'];
  if (typeof wanted !== 'string' || wanted === '') return resultOf('text is missing.', true);
  return resultOf(grepText(text, wanted, countOf(args['context'], DEFAULT_CONTEXT)));
}

function countOf(value: JsonValue | undefined, fallback: number): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : fallback;
}

function resultOf(text: string, isError = false): ToolResult {
  const content = [{ type: 'text', text }];
  return { content, structuredContent: undefined, isError, raw: { content, isError } };
}

function define(
  name: string,
  description: string,
  properties: JsonObject,
  required: readonly string[],
): ToolDefinition {
  const hints = { readOnlyHint: true, openWorldHint: false };
  return defineTool({ name, description, properties, required }, hints);
}
