/** Patterns that look like more than they are: brackets and braces are no wildcards here, and protect nothing. */
import { isMapping } from './entry.ts';
import type { Layer } from './layers.ts';
import type { MergedServer } from './merge.ts';
import { childOf, MAX_PROBLEMS, type PathItem, renderProblem } from './problem.ts';
import type { ConfigWarning } from './types.ts';
import type { ConfigFile } from './yaml.ts';

interface Pattern {
  readonly text: string;
  readonly path: readonly PathItem[];
  readonly part: 'key' | 'value';
}

/** One warning for each pattern of rules and of the servers in use, at its place. */
export function bracketWarnings(
  layers: readonly Layer[],
  servers: readonly MergedServer[],
): readonly ConfigWarning[] {
  const ofRoots = layers.flatMap(({ root, file }) => {
    if (root === undefined) return [];
    const left = textsOf(childOf(file.value, 'defaultTools'), ['defaultTools']);
    return warningsOf(file, [...left, ...rulePatterns(childOf(file.value, 'rules'))]);
  });
  const entries = servers.flatMap(({ base, changes }) => [
    base,
    ...changes.map(({ entry }) => entry),
  ]);
  const ofServers = entries.flatMap(({ raw, path, file }) =>
    warningsOf(file, entryPatterns(raw, path)),
  );
  return [...ofRoots, ...ofServers];
}

function warningsOf(file: ConfigFile, patterns: readonly Pattern[]): readonly ConfigWarning[] {
  return patterns
    .filter(({ text }) => BRACKETS.test(text) && !OTHER_LANGUAGE.test(text))
    .slice(0, MAX_PROBLEMS)
    .map(({ path, part }) => ({
      message: renderProblem({ offset: file.offsetOf(path, part), path, text: TEXT }, file),
      hint: 'write one pattern for each name that is meant',
      skipped: undefined,
    }));
}

/** `[a-z]`, `{a,b}`. */
const BRACKETS = /\[[^[\]]+\]|\{[^{}]+\}/;
/** Text with blanks or quotes is of a language of its own, such as SQL or JSON. */
const OTHER_LANGUAGE = /[\s"']/;
const TEXT = 'only * and ? are special here; brackets and braces stand for themselves';

function rulePatterns(rules: unknown): readonly Pattern[] {
  return itemsOf(rules).flatMap((rule, index) => {
    const path = ['rules', index];
    const effects = ['deny', 'ask', 'allow'].flatMap((effect) =>
      textsOf(childOf(rule, effect), [...path, effect]),
    );
    const when = childOf(rule, 'when');
    const values = Object.entries(isMapping(when) ? when : {}).flatMap(([name, value]) =>
      textsOf(value, [...path, 'when', name]),
    );
    return [...effects, ...values];
  });
}

function entryPatterns(raw: unknown, base: readonly PathItem[]): readonly Pattern[] {
  const keys = ['toolPermissions', 'toolExposure'].flatMap((key) => {
    const value = childOf(raw, key);
    return Object.keys(isMapping(value) ? value : {}).map(
      (text): Pattern => ({ text, path: [...base, key, text], part: 'key' }),
    );
  });
  return [...textsOf(childOf(raw, 'tools'), [...base, 'tools']), ...keys];
}

/** A text, or the texts of a list. */
function textsOf(value: unknown, path: readonly PathItem[]): readonly Pattern[] {
  if (typeof value === 'string') return [{ text: value, path, part: 'value' }];
  return itemsOf(value).flatMap((item, index) =>
    typeof item === 'string' ? [{ text: item, path: [...path, index], part: 'value' }] : [],
  );
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
