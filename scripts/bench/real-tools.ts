/** The real tools and queries of `tests/fixtures/data`, as the search and the router are measured on them. */
import { join } from 'node:path';
import * as v from 'valibot';
import type { RegisteredTool } from '../../src/tools/types.ts';

const DATA = join(import.meta.dir, '../../tests/fixtures/data');

const toolSchema = v.object({
  server: v.string(),
  serverDesc: v.nullish(v.string(), ''),
  name: v.string(),
  description: v.nullish(v.string(), ''),
  inputSchema: v.nullish(v.record(v.string(), v.any()), {}),
});
const querySchema = v.object({
  id: v.string(),
  query: v.string(),
  style: v.string(),
  accept: v.array(v.string()),
});
export type Listed = v.InferOutput<typeof toolSchema>;
export type Query = v.InferOutput<typeof querySchema>;

export const readTools = () => read('live-mcp-tools.json', toolSchema);
export const readQueries = () => read('queries-dev.json', querySchema);

/** What hosts know of a server: the beginning of what it says of itself. */
export function aboutServers(listed: readonly Listed[]): ReadonlyMap<string, string> {
  return new Map(
    listed.map(({ server, serverDesc }) => [server, (serverDesc ?? '').slice(0, 250)]),
  );
}

/** A direct tool that nothing is called by. `readOnlyHint`: what it claims; default nothing. */
export function registered(listed: Listed, readOnlyHint?: boolean): RegisteredTool {
  const { server, name, description, inputSchema } = listed;
  return {
    server,
    name,
    publicName: `${server}_${name}`,
    definition: {
      name,
      title: undefined,
      description: description ?? undefined,
      inputSchema: inputSchema ?? {},
      outputSchema: undefined,
      annotations: readOnlyHint === undefined ? {} : { readOnlyHint },
      raw: {},
    },
    hidden: undefined,
    exposure: 'direct',
    source: {
      name: server,
      kind: 'http',
      identity: server,
      call: () => Promise.reject(new Error('nothing is called here')),
    },
  };
}

async function read<T>(file: string, schema: v.GenericSchema<unknown, T>): Promise<readonly T[]> {
  return v.parse(v.array(schema), await Bun.file(join(DATA, file)).json());
}
