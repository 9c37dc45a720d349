/** `rules:` and `hooks:`. Descriptions feed the JSON Schema and error texts. */
import * as v from 'valibot';
import { parseArgumentPath } from '../../base/argument-match.ts';
import { nonEmptyText, PlainScalar, text } from './atoms.ts';

const PATTERN = 'server/tool, with * and ?';
const VALUE = 'text (with * and ?), a number, true, false, null, or a list of them';

function pattern() {
  return v.pipe(
    text(),
    v.check((value) => /^[^/\s]+\/.+$/.test(value), PATTERN),
  );
}

function patterns(description: string) {
  return v.optional(
    v.pipe(
      v.union([pattern(), v.pipe(v.array(pattern()), v.minLength(1, PATTERN))], PATTERN),
      v.transform((value) => (typeof value === 'string' ? [value] : value)),
      v.description(description),
    ),
  );
}

const scalarSchema = v.union([v.string(), v.instance(PlainScalar), v.null()], VALUE);

const matcherSchema = v.pipe(
  v.union([scalarSchema, v.pipe(v.array(scalarSchema), v.minLength(1, VALUE))], VALUE),
  v.transform((value) => (Array.isArray(value) ? value : [value]).map(scalarOf)),
);

const exampleSchema = v.strictObject({
  call: v.pipe(pattern(), v.description('the tool, as server/tool')),
  args: v.optional(v.pipe(v.unknown(), v.description('its arguments; default none'))),
  expect: v.pipe(
    v.picklist(['allow', 'ask', 'deny', 'none'], 'allow, ask, deny or none'),
    v.description('what all rules together say; none: no rule holds'),
  ),
});

export const ruleSchema = v.strictObject({
  deny: patterns('tools that are never called, also not in auto'),
  ask: patterns('tools that are always asked for'),
  allow: patterns('tools that are called without a question'),
  when: v.optional(
    v.pipe(
      v.record(
        v.pipe(
          v.string(),
          v.check(
            (path) => parseArgumentPath(path) !== undefined,
            'a path into the arguments, such as repo or files[*].path',
          ),
        ),
        matcherSchema,
      ),
      v.description('only where all these arguments fit'),
    ),
  ),
  examples: v.optional(
    v.pipe(v.array(exampleSchema), v.description('checked whenever the file is read')),
  ),
});

const commandSchema = v.pipe(
  v.array(nonEmptyText()),
  v.minLength(1, 'a command and its arguments: [COMMAND, ARGUMENT]'),
  v.maxLength(100, 'at most 100 arguments'),
);

function commands(description: string) {
  return v.optional(
    v.pipe(
      v.array(commandSchema),
      v.maxLength(16, 'at most 16 commands'),
      v.description(description),
    ),
  );
}

export const hooksSchema = v.strictObject({
  tool_call: commands('asked before each call, no shell, 5s each'),
  tool_result: commands('may change each result before anyone sees it, no shell, 5s each'),
});

export type RuleEntry = v.InferOutput<typeof ruleSchema>;
export type HooksEntry = v.InferOutput<typeof hooksSchema>;

function scalarOf(value: string | PlainScalar | null): string | number | boolean | null {
  if (!(value instanceof PlainScalar)) return value;
  return typeof value.value === 'bigint' ? Number(value.value) : value.value;
}
