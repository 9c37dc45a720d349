/** `usher prompts`: prepared texts that servers fill in. */
import type { ExitCode } from '../../base/exit.ts';
import type { PromptItem } from '../../mcp/prompts.ts';
import { firstLine, twoColumns } from '../columns.ts';
import type { Context } from '../context.ts';
import { type Listed, runListing } from '../offers.ts';

/** Lists the prompts. `--json`: {prompts}, items verbatim with `server`. */
export function runPrompts(context: Context, words: readonly string[]): Promise<ExitCode> {
  const { options, output } = context;
  return runListing<PromptItem>(
    context,
    'prompts',
    words,
    (server, signal) => server.prompts(signal),
    (listed) => {
      if (options.output === 'json') output.json(promptsDocument(listed));
      else output.text(promptsText(listed, output.columns()));
    },
  );
}

function promptsDocument(listed: readonly Listed<PromptItem>[]) {
  return {
    prompts: listed.flatMap(({ server, items }) => items.map(({ raw }) => ({ ...raw, server }))),
  };
}

/** `server/name argument*`, required arguments with a star, then what it is about. */
function promptsText(listed: readonly Listed<PromptItem>[], columns: number | undefined): string {
  return twoColumns(
    listed.flatMap(({ server, items }) =>
      items.map((item) => {
        const names = item.arguments.map(({ name, required }) => `${name}${required ? '*' : ''}`);
        const head = [`${server}/${item.name}`, ...names].join(' ');
        return [head, firstLine(item.description ?? item.title)] as const;
      }),
    ),
    columns,
  );
}
