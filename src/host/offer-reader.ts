/** Reads for one server: a resource, a prompt, a skill. Each is a tool of that server, so its rules hold. */
import { FailedError } from '../base/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { nearestMatches } from '../base/text.ts';
import { missingArguments } from '../mcp/prompts.ts';
import type { ServerRequestOptions } from '../mcp/types.ts';
import { fetchEntry, fetchFile, fetchManifest } from '../skills/fetch.ts';
import type { SkillEntry } from '../skills/types.ts';
import { fileKey, isInside, isSkillUri, skillRoot } from '../skills/uri.ts';
import type { RegisteredTool, SourceCall, ToolDefinition, ToolResult } from '../tools/types.ts';
import { promptResult, resourceResult, skillResult } from './offer-content.ts';
import { failedResult } from './offer-lists.ts';
import { GET_PROMPT, READ_RESOURCE } from './offer-texts.ts';
import type { ServerOffers } from './server-offers.ts';

type Work = (
  server: ServerOffers,
  args: JsonObject,
  options: ServerRequestOptions,
) => Promise<ToolResult>;

/** `{uri}`: the resource, or the skill with its body cut, each file of a skill verified. */
export function resourceReader(server: ServerOffers): RegisteredTool {
  return readerTool(server, READ_RESOURCE, readResource);
}

/** `{name, arguments}`: required arguments are checked before anything is sent. */
export function promptReader(server: ServerOffers): RegisteredTool {
  return readerTool(server, GET_PROMPT, getPrompt);
}

/** `{uri}` of a SKILL.md, or a skill's name: the whole of it as text; every listed file is read and verified. */
export function skillLoader(server: ServerOffers): RegisteredTool {
  return readerTool(server, READ_RESOURCE, loadSkill);
}

function readerTool(server: ServerOffers, definition: ToolDefinition, work: Work): RegisteredTool {
  const { name, kind, identity } = server.connection;
  const call = ({ arguments: args, signal, onProgress }: SourceCall) =>
    work(server, args, { signal, onProgress });
  return {
    server: name,
    name: definition.name,
    publicName: definition.name,
    definition,
    hidden: undefined,
    exposure: 'direct',
    source: { name, kind, identity, call },
  };
}

async function readResource(
  server: ServerOffers,
  args: JsonObject,
  options: ServerRequestOptions,
): Promise<ToolResult> {
  const uri = textOf(args['uri']);
  const skill = await findSkill(server, uri, options.signal);
  if (skill === undefined) {
    return resourceResult(server.name, uri, await server.read(uri, options));
  }
  let raw: JsonValue = null;
  const ports = server.skillPorts(options, (received) => {
    raw = received;
  });
  if (fileKey(skill.uri) === fileKey(uri)) {
    const manifest = await fetchManifest(ports, skill);
    return skillResult(server.name, skill, manifest, raw);
  }
  const { mimeType, bytes, uri: asked } = await fetchFile(ports, skill, uri);
  const text = decodeText(bytes);
  const blob = text === undefined ? Buffer.from(bytes).toString('base64') : undefined;
  return resourceResult(server.name, asked, {
    contents: [{ uri: asked, mimeType, text, blob }],
    raw,
  });
}

/** The skill that the URI is a file of; only what the server lists can be verified. */
async function findSkill(
  server: ServerOffers,
  uri: string,
  signal: AbortSignal,
): Promise<SkillEntry | undefined> {
  if (!server.hasSkillExtension() && !isSkillUri(uri)) return undefined;
  const { skills } = await server.skills(signal);
  const key = fileKey(uri);
  return skills.find((skill) => {
    const root = skillRoot(skill.uri);
    if (root === undefined) return false;
    if (fileKey(skill.uri) === key) return true;
    return skill.frontmatter !== undefined && isInside(root, uri);
  });
}

async function getPrompt(
  server: ServerOffers,
  args: JsonObject,
  options: ServerRequestOptions,
): Promise<ToolResult> {
  const name = textOf(args['name']);
  const given = args['arguments'];
  const values = isJsonObject(given) ? given : {};
  const { items, notices } = await server.prompts(options.signal);
  const prompt = items.find((item) => item.name === name);
  if (prompt === undefined && items.length > 0 && notices.length === 0) {
    const [nearest] = nearestMatches(
      name,
      items.map((item) => item.name),
      1,
    );
    const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
    return failedResult(`Server ${server.name} has no prompt "${name}".${hint}`);
  }
  const missing = prompt === undefined ? [] : missingArguments(prompt, values);
  if (missing.length > 0) {
    return failedResult(
      `The prompt ${name} needs ${missing.join(', ')} in its arguments; nothing was sent.`,
    );
  }
  return promptResult(server.name, name, await server.prompt(name, values, options));
}

async function loadSkill(
  server: ServerOffers,
  args: JsonObject,
  options: ServerRequestOptions,
): Promise<ToolResult> {
  const uri = textOf(args['uri']);
  const ports = server.skillPorts(options);
  const skill = await listedSkill(server, uri, options);
  const manifest = await fetchManifest(ports, skill);
  const files: JsonObject[] = [];
  for (const file of skill.files ?? []) {
    if (file.uri !== manifest.uri) await fetchFile(ports, skill, file.uri);
    files.push({ ...file, verified: true });
  }
  const { text, body, frontmatter, ignored, isVerified } = manifest;
  return {
    content: [{ type: 'text', text }],
    structuredContent: undefined,
    isError: false,
    raw: { uri: skill.uri, frontmatter, body, verified: isVerified, files, ignored },
  };
}

/** Only the extension knows skills that it does not list. */
async function listedSkill(
  server: ServerOffers,
  uri: string,
  options: ServerRequestOptions,
): Promise<SkillEntry> {
  const { skills, refused } = await server.skills(options.signal);
  const key = fileKey(uri);
  const found =
    skills.find((skill) => fileKey(skill.uri) === key) ?? skills.find(({ name }) => name === uri);
  if (found !== undefined) return found;
  const problem = refused.find(({ name }) => fileKey(name) === key)?.problem;
  if (problem !== undefined) throw new FailedError(`skill ${uri} is not used: ${problem}`);
  if (server.hasSkillExtension()) return fetchEntry(server.skillPorts(options), uri);
  throw new FailedError(`server ${server.name} lists no skill ${uri}`, {
    hint: `usher skills ${server.name} lists them`,
  });
}

/** Files with a NUL or other bytes than UTF-8 are no text. */
function decodeText(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // The only thing it throws for is bytes that are no UTF-8.
    return undefined;
  }
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
