/** From checked `rules:` and `hooks:` entries to what permission works with; examples are tried here. */
import { dirname, isAbsolute, resolve } from 'node:path';
import { parseArgumentPath } from '../base/argument-match.ts';
import { type CallRule, type RuleEffect, showRule, strongestRule } from '../base/call-rules.ts';
import { isGlob } from '../base/glob.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { nearestMatches } from '../base/text.ts';
import { MAX_PROBLEMS, type Problem } from './problem.ts';
import { PlainScalar } from './schema/atoms.ts';
import type { HooksEntry, RuleEntry } from './schema/rules.ts';
import type { ConfigWarning, HookCommand, HooksConfig } from './types.ts';
import type { ConfigFile } from './yaml.ts';

const EFFECTS = ['deny', 'ask', 'allow'] as const;

/** The rules of one file, or what is wrong with them. */
export function buildRules(
  entries: readonly RuleEntry[],
  file: ConfigFile,
): { readonly rules: readonly CallRule[]; readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const rules = entries.flatMap((entry, index): readonly CallRule[] => {
    const named = EFFECTS.filter((effect) => entry[effect] !== undefined);
    const [effect] = named;
    if (effect !== undefined && named.length === 1) return [buildRule(entry, effect, index, file)];
    const path = ['rules', index];
    const got = named.length === 0 ? 'none' : named.join(' and ');
    const text = `expected one of deny, ask, allow, got ${got}`;
    problems.push({ offset: file.offsetOf(path), path, text });
    return [];
  });
  // Against rules that are not all there an example proves nothing.
  if (problems.length === 0) problems.push(...tryExamples(entries, rules, file));
  return { rules, problems: problems.slice(0, MAX_PROBLEMS) };
}

/** A rule that names a server which is not there protects nothing: one warning each. */
export function unknownServerWarnings(
  rules: readonly CallRule[],
  servers: readonly string[],
): readonly ConfigWarning[] {
  return rules.flatMap((rule) => {
    const named = rule.tools.map((pattern) => pattern.split('/')[0] ?? '');
    const unknown = named.filter((name) => !isGlob(name) && !servers.includes(name));
    return [...new Set(unknown)].map((name): ConfigWarning => {
      const [nearest] = nearestMatches(name, servers, 1);
      return {
        message: `${rule.place}: no server ${JSON.stringify(name)} is configured for the rule ${showRule(rule)}`,
        hint: nearest === undefined ? undefined : `did you mean ${nearest}?`,
        skipped: undefined,
      };
    });
  });
}

/** A command with a slash is against the file's own folder, never against the working directory. */
export function buildHooks(entry: HooksEntry, file: ConfigFile): HooksConfig {
  const commandsOf = (key: 'tool_call' | 'tool_result') =>
    (entry[key] ?? []).map(([command = '', ...args], index): HookCommand => {
      const isPath = command.includes('/') && !isAbsolute(command);
      return {
        command: isPath ? resolve(dirname(file.path), command) : command,
        args,
        place: placeOf(['hooks', key, index], file),
      };
    });
  return { toolCall: commandsOf('tool_call'), toolResult: commandsOf('tool_result') };
}

function buildRule(
  entry: RuleEntry,
  effect: RuleEffect,
  index: number,
  file: ConfigFile,
): CallRule {
  return {
    effect,
    tools: entry[effect] ?? [],
    when: Object.entries(entry.when ?? {}).map(([path, values]) => ({
      path: parseArgumentPath(path) ?? [],
      values,
      text: `${path}: ${values.map((value) => JSON.stringify(value)).join(' or ')}`,
    })),
    place: placeOf(['rules', index], file),
  };
}

function tryExamples(
  entries: readonly RuleEntry[],
  rules: readonly CallRule[],
  file: ConfigFile,
): readonly Problem[] {
  return entries.flatMap(({ examples = [] }, index) =>
    examples.flatMap(({ call, args, expect }, at): readonly Problem[] => {
      const path = ['rules', index, 'examples', at];
      const given = plainValue(args ?? {});
      if (!isJsonObject(given)) {
        const text = 'expected a mapping (key: value) of arguments';
        return [{ offset: file.offsetOf([...path, 'args']), path: [...path, 'args'], text }];
      }
      const [server = '', ...tool] = call.split('/');
      const rule = strongestRule(rules, { server, tool: tool.join('/'), arguments: given });
      const effect = rule?.effect ?? 'none';
      if (effect === expect) return [];
      const by = rule === undefined ? 'no rule holds' : `${rule.place} ${showRule(rule)}`;
      const text = `this example gives ${effect}, expected ${expect} (${by})`;
      return [{ offset: file.offsetOf([...path, 'expect']), path, text }];
    }),
  );
}

function placeOf(path: readonly (string | number)[], file: ConfigFile): string {
  return `${file.label}:${file.lineAt(file.offsetOf(path)).line}`;
}

/** As JSON has it. */
function plainValue(value: unknown): JsonValue {
  if (value instanceof PlainScalar) {
    return typeof value.value === 'bigint' ? Number(value.value) : value.value;
  }
  if (Array.isArray(value)) return value.map(plainValue);
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([key, child]) => [key, plainValue(child)] as const);
    const object: JsonObject = Object.fromEntries(entries);
    return object;
  }
  return typeof value === 'string' ? value : null;
}
