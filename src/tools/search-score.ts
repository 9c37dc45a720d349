/**
 * Scores of all tools for a query: BM25 over weighted fields, one score per thing asked for (its best form),
 * times the share of the query that is met, times a bonus for a name that was asked for. Pure.
 * Source: Robertson and Zaragoza 2009, section 3.6 (fields).
 */
import type { Posting, Postings } from './search-postings.ts';
import type { QueryConcept } from './search-query.ts';

/** How soon more of the same word stops counting. */
const SATURATION = 1.5;
/** How much a share of the query that is not met costs. */
const COVERAGE = 0.9;
/** What it adds when all words of a tool's name were asked for. */
const NAME = 0.5;

export interface Scores {
  /** By slot; 0: not one word in common. */
  readonly score: Float64Array;
  /** Slots with a score, each once. */
  readonly slots: readonly number[];
}

export function scoreTools(
  concepts: readonly QueryConcept[],
  { words, names, entries }: Postings,
): Scores {
  const size = entries.length;
  const total = new Float64Array(size);
  const best = new Float64Array(size);
  const slots: number[] = [];
  let possible = 0;
  for (const { forms, weight } of concepts) {
    const touched: number[] = [];
    let strongest = 0;
    for (const form of forms) {
      const posting = words.get(form.word);
      if (posting === undefined) continue;
      const rarity = rarityOf(posting, size) * form.weight;
      if (rarity > strongest) strongest = rarity;
      keepBest(posting, rarity, best, touched);
    }
    possible += strongest * weight;
    for (const slot of touched) {
      const score = best[slot] ?? 0;
      const before = total[slot] ?? 0;
      if (before === 0) slots.push(slot);
      total[slot] = before + score * weight;
      best[slot] = 0;
    }
  }
  const shares = shareOfNames(concepts, names, size);
  for (const slot of slots) {
    const sum = total[slot] ?? 0;
    const met = Math.min(1, sum / (possible * (SATURATION + 1)));
    total[slot] = sum * met ** COVERAGE * (1 + NAME * Math.min(1, shares[slot] ?? 0));
  }
  return { score: total, slots };
}

/** Source: the paper's equation 3.3, never below zero. */
function rarityOf({ slots }: Posting, size: number): number {
  return Math.log(1 + (size - slots.length + 0.5) / (slots.length + 0.5));
}

function keepBest(
  { slots, weights }: Posting,
  rarity: number,
  best: Float64Array,
  touched: number[],
): void {
  const most = rarity * (SATURATION + 1);
  for (let at = 0; at < slots.length; at += 1) {
    const slot = slots[at] ?? 0;
    const weight = weights[at] ?? 0;
    const score = (most * weight) / (weight + SATURATION);
    const before = best[slot] ?? 0;
    if (before === 0) touched.push(slot);
    if (score > before) best[slot] = score;
  }
}

function shareOfNames(
  concepts: readonly QueryConcept[],
  names: ReadonlyMap<string, Posting>,
  size: number,
): Float64Array {
  const asked = new Map<string, number>();
  for (const { forms } of concepts) {
    for (const { word, weight } of forms) {
      if (weight > (asked.get(word) ?? 0)) asked.set(word, weight);
    }
  }
  const shares = new Float64Array(size);
  for (const [word, weight] of asked) {
    const posting = names.get(word);
    posting?.slots.forEach((slot, at) => {
      shares[slot] = (shares[slot] ?? 0) + weight * (posting.weights[at] ?? 0);
    });
  }
  return shares;
}
