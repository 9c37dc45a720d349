/** Checks one skill entry of a server before anything of it is loaded. Source: skills extension (SEP-2640). */
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { countCharacters } from '../base/text.ts';
import type { SkillEntry, SkillFile } from './types.ts';
import { fileKey, folderName, isInside, skillRoot } from './uri.ts';

/** Source: the extension's limits per skill. */
const MAX_FILES = 512;
const MAX_SKILL_BYTES = 16 * 1024 ** 2;
const MAX_NAME = 64;
const MAX_DESCRIPTION = 1024;
const NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;

export interface RefusedSkill {
  readonly name: string;
  readonly problem: string;
}

/** The entry, or why it cannot be used. */
export function readEntry(item: JsonValue): SkillEntry | RefusedSkill {
  if (!isJsonObject(item)) return { name: '(no uri)', problem: 'is not an object' };
  const { uri, frontmatter } = item;
  if (typeof uri !== 'string') return { name: '(no uri)', problem: 'has no uri' };
  const root = skillRoot(uri);
  if (root === undefined) return { name: uri, problem: 'its uri is no SKILL.md in a named folder' };
  if (!isJsonObject(frontmatter)) return { name: uri, problem: 'has no frontmatter' };
  const problem = frontmatterProblem(frontmatter, root);
  if (problem !== undefined) return { name: uri, problem };
  const files = readFiles(item['resources'], uri, root);
  if (typeof files === 'string') return { name: uri, problem: files };
  const { name, description } = frontmatter;
  return {
    uri,
    name: String(name),
    description: String(description),
    frontmatter,
    files,
    raw: item,
  };
}

/** What is wrong with name or description; `root`: the folder that the name must repeat, where known. */
export function frontmatterProblem(
  frontmatter: JsonObject,
  root: string | undefined,
): string | undefined {
  const { name, description } = frontmatter;
  if (typeof name !== 'string' || name === '') return 'its front matter has no name';
  if (name.length > MAX_NAME || !NAME.test(name)) {
    return `its name ${JSON.stringify(name.slice(0, 2 * MAX_NAME))} is not 1 to ${MAX_NAME} lower-case letters, digits and single hyphens`;
  }
  if (root !== undefined && folderName(root) !== name) {
    return `its name "${name}" is not the name of its folder, "${folderName(root)}"`;
  }
  if (typeof description !== 'string' || description === '') {
    return 'its front matter has no description';
  }
  return countCharacters(description) > MAX_DESCRIPTION
    ? `its description has more than ${MAX_DESCRIPTION} characters`
    : undefined;
}

/** The files, nothing for a skill whose files change (`dynamic`), or a problem. */
function readFiles(
  given: JsonValue | undefined,
  uri: string,
  root: string,
): readonly SkillFile[] | undefined | string {
  if (given === 'dynamic') return undefined;
  if (!Array.isArray(given)) return 'has no list of resources';
  if (given.length > MAX_FILES) return `has more than ${MAX_FILES} files`;
  const files: SkillFile[] = [];
  const keys = new Set<string>();
  for (const item of given) {
    const file = readFile(item, uri, root);
    if (typeof file === 'string') return file;
    const key = fileKey(file.uri);
    if (keys.has(key)) return `lists ${file.uri} twice`;
    keys.add(key);
    files.push(file);
  }
  if (!keys.has(fileKey(uri))) return 'does not list its own SKILL.md';
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  return bytes > MAX_SKILL_BYTES ? 'is larger than 16 MiB' : files;
}

function readFile(item: JsonValue, manifest: string, root: string): SkillFile | string {
  const { uri, digest, size } = isJsonObject(item) ? item : {};
  if (typeof uri !== 'string') return 'lists a file without uri';
  if (typeof digest !== 'string' || !DIGEST.test(digest)) {
    return `lists ${uri} without a sha256 digest`;
  }
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) {
    return `lists ${uri} without a size in bytes`;
  }
  if (fileKey(uri) !== fileKey(manifest) && !isInside(root, uri)) {
    return `lists ${uri}, which is outside its folder`;
  }
  return { uri, digest, size };
}
