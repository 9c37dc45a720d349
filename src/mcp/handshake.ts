/** The legacy handshake: one initialize, any revision the server answers with. Source: MCP 2025-11-25, lifecycle. */
import { ProtocolError } from '../base/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { cutToCharacters, shorten } from '../base/text.ts';
import { RpcError } from './errors.ts';

export interface Handshake {
  readonly protocolVersion: string;
  /** As the server declared them. */
  readonly capabilities: JsonObject;
  readonly serverInfo: { readonly name: string; readonly version: string } | undefined;
  /** At most 4,000 characters. */
  readonly instructions: string | undefined;
  readonly notices: readonly string[];
}

/** Newest first. */
const KNOWN_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'];
const ASKED_VERSION = '2025-11-25';
const MAX_INSTRUCTIONS_CHARACTERS = 4000;
const MAX_VERSION_CHARACTERS = 64;

/**
 * Initializes with the newest legacy version; a server that refuses it and lists others is asked once
 * more with one of those. An unknown version in the answer is accepted with a notice. Rejects with
 * ProtocolError when the answer is unusable, or as `send` does.
 */
export async function shakeHands(
  send: (params: JsonObject) => Promise<JsonValue>,
  server: string,
  us: { readonly version: string; readonly clientCapabilities: JsonObject },
): Promise<Handshake> {
  const offer = (protocolVersion: string) =>
    send({
      protocolVersion,
      capabilities: us.clientCapabilities,
      clientInfo: { name: 'usher', version: us.version },
    });
  const answer = await offer(ASKED_VERSION).catch((error: unknown) => {
    const listed = versionFor(error);
    if (listed === undefined) throw error;
    return offer(listed);
  });
  if (!isJsonObject(answer)) {
    throw new ProtocolError(`server "${server}" answered initialize without an object`);
  }
  return readHandshake(answer, server);
}

function readHandshake(answer: JsonObject, server: string): Handshake {
  const { protocolVersion: answered, instructions, serverInfo, capabilities } = answer;
  const isText = typeof answered === 'string' && answered !== '';
  const protocolVersion = isText
    ? cutToCharacters(answered, MAX_VERSION_CHARACTERS)
    : ASKED_VERSION;
  const notices =
    isText && KNOWN_VERSIONS.includes(answered)
      ? []
      : [
          `server "${server}" speaks protocol version ${shorten(JSON.stringify(answered ?? null), MAX_VERSION_CHARACTERS)}, which is not known here (asked for ${ASKED_VERSION})`,
        ];
  return {
    protocolVersion,
    capabilities: isJsonObject(capabilities) ? capabilities : {},
    serverInfo: readServerInfo(serverInfo),
    instructions: readInstructions(instructions),
    notices,
  };
}

/** At most 4,000 characters; `undefined` when nothing is said. */
export function readInstructions(instructions: JsonValue | undefined): string | undefined {
  return typeof instructions === 'string' && instructions.trim() !== ''
    ? cutToCharacters(instructions, MAX_INSTRUCTIONS_CHARACTERS)
    : undefined;
}

export function readServerInfo(info: JsonValue | undefined): Handshake['serverInfo'] {
  if (!isJsonObject(info) || typeof info['name'] !== 'string') return undefined;
  return {
    name: info['name'],
    version: typeof info['version'] === 'string' ? info['version'] : '',
  };
}

/** The best version of `data.supported` in a refusal; `undefined` when the refusal is about something else. */
function versionFor(error: unknown): string | undefined {
  if (!(error instanceof RpcError) || !isJsonObject(error.data)) return undefined;
  const { supported } = error.data;
  if (!Array.isArray(supported)) return undefined;
  const listed = supported.filter((version) => typeof version === 'string' && version !== '');
  return KNOWN_VERSIONS.find((version) => listed.includes(version) && version !== ASKED_VERSION);
}
