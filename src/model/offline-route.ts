/** Decides whether a prompt clearly asks for one safe tool. In doubt it does not. */
import type { JsonObject } from '../base/json.ts';
import { searchTools } from '../tools/search.ts';
import { wordsOf } from '../tools/search-words.ts';
import type { RegisteredTool } from '../tools/types.ts';
import { type FilledCall, fillArguments } from './offline-fill.ts';
import { findValues, type PromptValues } from './offline-values.ts';

export interface Candidate {
  readonly tool: RegisteredTool;
  readonly filled: FilledCall;
}

export type Route =
  | { readonly kind: 'call'; readonly tool: RegisteredTool; readonly args: JsonObject }
  | { readonly kind: 'unclear'; readonly candidates: readonly Candidate[] };

const MAX_CANDIDATES = 5;
const MAX_RANKED = 20;
/** The best must score this much more than the next tool that could be called as well. */
const LEAD = 1.2;
/** Share of the prompt's words that the tool must know. */
const MIN_COVERAGE = 0.5;

/** Words people use, in the words tools use. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  show: ['read'],
  display: ['read'],
  print: ['read'],
  open: ['read'],
  cat: ['read', 'file'],
  view: ['read'],
  content: ['read'],
  ls: ['list', 'directory'],
  dir: ['list', 'directory'],
  folder: ['directory'],
  grep: ['search', 'text'],
  look: ['search'],
};

/**
 * A call only when one tool ranks first, has all its required arguments, uses every value the prompt
 * gives, claims readOnlyHint and leads clearly; else the best candidates with what could be filled.
 */
export function routePrompt(prompt: string, tools: readonly RegisteredTool[]): Route {
  const found = findValues(prompt);
  const words = queryWords(found);
  const ranked = searchTools(tools, words.flat().join(' '), MAX_RANKED).map(({ tool, score }) => ({
    tool,
    score,
    filled: fillArguments(tool, found, prompt),
  }));
  const [best] = ranked;
  const rivals = ranked
    .slice(1)
    .filter(({ filled }) => isComplete(filled) && usesAsMuch(filled, best?.filled));
  const isClear =
    best !== undefined &&
    isComplete(best.filled) &&
    isReadOnly(best.tool) &&
    coverage(best.tool, words) >= MIN_COVERAGE &&
    rivals.every((rival) => best.score >= rival.score * LEAD);
  if (isClear) return { kind: 'call', tool: best.tool, args: best.filled.args };
  return { kind: 'unclear', candidates: ranked.slice(0, MAX_CANDIDATES) };
}

/** Each word with its synonyms. */
function queryWords(found: PromptValues): readonly (readonly string[])[] {
  const isFile = found.values.some(({ kind, text }) => kind === 'path' && /\w\.\w+$/.test(text));
  const wantsList = /\bfiles\b/i.test(found.rest) && !isFile && !hasSubject(found);
  const words = [...new Set(wordsOf(found.rest))]
    .filter((word) => !FILLER.has(word))
    .map((word) => [
      word,
      ...(wantsList && SYNONYMS[word]?.[0] === 'read' ? ['list'] : (SYNONYMS[word] ?? [])),
    ]);
  // A lone file name asks for that file; the kind of thing is part of what was said.
  return isFile && !words.some((forms) => forms.includes('file')) ? [...words, ['file']] : words;
}

const FILLER = new Set([
  'here',
  'there',
  'all',
  'current',
  'thi',
  'can',
  'could',
  'would',
  'let',
  'give',
  'tell',
  'their',
]);

function hasSubject(found: PromptValues): boolean {
  return found.values.some(({ kind }) => kind === 'quoted' || kind === 'glob' || kind === 'url');
}

function isComplete(filled: FilledCall): boolean {
  return filled.missing.length === 0 && !filled.hasLeftover;
}

/** A tool with no use for a number the other one takes, or a worse one for a text, is no rival. */
function usesAsMuch(filled: FilledCall, best: FilledCall | undefined): boolean {
  return (
    filled.unusedNumbers <= (best?.unusedNumbers ?? 0) &&
    filled.secondChoices <= (best?.secondChoices ?? 0)
  );
}

/** As claimed by the server, and not contradicted by it. */
function isReadOnly(tool: RegisteredTool): boolean {
  const { readOnlyHint, destructiveHint } = tool.definition.annotations;
  return readOnlyHint === true && destructiveHint !== true;
}

function coverage(tool: RegisteredTool, words: readonly (readonly string[])[]): number {
  const { definition } = tool;
  const text = [tool.name, definition.title, tool.server, definition.description].join(' ');
  const known = new Set(wordsOf(text));
  const matched = words.filter((forms) => forms.some((form) => known.has(form)));
  return words.length === 0 ? 0 : matched.length / words.length;
}
