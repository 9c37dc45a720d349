/** What a WebSocket frame holds, lenient: one JSON text, or several in a row. Pure. */
import { type JsonObject, tryParseJson } from '../base/json.ts';
import { rpcMessages } from './message.ts';

/** The messages of one frame, in order; `stray` is text in it that is none: all of it, or its first piece. */
export interface FrameContent {
  readonly messages: readonly JsonObject[];
  readonly stray: string | undefined;
}

/** Reads a whole frame. Every character is looked at a bounded number of times. */
export function readFrame(frame: string): FrameContent {
  const text = frame.startsWith('\uFEFF') ? frame.slice(1) : frame;
  if (text.trim() === '') return { messages: [], stray: undefined };
  const whole = tryParseJson(text);
  const parts = whole === undefined ? jsonTexts(text) : [text];
  const messages: JsonObject[] = [];
  let stray: string | undefined;
  for (const part of parts) {
    const value = whole ?? tryParseJson(part);
    const found = rpcMessages(value);
    messages.push(...found);
    if (found.length === 0 && !isEmptyBatch(value)) stray ??= part;
  }
  return { messages, stray: stray !== undefined && messages.length === 0 ? text : stray };
}

function isEmptyBatch(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** Cuts at the ends of objects and arrays, and at line ends outside them. */
function jsonTexts(text: string): readonly string[] {
  const parts: string[] = [];
  let from = 0;
  let depth = 0;
  let isString = false;
  const cut = (to: number) => {
    const part = text.slice(from, to).trim();
    if (part !== '') parts.push(part);
    from = to;
  };
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (isString) {
      if (char === '\\') at += 1;
      else if (char === '"') isString = false;
    } else if (char === '"') isString = depth > 0;
    else if (char === '{' || char === '[') {
      if (depth === 0) cut(at);
      depth += 1;
    } else if ((char === '}' || char === ']') && depth > 0) {
      depth -= 1;
      if (depth === 0) cut(at + 1);
    } else if (char === '\n' && depth === 0) cut(at);
  }
  cut(text.length);
  return parts;
}
