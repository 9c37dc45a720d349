/** The value of `--elicit`: a word, or a YAML file with answers. */
import type { Clock } from '../base/clock.ts';
import { ConfigError, UsageError } from '../base/errors.ts';
import { isMissing, readBoundedOrPipe } from '../base/files.ts';
import { isJsonObject, type JsonObject } from '../base/json.ts';
import { shorten } from '../base/text.ts';
import type { ElicitPlan, ElicitRule } from '../host/elicit.ts';

const MAX_BYTES = 1024 * 1024;
const ACTIONS = ['accept', 'decline', 'cancel'] as const;
const KEYS = ['server', 'match', 'action', 'content'];
const HINT =
  'a list such as: - { server: NAME, match: "*glob*", action: accept, content: { field: value } }';

/**
 * `undefined` without the flag. Rejects with UsageError when the file is not there, with ConfigError when
 * it cannot be read or says something else.
 */
export async function readElicit(
  flag: string | undefined,
  clock: Clock,
): Promise<ElicitPlan | undefined> {
  if (flag === undefined || flag === 'accept' || flag === 'decline') return flag;
  const text = await readFile(flag, clock);
  const { LineCounter, parseDocument } = await import('yaml');
  const lines = new LineCounter();
  const document = parseDocument(text, { version: '1.2', lineCounter: lines, prettyErrors: false });
  const [error] = document.errors;
  if (error !== undefined) {
    const { line, col } = lines.linePos(error.pos[0]);
    throw new ConfigError(`${flag}:${line}:${col} ${shorten(error.message, 200)}`);
  }
  return readRules(toJson(document, flag), flag);
}

async function readFile(path: string, clock: Clock): Promise<string> {
  try {
    return new TextDecoder().decode(await readBoundedOrPipe(path, MAX_BYTES, clock));
  } catch (error) {
    if (isMissing(error)) {
      throw new UsageError(`--elicit: ${path} is not there`, {
        hint: 'accept, decline, or the name of a YAML file',
      });
    }
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`--elicit: ${path} cannot be read: ${reason}`, { cause: error });
  }
}

/** Aliases are bounded by the library; more than that is no answer. */
function toJson(document: { toJS(): unknown }, path: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`${path}: ${shorten(reason, 200)}`, { cause: error });
  }
}

function readRules(value: unknown, path: string): readonly ElicitRule[] {
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) {
    throw new ConfigError(`${path}: expected a list of answers`, { hint: HINT });
  }
  const items: readonly unknown[] = value;
  return items.map((item, index) => readRule(item, `${path}: answer ${index + 1}`));
}

function readRule(item: unknown, where: string): ElicitRule {
  if (!isJsonObject(item)) throw new ConfigError(`${where} is no mapping`, { hint: HINT });
  const unknown = Object.keys(item).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) {
    throw new ConfigError(`${where}: unknown key ${shorten(unknown, 60)}`, {
      hint: `there is ${KEYS.join(', ')}`,
    });
  }
  const action = ACTIONS.find((one) => one === item['action']);
  if (action === undefined) {
    throw new ConfigError(`${where}: action must be accept, decline or cancel`, { hint: HINT });
  }
  return {
    action,
    server: readText(item, 'server', where),
    match: readText(item, 'match', where),
    content: readContent(item, where),
  };
}

function readText(item: JsonObject, key: string, where: string): string | undefined {
  const value = item[key];
  if (value === undefined || typeof value === 'string') return value;
  throw new ConfigError(`${where}: ${key} must be text`, { hint: HINT });
}

function readContent(item: JsonObject, where: string): JsonObject | undefined {
  const { content } = item;
  if (content === undefined || isJsonObject(content)) return content;
  throw new ConfigError(`${where}: content must be a mapping of fields`, { hint: HINT });
}
