/** The skills of one server: those of the extension, then plain `skill://` resources. Reads no file. */
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { type RefusedSkill, readEntry } from './entry.ts';
import type { SkillEntry, SkillPorts } from './types.ts';
import { fileKey, folderName, isInside, isSkillUri, skillRoot } from './uri.ts';

export const SKILLS_EXTENSION = 'io.modelcontextprotocol/skills';

export interface SkillList {
  /** In the server's order; each URI once. */
  readonly skills: readonly SkillEntry[];
  readonly refused: readonly RefusedSkill[];
  readonly notices: readonly string[];
}

/** A resource as `resources/list` gives it. */
export interface PlainResource {
  readonly uri: string;
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly raw: JsonObject;
}

/** True when the server declares the extension. */
export function declaresSkills(capabilities: JsonValue | undefined): boolean {
  const extensions = isJsonObject(capabilities) ? capabilities['extensions'] : undefined;
  return isJsonObject(extensions) && isJsonObject(extensions[SKILLS_EXTENSION]);
}

/**
 * `hasExtension`: whether `skills/list` may be asked. `resources`: what `resources/list` gave. A URI that
 * the extension lists twice is refused altogether: nobody knows which entry holds.
 */
export async function listSkills(
  ports: Pick<SkillPorts, 'listAll'>,
  hasExtension: boolean,
  resources: readonly PlainResource[],
): Promise<SkillList> {
  const listed = hasExtension
    ? await ports.listAll('skills/list', 'skills')
    : { items: [], notices: [] };
  const counts = new Map<string, number>();
  for (const item of listed.items) {
    const key = keyOf(item);
    if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const skills: SkillEntry[] = [];
  const refused: RefusedSkill[] = [];
  for (const item of listed.items) {
    const entry = readEntry(item);
    if ('problem' in entry) refused.push(entry);
    else if ((counts.get(fileKey(entry.uri)) ?? 0) > 1) {
      refused.push({ name: entry.uri, problem: 'is listed twice' });
    } else skills.push(entry);
  }
  const known = new Set([...counts.keys()]);
  return {
    skills: [...skills, ...plainSkills(resources, known)],
    refused,
    notices: listed.notices,
  };
}

function keyOf(item: JsonValue): string | undefined {
  const uri = isJsonObject(item) ? item['uri'] : undefined;
  return typeof uri === 'string' ? fileKey(uri) : undefined;
}

/** `skill://` resources that are no supporting file of another skill. */
function plainSkills(
  resources: readonly PlainResource[],
  known: ReadonlySet<string>,
): readonly SkillEntry[] {
  const candidates = resources.filter(({ uri }) => isSkillUri(uri));
  const manifests = [...candidates.map(({ uri }) => uri), ...known];
  const roots = manifests.map(skillRoot).filter((root) => root !== undefined);
  return candidates
    .filter(({ uri }) => !known.has(fileKey(uri)))
    .filter(({ uri }) => skillRoot(uri) !== undefined || isWhole(uri, roots))
    .map((resource) => ({
      uri: resource.uri,
      name: resource.name ?? nameOf(resource.uri),
      description: resource.description ?? '',
      frontmatter: undefined,
      files: undefined,
      raw: resource.raw,
    }));
}

/** A skill of one resource: no file of another skill, and no index or other file by its name. */
function isWhole(uri: string, roots: readonly string[]): boolean {
  return !roots.some((root) => isInside(root, uri)) && !folderName(uri).includes('.');
}

function nameOf(uri: string): string {
  return folderName(skillRoot(uri) ?? uri);
}
