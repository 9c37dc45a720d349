/** `usher mcp`: which action, and which flags go with it. Each action is loaded when it runs. */
import { UsageError } from '../../base/errors.ts';
import type { ExitCode } from '../../base/exit.ts';
import { nearestMatches } from '../../base/text.ts';
import type { Context } from '../context.ts';
import type { FlagName } from '../flags.ts';
import {
  flagsOfAction,
  isMcpAction,
  MCP_EVERYWHERE,
  type McpAction,
  mcpActions,
} from '../mcp-actions.ts';
import type { ParsedLine } from '../parse.ts';
import { noMoreWords, oneWord } from '../words.ts';

export async function runMcp(context: Context, line: ParsedLine): Promise<ExitCode> {
  const [word, ...rest] = line.words;
  const action = actionOf(word);
  checkFlags(action, line);
  switch (action) {
    case 'list': {
      noMoreWords(rest, 'mcp list');
      return (await import('./mcp-list.ts')).runList(context);
    }
    case 'get':
      return (await import('./mcp-get.ts')).runGet(context, oneWord(rest, 'mcp get'));
    case 'add':
      return (await import('./mcp-add.ts')).runAdd(context, rest, line.dashed);
    case 'add-json':
      return (await import('./mcp-add.ts')).runAddJson(context, rest);
    case 'remove':
    case 'enable':
    case 'disable':
      return (await import('./mcp-change.ts')).runChange(context, action, oneWord(rest, 'mcp'));
    case 'login':
      return (await import('./login.ts')).runServerLogin(context, rest);
    case 'logout':
      return (await import('./login.ts')).runServerLogout(context, rest);
    case 'lock':
      return (await import('./mcp-lock.ts')).runLock(context, rest);
    case 'approve':
      if (context.options.diff)
        return (await import('./mcp-lock.ts')).runApproveDiff(context, rest);
      return (await import('./mcp-trust.ts')).runDecide(context, action, rest);
    case 'reject':
      return (await import('./mcp-trust.ts')).runDecide(context, action, rest);
    case 'reset': {
      noMoreWords(rest, 'mcp reset');
      return (await import('./mcp-trust.ts')).runReset(context);
    }
    case 'doctor':
      return (await import('./mcp-doctor.ts')).runDoctor(context, rest);
  }
}

function actionOf(word: string | undefined): McpAction {
  if (word !== undefined && isMcpAction(word)) return word;
  const names = mcpActions();
  const [nearest] = nearestMatches(word ?? '', names, 1);
  throw new UsageError(
    word === undefined ? 'mcp: which action?' : `mcp: unknown action "${word}"`,
    { hint: nearest === undefined ? names.join(', ') : `did you mean ${nearest}?` },
  );
}

function checkFlags(action: McpAction, { flags }: ParsedLine): void {
  const allowed: readonly FlagName[] = [...MCP_EVERYWHERE, ...flagsOfAction(action)];
  for (const name of flags.keys()) {
    if (allowed.includes(name)) continue;
    const others = mcpActions().filter((other) => flagsOfAction(other).includes(name));
    throw new UsageError(`--${name} does not go with usher mcp ${action}`, {
      hint: `it goes with usher mcp ${others.join(', ')}`,
    });
  }
}
