/** Reads a progress notification; lenient on what is missing. Source: MCP schema, ProgressNotification. */
import type { JsonObject } from '../../base/json.ts';
import type { ToolProgress } from '../../tools/types.ts';

/** `token`: our request's id; `progress`: undefined when there is no number in it. */
export function readProgress(params: JsonObject): {
  readonly token: number | undefined;
  readonly progress: ToolProgress | undefined;
} {
  const { progressToken, progress, total, message } = params;
  const token =
    typeof progressToken === 'string' && progressToken !== ''
      ? Number(progressToken)
      : progressToken;
  return {
    token: typeof token === 'number' && !Number.isNaN(token) ? token : undefined,
    progress:
      typeof progress === 'number'
        ? {
            progress,
            total: typeof total === 'number' ? total : undefined,
            message: typeof message === 'string' ? message : undefined,
          }
        : undefined,
  };
}
