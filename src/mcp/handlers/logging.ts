/** Reads notifications/message; lenient on what is missing. Source: MCP 2025-11-25, server utilities, logging. */
import type { JsonObject } from '../../base/json.ts';
import { stableStringify } from '../../base/json.ts';

export interface ServerLogMessage {
  /** `debug` … `emergency`; anything unknown is `info`. */
  readonly level: string;
  /** `logger: data`, raw; data that is no text as JSON. */
  readonly text: string;
}

const LEVELS = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const;

export function readLogMessage(params: JsonObject): ServerLogMessage {
  const { level, logger, data } = params;
  const body = typeof data === 'string' ? data : stableStringify(data);
  return {
    level: LEVELS.find((known) => known === level) ?? 'info',
    text: typeof logger === 'string' && logger !== '' ? `${logger}: ${body}` : body,
  };
}
