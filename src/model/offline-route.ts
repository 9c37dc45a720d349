/** Decides whether a prompt clearly asks for one safe tool. In doubt it does not. */
import type { JsonObject } from '../base/json.ts';
import { searchTools } from '../tools/search.ts';
import { foreignForms, glossaryWords } from '../tools/search-glossary.ts';
import { stem } from '../tools/search-stem.ts';
import { fold, splitWords, wordsOf } from '../tools/search-words.ts';
import type { RegisteredTool } from '../tools/types.ts';
import { checkArguments } from '../tools/validate.ts';
import { type FilledCall, fillArguments } from './offline-fill.ts';
import { findValues, type PromptValues } from './offline-values.ts';

export interface Candidate {
  readonly tool: RegisteredTool;
  readonly filled: FilledCall;
}

export type Route =
  | { readonly kind: 'call'; readonly tool: RegisteredTool; readonly args: JsonObject }
  | { readonly kind: 'unclear'; readonly candidates: readonly Candidate[] };

/** The best of the tools, best first. */
export type Rank = typeof searchTools;

const MAX_CANDIDATES = 5;
const MAX_RANKED = 20;
/** The best must score this much more than the next tool that could be called as well. */
const LEAD = 1.2;
/** Share of the prompt's words that the tool must know. */
const MIN_COVERAGE = 0.5;

/**
 * A call only when one tool ranks first, has all its required arguments, uses every value the prompt
 * gives, fits its schema, claims readOnlyHint and leads clearly; else the best candidates with what could be
 * filled. `now`: what `tomorrow` is told from. `rank`: default by what the tools say of
 * themselves.
 */
export function routePrompt(
  prompt: string,
  tools: readonly RegisteredTool[],
  now: Date,
  rank: Rank = searchTools,
): Route {
  const found = findValues(prompt, now);
  const words = queryWords(found);
  const ranked = rank(tools, searchText(found), MAX_RANKED).map(({ tool, score }) => ({
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
    !asksForMore(best.tool, found) &&
    checkArguments(best.tool.definition.inputSchema, best.filled.args).length === 0 &&
    coverage(best.tool, words) >= MIN_COVERAGE &&
    rivals.every((rival) => best.score >= rival.score * LEAD);
  if (isClear) return { kind: 'call', tool: best.tool, args: best.filled.args };
  return { kind: 'unclear', candidates: ranked.slice(0, MAX_CANDIDATES) };
}

/** Words of a command line and of everyday speech, in the words tools use: no others count as met. */
const SYNONYMS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    show: 'read get',
    display: 'read get',
    print: 'read',
    open: 'read',
    cat: 'read file',
    view: 'read get',
    content: 'read',
    ls: 'list directory',
    dir: 'list directory',
    folder: 'directory',
    grep: 'search text',
    look: 'search find',
    find: 'search',
    fetch: 'get',
    current: 'now latest',
    picture: 'image',
    website: 'page url',
    url: 'link page',
  }).map(([word, others]) => [stem(word), others.split(' ').map(stem)]),
);

/** Each word that says something, with its synonyms. */
function queryWords(found: PromptValues): readonly (readonly string[])[] {
  return [...new Set(wordsOf(found.rest))]
    .filter((word) => !FILLER.has(word))
    .map((word) => [word, ...(SYNONYMS.get(word) ?? [])]);
}

/** What is looked for: the prompt without its values, and what kind of thing they are. */
function searchText(found: PromptValues): string {
  const endings = found.values.flatMap(({ kind, text }) =>
    kind === 'path' ? (/\w\.(\w+)$/.exec(text)?.[1] ?? []) : [],
  );
  const isFile = endings.length > 0;
  const wantsList = /\bfiles\b/i.test(found.rest) && !isFile && !hasSubject(found);
  const hasUrl = found.values.some(({ kind }) => kind === 'url');
  const verb = wantsList && !/\b(?:find|search)/i.test(found.rest) ? 'list directory' : '';
  return [
    found.text.replaceAll('\0', ' '),
    ...(isFile ? ['file', ...endings] : []),
    hasUrl ? 'url' : '',
    verb,
  ].join(' ');
}

const FILLER = new Set(
  'here there all current this can could would let give tell their now please today'
    .split(' ')
    .map(stem),
);

/** Who asks for these wants something changed. */
const CHANGING = stems(
  `delete remove erase drop wipe purge clear trash write save create add append insert put edit modify update rename move replace
  send submit publish upload push merge reset revert undo install uninstall start stop kill terminate restart close cancel approve
  reject enable disable buy sell pay sign execute run`,
);
/** These are things as often as deeds: a tool that speaks of them anywhere may be meant. */
const DEEDS_OR_THINGS = stems(
  'order book commit post copy format change set store deploy transfer',
);
const NEGATION =
  /\b(?:not|never|no|without|except|don['’]?t|doesn['’]?t|shouldn['’]?t|mustn['’]?t|nicht|kein\w*|pas|ne|nunca|non)\b|[不别勿没]/i;

/** True when the prompt asks for a change that the tool does not speak of itself, or for something not to be done. */
function asksForMore(tool: RegisteredTool, found: PromptValues): boolean {
  if (NEGATION.test(found.rest)) return true;
  const { title = '', description = '' } = tool.definition;
  const name = new Set(wordsOf(`${tool.name} ${title}`));
  const all = new Set([...name, ...wordsOf(description)]);
  const foreign = foreignForms(splitWords(found.rest).map(fold), () => false);
  const asked = [
    ...wordsOf(found.rest),
    ...[...foreign.values()].flat(),
    ...glossaryWords(found.rest),
  ];
  return asked.some(
    (word) =>
      (CHANGING.has(word) && !name.has(word)) || (DEEDS_OR_THINGS.has(word) && !all.has(word)),
  );
}

function hasSubject(found: PromptValues): boolean {
  return found.values.some(({ kind }) => kind === 'quoted' || kind === 'glob' || kind === 'url');
}

function isComplete(filled: FilledCall): boolean {
  return filled.missing.length === 0 && !filled.hasLeftover && filled.guesses === 0;
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

/** Share of the prompt's words that the tool has, literally or by a synonym that is no guess. */
function coverage(tool: RegisteredTool, words: readonly (readonly string[])[]): number {
  const { definition } = tool;
  const text = [tool.name, definition.title, tool.server, definition.description].join(' ');
  const known = new Set(wordsOf(text));
  const matched = words.filter((forms) => forms.some((form) => known.has(form)));
  return words.length === 0 ? 0 : matched.length / words.length;
}

function stems(words: string): ReadonlySet<string> {
  return new Set(words.split(/\s+/).map(stem));
}
