/**
 * The search beside minisearch, in one run: quality on the real tools and queries of `tests/fixtures/data`,
 * by style, then time to index and median time of a query with 527 and 10,000 tools.
 * `bun scripts/bench/search.ts [--json]`
 */
import MiniSearch from 'minisearch';
import { createToolSearch } from '../../src/tools/search.ts';
import {
  aboutServers,
  type Listed,
  type Query,
  readQueries,
  readTools,
  registered,
} from './real-tools.ts';

const MANY = 10_000;
const PLACES = [1, 3, 5, 10] as const;

/** Paths `server/tool`, best first. */
type Search = (query: string, limit: number) => readonly string[];
interface Engine {
  readonly name: string;
  readonly build: (listed: readonly Listed[]) => Search;
}

const usher: Engine = {
  name: 'usher',
  build(listed) {
    const about = aboutServers(listed);
    const tools = listed.map((one) => registered(one));
    const search = createToolSearch(() => about);
    search.find(tools, 'warm up', 1);
    return (query, limit) =>
      search.find(tools, query, limit).map(({ tool }) => `${tool.server}/${tool.name}`);
  },
};

const minisearch: Engine = {
  name: 'minisearch',
  build(listed) {
    const index = new MiniSearch({
      idField: 'path',
      fields: ['name', 'description', 'parameters', 'server', 'about'],
      searchOptions: { boost: { name: 3, server: 1.5 }, prefix: true, fuzzy: 0.2 },
    });
    index.addAll(
      listed.map(({ server, serverDesc, name, description, inputSchema }) => ({
        path: `${server}/${name}`,
        name: `${name} ${name.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[_-]/g, ' ')}`,
        description,
        parameters: Object.keys(inputSchema?.['properties'] ?? {}).join(' '),
        server,
        about: serverDesc?.slice(0, 250),
      })),
    );
    return (query, limit) =>
      index
        .search(query)
        .slice(0, limit)
        .map(({ id }) => String(id));
  },
};

/** Share of queries with an accepted tool among the first k, percent, by style. */
function quality(search: Search, queries: readonly Query[]) {
  const styles = [...new Set(queries.map(({ style }) => style))];
  const groups = [
    ...styles.map((style) => [style, (one: Query) => one.style === style] as const),
    ['all', () => true] as const,
  ];
  return groups.map(([style, isIn]) => {
    const ranks = queries.filter(isIn).map(({ query, accept }) => {
      const place = search(query, 10).findIndex((path) => accept.includes(path));
      return place === -1 ? Number.POSITIVE_INFINITY : place + 1;
    });
    const share = (most: number) =>
      (100 * ranks.filter((rank) => rank <= most).length) / ranks.length;
    return {
      style,
      n: ranks.length,
      recall: PLACES.map((place) => Number(share(place).toFixed(1))),
    };
  });
}

function timing(engine: Engine, listed: readonly Listed[], queries: readonly Query[]) {
  // The best of three: whatever else runs on the machine only makes it slower.
  const builds = [1, 2, 3].map(() => {
    const startedAt = performance.now();
    const search = engine.build(listed);
    return { search, ms: performance.now() - startedAt };
  });
  const indexMs = Math.min(...builds.map(({ ms }) => ms));
  const search = builds[0]?.search ?? engine.build(listed);
  const times = [...queries, ...queries].map(({ query }) => {
    const from = performance.now();
    search(query, 10);
    return performance.now() - from;
  });
  times.sort((a, b) => a - b);
  return {
    indexMs: Number(indexMs.toFixed(1)),
    queryMs: Number((times[times.length >> 1] ?? 0).toFixed(3)),
  };
}

const listed = await readTools();
const queries = await readQueries();
const many = Array.from({ length: MANY }, (_, at) => {
  const one = listed[at % listed.length] ?? listed[0];
  if (one === undefined) throw new Error('no tools');
  const round = Math.floor(at / listed.length);
  // Words of their own, as other servers would have.
  return {
    ...one,
    server: `${one.server}-${round}`,
    description: `${one.description} word${at} term${round}`,
  };
});
const report = [usher, minisearch].map((engine) => ({
  engine: engine.name,
  quality: quality(engine.build(listed), queries),
  few: timing(engine, listed, queries),
  many: timing(engine, many, queries),
}));

if (process.argv.includes('--json')) {
  process.stdout.write(`${JSON.stringify(report)}\n`);
} else {
  const lines = report.flatMap((one) => [
    `${one.engine}: ${listed.length} tools indexed in ${one.few.indexMs} ms, query ${one.few.queryMs} ms; ${MANY} tools in ${one.many.indexMs} ms, query ${one.many.queryMs} ms (medians)`,
    ...one.quality.map(
      ({ style, n, recall }) =>
        `  ${style.padEnd(10)} ${String(n).padStart(3)}  ${PLACES.map((place, at) => `R@${place} ${recall[at]}`).join('  ')}`,
    ),
  ]);
  const [ours, theirs] = report;
  if (ours !== undefined && theirs !== undefined) {
    const ratio = (a: number, b: number) => (a / b).toFixed(2);
    lines.push(
      `beside minisearch with ${MANY} tools: index × ${ratio(ours.many.indexMs, theirs.many.indexMs)}, query × ${ratio(ours.many.queryMs, theirs.many.queryMs)}`,
    );
  }
  process.stdout.write(`${lines.join('\n')}\n`);
}
