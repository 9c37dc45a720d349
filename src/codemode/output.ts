/** What a model gets of a script: state, time, outputs in order, console, error; cut to a budget. */
import type { JsonObject, JsonValue } from '../base/json.ts';
import { groupDigits } from '../base/text.ts';
import type { ToolResult } from '../tools/types.ts';
import { LIMITS } from './limits.ts';
import type { ScriptItem, ScriptOutcome } from './types.ts';

/** Most of what matters stands at the start; errors stand at the end. */
const HEAD_SHARE = 0.7;
const MAX_ERROR = 4_000;

/** Keeps a whole output as a file. Returns its path, or why it could not be kept. */
export type SaveOutput = (
  text: string,
) => Promise<{ readonly path: string } | { readonly reason: string }>;

/** The outcome as a tool's result. `raw` also has `nestedCalls`; images stay blocks, to be saved like all. */
export async function outcomeResult(
  outcome: ScriptOutcome,
  maxOutputTokens: number,
  save: SaveOutput,
): Promise<ToolResult> {
  const { error } = outcome;
  const body = await cutBlocks(bodyBlocks(outcome), maxOutputTokens, save);
  const content = [
    textBlock(`Script ${error === undefined ? 'completed' : 'failed'} in ${seconds(outcome)}`),
    ...body,
    ...notes(outcome).map(textBlock),
    ...(error === undefined ? [] : [textBlock(error.message.slice(0, MAX_ERROR))]),
  ];
  const isError = error !== undefined;
  return {
    content,
    structuredContent: undefined,
    isError,
    raw: { content, isError, nestedCalls: nestedCallsJson(outcome) },
  };
}

/** The record of the calls as JSON. */
export function nestedCallsJson({ nestedCalls }: ScriptOutcome): JsonObject {
  return {
    complete: nestedCalls.complete,
    calls: nestedCalls.calls.map(({ id, tool, arguments: args, outcome, error }) => ({
      id,
      tool,
      outcome,
      ...(args === undefined ? {} : { arguments: args }),
      ...(error === undefined ? {} : { error }),
    })),
  };
}

/** What the user of a script should know beside its output, one sentence each. */
export function notes(outcome: ScriptOutcome): readonly string[] {
  const { dropped, unawaited, failedCalls } = outcome;
  return [
    ...(dropped === 0 ? [] : [`${groupDigits(dropped)} outputs were over the limit and are lost.`]),
    ...(unawaited.length === 0
      ? []
      : [`Cancelled, because the script ended without awaiting them: ${unawaited.join(', ')}.`]),
    ...(failedCalls.length === 0 ? [] : [`Failed calls:\n${failedCalls.join('\n')}`]),
  ];
}

function bodyBlocks({ items, console: lines }: ScriptOutcome): readonly JsonObject[] {
  const texts = items.filter(({ kind }) => kind === 'text').length;
  let count = 0;
  const blocks = items.map((item: ScriptItem): JsonObject => {
    if (item.kind === 'image') return { type: 'image', mimeType: item.mimeType, data: item.data };
    count += 1;
    return textBlock(texts < 2 ? item.text : `==> text ${count}/${texts} <==\n${item.text}`);
  });
  if (lines.length === 0) return blocks;
  return [...blocks, textBlock(`==> console <==\n${lines.join('\n')}`)];
}

/** The blocks themselves, or head and tail of all texts, then the images. */
async function cutBlocks(
  blocks: readonly JsonObject[],
  maxTokens: number,
  save: SaveOutput,
): Promise<readonly JsonObject[]> {
  const texts = blocks.flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
  const whole = texts.join('\n');
  const room = maxTokens * LIMITS.charactersPerToken;
  if (whole.length <= room) return blocks;
  const saved = await save(whole);
  const where =
    'path' in saved
      ? `the whole output is saved as ${saved.path}`
      : `the whole output is not saved: ${saved.reason}`;
  const head = Math.floor(room * HEAD_SHARE);
  const cut = [
    whole.slice(0, head).toWellFormed(),
    `[… ${groupDigits(whole.length - room)} characters left out; ${where} …]`,
    whole.slice(whole.length - (room - head)).toWellFormed(),
  ].join('\n');
  return [textBlock(cut), ...blocks.filter(({ type }) => type !== 'text')];
}

function seconds({ wallMs }: ScriptOutcome): string {
  return `${(wallMs / 1000).toFixed(wallMs < 10_000 ? 2 : 1)} s`;
}

function textBlock(text: string): { readonly type: JsonValue; readonly text: string } & JsonObject {
  return { type: 'text', text };
}
