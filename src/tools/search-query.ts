/** From what somebody typed to what is looked up: each word with other words that mean as much. Pure. */
import { foreignForms, glossaryWords } from './search-glossary.ts';
import { isWeakWord, MAX_PHRASE, relatedWords } from './search-lexicon.ts';
import { stem } from './search-stem.ts';
import { fold, isStopWord, splitWords } from './search-words.ts';

/** A word of the index to look up, and how much it counts beside the word that was typed. */
export interface QueryForm {
  readonly word: string;
  readonly weight: number;
}

/** One thing that was asked for. A tool has it when it has any of the forms. */
export interface QueryConcept {
  readonly forms: readonly QueryForm[];
  /** 1 for a word that was typed, less for what was only concluded. */
  readonly weight: number;
}

/** What the index knows of words. */
export interface Vocabulary {
  has(word: string): boolean;
  /** Words a typing slip away, nearest first. */
  similar(word: string): readonly string[];
}

const MAX_CONCEPTS = 48;
const TYPO_WEIGHT = 0.5;
const JOINED_WEIGHT = 0.9;
/** Words that most sentences have, beside those that say what is wanted. */
const WEAK_WEIGHT = 0.4;
const VALUE_WEIGHT = 0.3;

/** Concepts in the order of the query; a word counts once. */
export function conceptsOf(query: string, vocabulary: Vocabulary): readonly QueryConcept[] {
  const masked = maskValues(query);
  const written = [...new Set(splitWords(masked))];
  const names = properNames(masked);
  const values = valueWords(masked);
  const foreign = foreignForms(written.map(fold), (word) => vocabulary.has(stem(word)));
  const concepts: QueryConcept[] = [];
  written.forEach((word, index) => {
    const other = foreign.get(fold(word));
    if (other !== undefined) {
      if (other.length > 0) concepts.push(translated(other));
      return;
    }
    if (isStopWord(word)) return;
    const next = written[index + 1];
    const mayBeSlip = !names.has(word);
    const forms = formsOf(
      word,
      next,
      mayBeSlip ? vocabulary : { ...vocabulary, similar: () => [] },
    );
    concepts.push({ forms, weight: weightOf(word, values) });
  });
  for (const forms of phrasesOf(written)) concepts.push({ forms, weight: 1 });
  for (const word of new Set(glossaryWords(query))) {
    concepts.push({ forms: withRelated(word, 1), weight: 1 });
  }
  for (const hint of valueHints(query)) {
    concepts.push({ forms: withRelated(stem(hint), 1), weight: HINT_WEIGHT });
  }
  return concepts.slice(0, MAX_CONCEPTS);
}

function weightOf(word: string, values: ReadonlySet<string>): number {
  if (values.has(word)) return VALUE_WEIGHT;
  return isWeakWord(word) ? WEAK_WEIGHT : 1;
}

/** Words of file names and quoted text: what a tool is to work on, not what it is to do. */
function valueWords(text: string): ReadonlySet<string> {
  const values =
    text.match(
      /[\p{L}\p{N}_-]+\.[A-Za-z]\w{0,7}\b|"[^"]{1,200}"|(?<![\p{L}\p{N}])'[^'\n]{1,200}'(?![\p{L}\p{N}])/gu,
    ) ?? [];
  const outside = new Set(
    splitWords(values.reduce((rest, value) => rest.replace(value, ' '), text)),
  );
  return new Set(values.flatMap((value) => splitWords(value)).filter((word) => !outside.has(word)));
}

/** What phrases of two or three words mean, one concept each. */
function phrasesOf(written: readonly string[]): readonly (readonly QueryForm[])[] {
  const stems = written.map(stem);
  return stems.flatMap((_, at) =>
    [2, MAX_PHRASE].flatMap((length) => {
      if (at + length > stems.length) return [];
      const related = relatedWords(stems.slice(at, at + length).join('_'));
      return related.length === 0 ? [] : [related];
    }),
  );
}

