/** English word endings off, so that `listing` finds `list` and `conversion` finds `converts`. Pure. */

/** Words that only look alike once their endings are off, and irregular forms. */
const IRREGULAR: ReadonlyMap<string, string> = new Map(
  Object.entries({
    news: 'news',
    children: 'child',
    men: 'man',
    women: 'woman',
    people: 'person',
    persons: 'person',
    indices: 'index',
    indexes: 'index',
    vertices: 'vertex',
    matrices: 'matrix',
    analyses: 'analys',
    analysis: 'analys',
    analytics: 'analys',
    analyze: 'analys',
    analyse: 'analys',
    analyzes: 'analys',
    analyzing: 'analys',
    analyzed: 'analys',
    wrote: 'write',
    written: 'write',
    ran: 'run',
    sent: 'send',
    found: 'find',
    made: 'make',
    drew: 'draw',
    drawn: 'draw',
    sold: 'sell',
    bought: 'buy',
    paid: 'pay',
    kept: 'keep',
    said: 'say',
    told: 'tell',
    thought: 'think',
    taken: 'take',
    took: 'take',
    gave: 'give',
    given: 'give',
    built: 'build',
    bigger: 'big',
    biggest: 'big',
    maths: 'math',
    comparison: 'compar',
    comparisons: 'compar',
    summary: 'summar',
    summaries: 'summar',
    deletion: 'delet',
    description: 'describ',
    transcription: 'transcrib',
    transcript: 'transcrib',
    transcripts: 'transcrib',
  }),
);

/** Longer endings first; what is left must keep `MIN_STEM` letters. */
const ENDINGS: readonly (readonly [string, string])[] = [
  ['izations', 'iz'],
  ['ization', 'iz'],
  ['isation', 'iz'],
  ['ifications', 'ify'],
  ['ification', 'ify'],
  ['versions', 'vert'],
  ['version', 'vert'],
  ['abilities', ''],
  ['ability', ''],
  ['ibility', ''],
  ['fulness', 'ful'],
  ['ational', 'at'],
  ['ations', 'at'],
  ['ation', 'at'],
  ['ators', 'at'],
  ['ator', 'at'],
  ['ments', ''],
  ['ment', ''],
  ['ities', ''],
  ['ity', ''],
  ['ingly', ''],
  ['edly', ''],
  ['ions', ''],
  ['ion', ''],
  ['ings', ''],
  ['ing', ''],
  ['ness', ''],
  ['able', ''],
  ['ible', ''],
  ['ical', 'ic'],
  ['ally', 'al'],
  ['ers', ''],
  ['ors', ''],
  ['ies', 'y'],
  ['ied', 'y'],
  ['ches', 'ch'],
  ['shes', 'sh'],
  ['sses', 'ss'],
  ['xes', 'x'],
  ['zzes', 'z'],
  ['ed', ''],
  ['er', ''],
  ['or', ''],
  ['ly', ''],
];
const MIN_STEM = 3;
/** Words that an ending may be part of. */
const WHOLE = new Set(
  'format information data number order server user paper letter water weather power header folder layer center version session mission station nation question section option action region million position tier river filter parameter character chapter member color error author vector door floor city university security identity table moment comment document environment element segment payment department apartment string thing king ring spring during morning evening nothing something anything everything building wedding being seed feed need speed red bed shed embed family supply reply apply only early july monthly daily weekly'.split(
    ' ',
  ),
);

/** The stem of a lower-case word; words with other letters than a-z stay as they are. */
export function stem(word: string): string {
  return word.length < 3 || !/^[a-z]+$/.test(word) ? word : reduce(word);
}

function reduce(word: string): string {
  const irregular = IRREGULAR.get(word);
  if (irregular !== undefined) return irregular;
  if (WHOLE.has(word)) return trim(word);
  const singular = singularOf(word);
  if (WHOLE.has(singular)) return trim(singular);
  const other = IRREGULAR.get(singular);
  if (other !== undefined) return other;
  for (const form of [singular, word]) {
    for (const [ending, put] of ENDINGS) {
      if (!form.endsWith(ending)) continue;
      const root = form.slice(0, -ending.length);
      if (root.length < MIN_STEM || !/[aeiouy]/.test(root)) continue;
      return trim(root + put);
    }
    if (form === singular) break;
  }
  return trim(singular);
}

function singularOf(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (word.length > 4 && /(?:ches|shes|sses|xes)$/.test(word)) return word.slice(0, -2);
  if (word.length > 3 && /[^su]s$/.test(word) && !word.endsWith('is')) return word.slice(0, -1);
  return word;
}

/** One spelling for what is left: no doubled consonant, no silent e, no y for i. */
function trim(root: string): string {
  let text = root;
  if (text.length > MIN_STEM && text.endsWith('e')) text = text.slice(0, -1);
  if (text.length > 6 && /(?:at|is|iz)$/.test(text) && !WHOLE.has(text)) text = text.slice(0, -2);
  if (text.length > MIN_STEM && /([bcdfgkmnprtz])\1$/.test(text)) text = text.slice(0, -1);
  return text.length > MIN_STEM && text.endsWith('y') ? `${text.slice(0, -1)}i` : text;
}
