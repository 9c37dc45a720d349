/** From a tool's result to the text a model gets: content blocks in order, structured content, clean, bounded. */
import { isDeeperThan, MAX_JSON_DEPTH } from '../base/depth.ts';
import { isJsonObject, type JsonValue } from '../base/json.ts';
import { scrubSecrets } from '../base/redact.ts';
import { saysTheSame } from '../base/same-text.ts';
import type { ToolResult } from '../tools/types.ts';
import type { ArtifactOptions } from './artifacts.ts';
import { boundText } from './bound.ts';
import { renderBlock } from './content.ts';
import type { KeptResults } from './kept.ts';
import { sanitizeText } from './sanitize.ts';
import type { RenderedResult, SavedArtifact } from './types.ts';

export const MAX_RESULT_CHARACTERS = 50_000;
export const EMPTY_RESULT = '(empty result)';
/** Some wire formats have no mark for an error: the text has to say it. */
const EMPTY_ERROR = '(the tool failed and said nothing)';

export interface RenderOptions extends ArtifactOptions {
  /** Default 50,000 code points. */
  readonly maxCharacters?: number;
  /** Results that a model can read on with tools of ours; absent: the marker names the file only. */
  readonly kept?: KeptResults | undefined;
}

/**
 * Renders a result. Never throws for what a server sent or for a file that cannot be written. Structured
 * content is left out where a text block is the same JSON.
 */
export async function renderResult(
  result: ToolResult,
  options: RenderOptions,
): Promise<RenderedResult> {
  const parts: string[] = [];
  const artifacts: SavedArtifact[] = [];
  for (const block of result.content) {
    const { text, artifact } = await renderBlock(block, options);
    if (text !== '') parts.push(text);
    if (artifact !== undefined) artifacts.push(artifact);
  }
  const { structuredContent } = result;
  if (isDeeperThan(structuredContent)) {
    parts.push(`[structured content of more than ${MAX_JSON_DEPTH} levels is not shown]`);
  } else if (isWorthShowing(structuredContent) && !isTextOf(structuredContent, result)) {
    parts.push(sanitizeText(JSON.stringify(structuredContent, null, 2)));
  }
  const joined = scrubSecrets(parts.join('\n'));
  const nothing = result.isError ? EMPTY_ERROR : EMPTY_RESULT;
  const whole = joined.trim() === '' ? nothing : joined;
  const bounded = await boundText(whole, options.maxCharacters ?? MAX_RESULT_CHARACTERS, options);
  return {
    text: bounded.text,
    isError: result.isError,
    artifacts,
    omittedCharacters: bounded.omittedCharacters,
  };
}

function isWorthShowing(value: JsonValue | undefined): value is JsonValue {
  return value !== undefined && value !== null;
}

/** True when a text block says all of it. */
function isTextOf(value: JsonValue, result: ToolResult): boolean {
  return result.content.some((block) => {
    // A server may send anything as a block.
    if (!isJsonObject(block) || block['type'] !== 'text') return false;
    const text = block['text'];
    return typeof text === 'string' && saysTheSame(text, value);
  });
}
