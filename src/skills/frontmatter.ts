/** Front matter of a SKILL.md: split off, parsed as YAML 1.2 core, compared with what was listed. Pure. */
import { parseDocument } from 'yaml';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { shorten } from '../base/text.ts';

const MAX_SHOWN = 80;
const MAX_DIFFERENCES = 5;
const MAX_ALIASES = 0;

export type Parsed =
  | { readonly kind: 'parsed'; readonly frontmatter: JsonObject; readonly body: string }
  | { readonly kind: 'bad'; readonly problem: string };

/** A BOM before the first line and CRLF are allowed. */
export function parseSkillText(text: string): Parsed {
  const clean = text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
  if (!clean.startsWith('---\n')) return bad('it has no front matter: the first line is not ---');
  const rest = clean.slice(4);
  const close = /^---[\t ]*$/m.exec(rest);
  if (close === null) return bad('its front matter has no closing ---');
  const body = rest.slice(close.index + close[0].length).replace(/^\n/, '');
  const document = parseDocument(rest.slice(0, close.index), { schema: 'core', stringKeys: true });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined) return bad(firstLine(problem.message));
  try {
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    // Only JSON values come out of the core schema; NaN and Infinity become null here.
    const frontmatter: unknown = JSON.parse(JSON.stringify(value ?? {}));
    if (isJsonObject(frontmatter)) return { kind: 'parsed', frontmatter, body };
    return bad('its front matter is no mapping');
  } catch (error) {
    return bad(firstLine(error instanceof Error ? error.message : String(error)));
  }
}

/** Where the parsed front matter is not what was listed, one phrase each, the first few. */
export function differences(listed: JsonObject, parsed: JsonObject): readonly string[] {
  return compare(listed, parsed, '').slice(0, MAX_DIFFERENCES);
}

function compare(
  listed: JsonValue | undefined,
  parsed: JsonValue | undefined,
  path: string,
): readonly string[] {
  if (isJsonObject(listed) && isJsonObject(parsed)) {
    const keys = [...new Set([...Object.keys(listed), ...Object.keys(parsed)])].sort();
    return keys.flatMap((key) =>
      compare(own(listed, key), own(parsed, key), path === '' ? key : `${path}.${key}`),
    );
  }
  if (Bun.deepEquals(listed, parsed, true)) return [];
  return [`${path}: listed as ${show(listed)}, the file has ${show(parsed)}`];
}

function own(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function show(value: JsonValue | undefined): string {
  return value === undefined ? 'nothing' : shorten(JSON.stringify(value), MAX_SHOWN);
}

function firstLine(message: string): string {
  return `its front matter cannot be read: ${message.split('\n', 1)[0] ?? ''}`;
}

function bad(problem: string): Parsed {
  return { kind: 'bad', problem };
}