/** Words written like names, but for the first of a sentence: a name is no typing slip. */
function properNames(text: string): ReadonlySet<string> {
  const found =
    text.match(/(?<=[\p{L}\p{N},;] )\p{Lu}[\p{L}\p{N}]*|\b\p{Lu}{2,}\b|\b\p{L}+\p{N}\w*/gu) ?? [];
  return new Set(found.flatMap((word) => splitWords(word)));
}

function translated(words: readonly string[]): QueryConcept {
  return { forms: words.flatMap((word) => withRelated(stem(word), 1)), weight: 1 };
}

function formsOf(
  written: string,
  next: string | undefined,
  vocabulary: Vocabulary,
): readonly QueryForm[] {
  const word = stem(written);
  const forms = [...withRelated(word, 1)];
  // `mind map` and `mindmap` are one word to the people who write them.
  if (next !== undefined) {
    const joined = stem(written + next);
    if (vocabulary.has(joined)) forms.push({ word: joined, weight: JOINED_WEIGHT });
  }
  if (vocabulary.has(word)) return forms;
  const parts = splitCompound(written, vocabulary);
  for (const part of parts) forms.push({ word: part, weight: JOINED_WEIGHT });
  if (forms.length > 1) return forms;
  for (const near of vocabulary.similar(word)) forms.push(...withRelated(near, TYPO_WEIGHT));
  return forms;
}

function withRelated(word: string, weight: number): readonly QueryForm[] {
  return [
    { word, weight },
    ...relatedWords(word).map((form) => ({ word: form.word, weight: form.weight * weight })),
  ];
}

function splitCompound(written: string, vocabulary: Vocabulary): readonly string[] {
  for (let at = 3; at <= written.length - 3; at += 1) {
    const [left, right] = [stem(written.slice(0, at)), stem(written.slice(at))];
    if (vocabulary.has(left) && vocabulary.has(right)) return [left, right];
  }
  return [];
}

const HINT_WEIGHT = 0.8;
/** What a value is says what kind of tool takes it. */
const VALUE_HINTS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/\bhttps?:\/\/\S+/i, ['url', 'web']],
  [/\b\d{1,3}(?:\.\d{1,3}){3}\b/, ['ip']],
  [/\b[\w.+-]+@[\w-]+\.\w+/, ['email']],
  [/\.docx?\b/i, ['word', 'document']],
  [/\.pptx?\b/i, ['powerpoint', 'presentation', 'slide']],
  [/\.xlsx?\b/i, ['excel', 'sheet']],
  [/\.pdf\b/i, ['pdf']],
  [/\.csv\b/i, ['csv']],
  [/\.html?\b/i, ['html']],
  [/\.md\b/i, ['markdown']],
  [/\.(?:png|jpe?g|gif|webp|svg|heic|tiff?)\b/i, ['image']],
  [/\.(?:mp3|wav|flac|ogg|m4a)\b/i, ['audio', 'music']],
  [/\.(?:mp4|mov|mkv|webm)\b/i, ['video']],
  [/\.ya?ml\b/i, ['yaml']],
  [/(?:^|[\s'"`])(?:~|\.{1,2})?\/[\w.-]+(?:\/[\w.-]+)*/, ['file', 'path']],
  [/\b[\w-]+\.(?:txt|log|json|xml|ini|toml|conf|bib|tex|py|js|tsx?|rs|go|java|c|cpp)\b/i, ['file']],
  [/\b[\w-]+\.(?:com|org|net|io|dev|edu|gov)\b/i, ['domain', 'website']],
  [/(?:^|\s)[\w-]+\/[\w.-]+(?=\s|$)/, ['repository']],
];

function valueHints(query: string): readonly string[] {
  return VALUE_HINTS.flatMap(([pattern, words]) => (pattern.test(query) ? words : []));
}

/** Long values say little by their words: only the last part of an address or path is kept. */
function maskValues(query: string): string {
  return query
    .replace(/\bhttps?:\/\/([^\s/]+)\S*/gi, ' $1 ')
    .replace(/(?:\/[\w.-]+)+\/([\w.-]+)/g, ' $1 ');
}
