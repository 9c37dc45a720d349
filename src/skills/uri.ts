/** URIs of a skill's files: one spelling for all ways to write one, and what lies inside a skill. */

const MANIFEST = '/SKILL.md';

/** The URI of the skill's folder without a final slash; `undefined` when `uri` is no SKILL.md in a named folder. */
export function skillRoot(uri: string): string | undefined {
  const canonical = canonicalUri(uri);
  if (canonical === undefined || !canonical.endsWith(MANIFEST)) return undefined;
  const root = canonical.slice(0, -MANIFEST.length);
  return root.endsWith('/') ? undefined : root;
}

/** The decoded name of the skill's folder. */
export function folderName(root: string): string {
  return decoded(root.slice(root.lastIndexOf('/') + 1));
}

/**
 * Equal for all spellings of the same file: percent-encoding of each segment is undone and done anew; a
 * fragment does not count. What is no URI stands for itself.
 */
export function fileKey(uri: string): string {
  const canonical = canonicalUri(uri);
  if (canonical === undefined) return uri;
  return canonical
    .split('/')
    .map((segment) => encodeURIComponent(decoded(segment)))
    .join('/');
}

/** True for a file strictly below the folder, by segments that stay there also when decoded. */
export function isInside(root: string, uri: string): boolean {
  const canonical = canonicalUri(uri);
  if (canonical === undefined || !canonical.startsWith(`${root}/`)) return false;
  if (/[?#]/.test(canonical)) return false;
  const segments = canonical.slice(root.length + 1).split('/');
  return segments.every((segment) => {
    const name = decoded(segment);
    return name !== '' && name !== '.' && name !== '..' && !/[/\0]/.test(name);
  });
}

export function isSkillUri(uri: string): boolean {
  return /^skill:\/\//i.test(uri);
}

function canonicalUri(uri: string): string | undefined {
  if (!URL.canParse(uri)) return undefined;
  const url = new URL(uri);
  url.hash = '';
  return url.href;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // A stray percent sign stands for itself.
    return segment;
  }
}
