/** `usher skills`: the skills that servers list. No file of a skill is read. */
import type { ExitCode } from '../../base/exit.ts';
import type { JsonObject } from '../../base/json.ts';
import { firstLine, twoColumns } from '../columns.ts';
import type { Context } from '../context.ts';
import { type Listed, runListing } from '../offers.ts';

interface Item {
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  readonly raw: JsonObject;
}

/** Lists the skills. `--json`: {skills}, items verbatim with `server`, `name` and `description`. */
export function runSkills(context: Context, words: readonly string[]): Promise<ExitCode> {
  const { options, output } = context;
  return runListing<Item>(
    context,
    'skills',
    words,
    async (server, signal) => {
      const { skills, refused, notices } = await server.skills(signal);
      return { items: skills, dropped: refused, notices };
    },
    (listed) => {
      if (options.output === 'json') output.json(skillsDocument(listed));
      else output.text(skillsText(listed, output.columns()));
    },
  );
}

function skillsDocument(listed: readonly Listed<Item>[]) {
  return {
    skills: listed.flatMap(({ server, items }) =>
      items.map(({ raw, name, description }) => ({ ...raw, server, name, description })),
    ),
  };
}

function skillsText(listed: readonly Listed<Item>[], columns: number | undefined): string {
  return twoColumns(
    listed.flatMap(({ server, items }) =>
      items.map(
        ({ uri, name, description }) =>
          [
            listed.length > 1 ? `${server} ${uri}` : uri,
            firstLine(`${name}${description === '' ? '' : `: ${description}`}`),
          ] as const,
      ),
    ),
    columns,
  );
}
