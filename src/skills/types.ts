/** Skills of a server: what is known of one before it is loaded, and what loading needs from outside. */
import type { JsonObject, JsonValue } from '../base/json.ts';

/** A file of a skill as its entry lists it. Source: skills extension (SEP-2640). */
export interface SkillFile {
  readonly uri: string;
  /** `sha256:` and 64 lower-case hexadecimal digits. */
  readonly digest: string;
  /** Bytes. */
  readonly size: number;
}

export interface SkillEntry {
  /** Of its SKILL.md. */
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  /** As listed; `undefined` for a plain `skill://` resource, which nobody vouches for. */
  readonly frontmatter: JsonObject | undefined;
  /** SKILL.md among them; `undefined`: not listed, so size and digest are not known. */
  readonly files: readonly SkillFile[] | undefined;
  /** The list item as received. */
  readonly raw: JsonObject;
}

/** A loaded file. */
export interface SkillContent {
  readonly uri: string;
  readonly mimeType: string | undefined;
  readonly bytes: Uint8Array;
  /** False where the entry lists no size and digest. */
  readonly isVerified: boolean;
}

/** A loaded SKILL.md. */
export interface SkillManifest extends SkillContent {
  /** The whole file. */
  readonly text: string;
  /** What follows the front matter. */
  readonly body: string;
  /** Without what would grant something: a remote skill never carries permissions. */
  readonly frontmatter: JsonObject;
  /** Keys of the front matter that were left out for that. */
  readonly ignored: readonly string[];
}

export interface SkillPorts {
  /** A whole list of the server; empty where it has no such method. */
  readonly listAll: (method: string, key: string) => Promise<RawList>;
  /** Sends `skills/get`; rejects with what the server answers. */
  readonly getEntry: (uri: string) => Promise<JsonValue>;
  readonly read: (uri: string) => Promise<readonly RawContent[]>;
}

export interface RawList {
  readonly items: readonly JsonValue[];
  readonly notices: readonly string[];
}

/** One part of a read resource: text, or base64. */
export interface RawContent {
  readonly uri: string;
  readonly mimeType: string | undefined;
  readonly text: string | undefined;
  readonly blob: string | undefined;
}
