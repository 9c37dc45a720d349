/** Content blocks of a result as text, in their order. Unknown kinds are named, nothing is lost silently. */
import { formatBytes } from '../base/bytes.ts';
import { isDeeperThan, MAX_JSON_DEPTH } from '../base/depth.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import type { ArtifactOptions } from './artifacts.ts';
import { keepBinary } from './binary.ts';
import { sanitizeLabel, sanitizeText } from './sanitize.ts';
import type { SavedArtifact } from './types.ts';

const MAX_LABEL = 200;
const MAX_URI = 2_000;

export interface ContentPart {
  readonly text: string;
  readonly artifact: SavedArtifact | undefined;
}

/** One block as text. Blocks that break the protocol (text that is no string, a bare string) are shown as best as can be. */
export async function renderBlock(
  block: JsonValue | undefined,
  options: ArtifactOptions,
): Promise<ContentPart> {
  if (!isJsonObject(block)) return textPart(textOf(block));
  const type = block['type'];
  switch (type) {
    case 'text':
      return textPart(Object.hasOwn(block, 'text') ? textOf(block['text']) : textOf(block));
    case 'image':
    case 'audio':
      return keepBinary(type, block['data'], block['mimeType'], options);
    case 'resource':
      return renderResource(block['resource'], options);
    case 'resource_link':
      return textPart(linkLine(block));
    default: {
      const name = typeof type === 'string' ? type : 'unknown';
      const fields = Object.keys(block).filter((key) => key !== 'type');
      const list = fields.length === 0 ? '' : ` with ${label(fields.join(', '))}`;
      return textPart(`[content of type "${label(name)}" is not shown${list}]`);
    }
  }
}

/** A string as it is, anything else as JSON. */
function textOf(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value;
  if (isDeeperThan(value)) return `[JSON of more than ${MAX_JSON_DEPTH} levels is not shown]`;
  return JSON.stringify(value, null, 2) ?? '';
}

async function renderResource(
  resource: JsonValue | undefined,
  options: ArtifactOptions,
): Promise<ContentPart> {
  if (!isJsonObject(resource)) return textPart('[resource without content]');
  const uri = uriOf(resource['uri']);
  if (Object.hasOwn(resource, 'blob')) {
    return keepBinary(
      'resource',
      resource['blob'],
      resource['mimeType'],
      options,
      `resource ${uri}: `,
    );
  }
  const type = resource['mimeType'];
  const note = typeof type === 'string' && type !== '' ? `, ${label(type)}` : '';
  return textPart(`[resource ${uri}${note}]\n${textOf(resource['text'])}`);
}

function linkLine(block: JsonObject): string {
  const { name, title, description, mimeType, size } = block;
  const facts = [
    typeof mimeType === 'string' ? label(mimeType) : '',
    typeof size === 'number' && size >= 0 ? formatBytes(size) : '',
  ].filter((fact) => fact !== '');
  const shownName = [title, name].find((text) => typeof text === 'string' && text !== '');
  const named = typeof shownName === 'string' ? `${label(shownName)}: ` : '';
  const about =
    typeof description === 'string' && description !== '' ? ` – ${label(description)}` : '';
  const suffix = facts.length === 0 ? '' : ` (${facts.join(', ')})`;
  return `[resource link ${named}${uriOf(block['uri'])}${suffix}${about}]`;
}

function uriOf(uri: JsonValue | undefined): string {
  return typeof uri === 'string' && uri !== '' ? sanitizeLabel(uri, MAX_URI) : 'without URI';
}

function label(text: string): string {
  return sanitizeLabel(text, MAX_LABEL);
}

function textPart(text: string): ContentPart {
  return { text: sanitizeText(text), artifact: undefined };
}
