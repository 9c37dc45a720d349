/** `usher resources`: what servers offer for reading. */
import { formatBytes } from '../../base/bytes.ts';
import type { ExitCode } from '../../base/exit.ts';
import type { ResourceItem, TemplateItem } from '../../mcp/resources.ts';
import { firstLine, twoColumns } from '../columns.ts';
import type { Context } from '../context.ts';
import { type Listed, runListing } from '../offers.ts';

type Item = ResourceItem | TemplateItem;

/** Lists resources, then templates. `--json`: {resources, resourceTemplates}, items verbatim with `server`. */
export function runResources(context: Context, words: readonly string[]): Promise<ExitCode> {
  const { options, output } = context;
  return runListing<Item>(
    context,
    'resources',
    words,
    async (server, signal) => {
      const lists = await Promise.all([server.resources(signal), server.templates(signal)]);
      return {
        items: lists.flatMap(({ items }): readonly Item[] => items),
        dropped: lists.flatMap(({ dropped }) => dropped),
        notices: lists.flatMap(({ notices }) => notices),
      };
    },
    (listed) => {
      if (options.output === 'json') output.json(resourcesDocument(listed));
      else output.text(resourcesText(listed, words.length === 0, output.columns()));
    },
  );
}

function resourcesDocument(listed: readonly Listed<Item>[]) {
  const shown = listed.flatMap(({ server, items }) =>
    items.map((item) => ({ isTemplate: isTemplate(item), value: { ...item.raw, server } })),
  );
  return {
    resources: shown.filter((item) => !item.isTemplate).map(({ value }) => value),
    resourceTemplates: shown.filter((item) => item.isTemplate).map(({ value }) => value),
  };
}

/** `URI`, with its server before it unless one was named: as `usher read` takes it. */
function resourcesText(
  listed: readonly Listed<Item>[],
  namesServers: boolean,
  columns: number | undefined,
): string {
  const rows = listed.flatMap(({ server, items }) =>
    items.map((item) => {
      const uri = isTemplate(item) ? item.uriTemplate : item.uri;
      return [namesServers ? `${server} ${uri}` : uri, aboutOf(item)] as const;
    }),
  );
  return twoColumns(rows, columns);
}

function aboutOf(item: Item): string {
  const facts = [
    isTemplate(item) ? 'template' : '',
    item.mimeType ?? '',
    !isTemplate(item) && item.size !== undefined ? formatBytes(item.size) : '',
  ].filter((fact) => fact !== '');
  const name = item.title ?? item.name ?? '';
  const about = item.description === undefined ? '' : `: ${item.description}`;
  return firstLine(`${name}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}${about}`);
}

function isTemplate(item: Item): item is TemplateItem {
  return 'uriTemplate' in item;
}
