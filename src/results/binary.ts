/** Base64 data of a result: kept as a file, shown as one line. It never reaches the model. */
import { formatBytes } from '../base/bytes.ts';
import type { JsonValue } from '../base/json.ts';
import { type ArtifactOptions, saveArtifact } from './artifacts.ts';
import { sanitizeLabel } from './sanitize.ts';
import type { SavedArtifact } from './types.ts';

const MAX_LABEL = 100;
const UNKNOWN_TYPE = 'application/octet-stream';
const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
  'image/bmp': 'bmp',
  'image/tiff': 'tiff',
  'image/avif': 'avif',
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/flac': 'flac',
  'audio/mp4': 'm4a',
  'audio/webm': 'weba',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
  'application/pdf': 'pdf',
  'application/zip': 'zip',
  'application/gzip': 'gz',
  'application/json': 'json',
  'application/xml': 'xml',
  'text/plain': 'txt',
  'text/html': 'html',
  'text/csv': 'csv',
  'text/markdown': 'md',
};

export interface BinaryMarker {
  /** `[image/png 12.3 KiB saved as PATH]`. */
  readonly text: string;
  readonly artifact: SavedArtifact | undefined;
}

/**
 * Decodes and keeps `data`. `kind` (`image`, `audio`, `resource`) stands in the line where the type is
 * missing; `origin` is put before the type. Data that is empty or no base64 is said to be so, and not saved.
 */
export async function keepBinary(
  kind: string,
  data: JsonValue | undefined,
  mimeType: JsonValue | undefined,
  options: ArtifactOptions,
  origin = '',
): Promise<BinaryMarker> {
  const given =
    typeof mimeType === 'string' ? sanitizeLabel(mimeType, MAX_LABEL).toLowerCase() : '';
  const label = `${origin}${given === '' ? `${kind} of unknown type` : given}`;
  if (data === undefined || data === '')
    return { text: `[${label} 0 B: no data]`, artifact: undefined };
  const bytes = typeof data === 'string' ? decodeBase64(data) : undefined;
  if (bytes === undefined) {
    return { text: `[${label} not saved: its data is not valid base64]`, artifact: undefined };
  }
  const [essence = ''] = given.split(';');
  const extension = EXTENSIONS[essence.trim()] ?? 'bin';
  const saved = await saveArtifact(bytes, extension, options);
  const size = `${label} ${formatBytes(bytes.length)}`;
  if (saved.kind === 'not_saved') {
    return { text: `[${size} not saved: ${saved.reason}]`, artifact: undefined };
  }
  return {
    text: `[${size} saved as ${saved.path}]`,
    artifact: {
      path: saved.path,
      mimeType: given === '' ? UNKNOWN_TYPE : given,
      bytes: bytes.length,
    },
  };
}

/** Standard or URL-safe, white space and missing padding allowed; `undefined` for anything else. */
function decodeBase64(data: string): Uint8Array | undefined {
  const compact = /\s/.test(data) ? data.replace(/\s+/g, '') : data;
  if (compact === '' || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(compact)) return undefined;
  if (compact.replace(/=+$/, '').length % 4 === 1) return undefined;
  return Buffer.from(compact, 'base64');
}
