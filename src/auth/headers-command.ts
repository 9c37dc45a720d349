/** Headers from a program of the user's, such as one that fetches a short-lived token: one JSON object of texts. Every value is a secret. */
import { headerValueProblem, isConnectionHeader, isHeaderName } from '../base/header-fields.ts';
import { isJsonObject, tryParseJson } from '../base/json.ts';
import { registerHeader } from './headers.ts';
import {
  type CommandOutput,
  type CommandPorts,
  type CredentialCommand,
  runCredentialCommand,
} from './run-command.ts';

/** 5 s. */
export const HEADERS_COMMAND_MS = 5000;

/**
 * Runs the command once and registers what it gives. Rejects with AuthError that shows the end of its
 * stderr, never its stdout, or with the signal's reason; no process is left in any case.
 */
export async function runHeadersCommand(
  command: CredentialCommand,
  ports: CommandPorts,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const settings = { key: 'headersCommand', limitMs: HEADERS_COMMAND_MS };
  return readHeaders(await runCredentialCommand(command, settings, ports, signal));
}

function readHeaders({ stdout, refused }: CommandOutput): Readonly<Record<string, string>> {
  const value = tryParseJson(stdout.trim());
  if (!isJsonObject(value)) throw refused(' has to print one JSON object of texts', true);
  const headers: Record<string, string> = {};
  for (const [name, written] of Object.entries(value)) {
    // Whoever mixes them up prints the token as a name.
    if (!isHeaderName(name)) throw refused(' gave a name that is no header');
    if (typeof written !== 'string') throw refused(`: ${name} is no text`);
    registerHeader(written);
    const problem = isConnectionHeader(name)
      ? 'this header is set by usher itself'
      : headerValueProblem(written.trim());
    if (problem !== undefined) throw refused(`: ${name}: ${problem}`);
    headers[name.toLowerCase()] = written.trim();
  }
  return headers;
}
