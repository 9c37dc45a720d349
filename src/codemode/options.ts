/** The first line of a script: `// @options: {"max_output_tokens": N, "timeout_ms": N}`. */
import { UsageError } from '../base/errors.ts';
import { isJsonObject, tryParseJson } from '../base/json.ts';
import { LIMITS } from './limits.ts';
import type { ScriptOptions } from './types.ts';

const OPTIONS_LINE = /^\s*\/\/\s*@options\s*:(.*)$/;
const KNOWN = ['max_output_tokens', 'timeout_ms'];

/** Throws UsageError for options that cannot be read, or that stand anywhere but in the first line. */
export function readScriptOptions(code: string): ScriptOptions {
  const [first = '', ...rest] = code.split('\n');
  const stray = rest.findIndex((line) => OPTIONS_LINE.test(line));
  if (stray >= 0) throw new UsageError(`line ${stray + 2}: @options must be the first line`);
  const [, text] = OPTIONS_LINE.exec(first) ?? [];
  const given = text === undefined ? {} : tryParseJson(text);
  if (!isJsonObject(given)) {
    throw new UsageError('line 1: @options must be one JSON object', {
      hint: '// @options: {"max_output_tokens": 2000, "timeout_ms": 30000}',
    });
  }
  const unknown = Object.keys(given).find((key) => !KNOWN.includes(key));
  if (unknown !== undefined) {
    throw new UsageError(`line 1: @options has no "${unknown}"; it has ${KNOWN.join(' and ')}`);
  }
  const number = (key: string, most: number) => {
    const value = given[key];
    if (value === undefined) return undefined;
    if (typeof value === 'number' && Number.isInteger(value) && value >= 1) {
      return Math.min(value, most);
    }
    throw new UsageError(`line 1: @options ${key} must be a whole number of at least 1`);
  };
  return {
    maxOutputTokens: number('max_output_tokens', LIMITS.maxOutputTokens),
    wallMs: number('timeout_ms', LIMITS.maxWallMs) ?? LIMITS.wallMs,
  };
}
