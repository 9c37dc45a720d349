/** Loads the files of one skill and trusts none that is not what its entry lists. Source: SEP-2640, verification. */
import { FailedError } from '../base/errors.ts';
import { sha256Hex } from '../base/hash.ts';
import type { JsonObject } from '../base/json.ts';
import { frontmatterProblem, readEntry } from './entry.ts';
import { differences, parseSkillText } from './frontmatter.ts';
import type { RawContent, SkillContent, SkillEntry, SkillManifest, SkillPorts } from './types.ts';
import { fileKey, skillRoot } from './uri.ts';

/** Front matter that other hosts take as permission or as a trigger. */
const GRANTS = /^(allowed|auto|disallowed|permission|trigger|hook|path|tool)/i;

/**
 * The entry of a skill that is not listed, by `skills/get`. Throws FailedError when the answer cannot be
 * used or is about another skill; rejects with what the server answers.
 */
export async function fetchEntry(ports: SkillPorts, uri: string): Promise<SkillEntry> {
  const entry = readEntry(await ports.getEntry(uri));
  if ('problem' in entry) throw new FailedError(`skill ${entry.name}: ${entry.problem}`);
  if (fileKey(entry.uri) === fileKey(uri)) return entry;
  throw new FailedError(`skill ${uri}: the server answered with ${entry.uri}`);
}

/**
 * SKILL.md of a skill: read, checked against size, digest and front matter of the entry. Throws
 * FailedError with the reason when one differs; rejects as `ports.read` does.
 */
export async function fetchManifest(ports: SkillPorts, skill: SkillEntry): Promise<SkillManifest> {
  const content = await fetchFile(ports, skill, skill.uri);
  const text = decodeText(content.bytes);
  if (text === undefined) throw broken(skill, 'SKILL.md is not UTF-8 text');
  const parsed = parseSkillText(text);
  if (parsed.kind === 'bad') throw broken(skill, parsed.problem);
  const { frontmatter, body } = parsed;
  const changed =
    skill.frontmatter === undefined ? [] : differences(skill.frontmatter, frontmatter);
  if (changed.length > 0) {
    throw broken(skill, `its front matter is not the listed one: ${changed.join('; ')}`);
  }
  const problem = frontmatterProblem(frontmatter, skillRoot(skill.uri));
  if (problem !== undefined) throw broken(skill, problem);
  const ignored = Object.keys(frontmatter).filter((key) => GRANTS.test(key));
  return { ...content, text, body, frontmatter: without(frontmatter, ignored), ignored };
}

/**
 * One file of a skill, by the URI in any spelling. Throws FailedError for a file that the entry does not
 * list, and for one whose size or digest differs.
 */
export async function fetchFile(
  ports: SkillPorts,
  skill: SkillEntry,
  uri: string,
): Promise<SkillContent> {
  const key = fileKey(uri);
  const listed = skill.files?.find((file) => fileKey(file.uri) === key);
  if (skill.files !== undefined && listed === undefined) {
    throw broken(skill, `${uri} is not one of its files`);
  }
  const asked = listed?.uri ?? uri;
  const contents = await ports.read(asked);
  const content = contents.find((part) => fileKey(part.uri) === key);
  if (content === undefined) throw broken(skill, `the server answered without ${asked}`);
  const bytes = bytesOf(content);
  if (bytes === undefined) throw broken(skill, `${asked} is not valid base64`);
  if (listed !== undefined) {
    if (bytes.length !== listed.size) {
      throw broken(skill, `${asked} has ${bytes.length} bytes, listed are ${listed.size}`);
    }
    if (`sha256:${sha256Hex(bytes)}` !== listed.digest) {
      throw broken(skill, `the content of ${asked} is not what the digest lists`);
    }
  }
  return { uri: asked, mimeType: content.mimeType, bytes, isVerified: listed !== undefined };
}

function bytesOf({ text, blob }: RawContent): Uint8Array | undefined {
  if (text !== undefined) return new TextEncoder().encode(text);
  const compact = (blob ?? '').replace(/\s+/g, '');
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(compact)) return undefined;
  return Buffer.from(compact, 'base64');
}

function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // The only thing it throws for is bytes that are no UTF-8.
    return undefined;
  }
}

function without(frontmatter: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(frontmatter).filter(([key]) => !keys.includes(key)));
}

function broken(skill: SkillEntry, reason: string): FailedError {
  return new FailedError(`skill ${skill.uri} is not used: ${reason}`, {
    hint: 'the server offers something else than it lists; tell whoever runs it',
  });
}
