/**
 * The offline router on the real tools and queries of `tests/fixtures/data`, by style: how often the right tool
 * comes first and among the first five, how often its call is right as it stands (every required argument filled,
 * fit for the schema), and what is called without asking. The tools of the data carry no hints, so that as they are
 * nothing is called; `claimed` is the worst case, in which every tool claims to be read-only.
 * `bun scripts/bench/router.ts [--json] [--list]`
 */
import { type Route, routePrompt } from '../../src/model/offline-route.ts';
import { createToolSearch } from '../../src/tools/search.ts';
import { stem } from '../../src/tools/search-stem.ts';
import { wordsOf } from '../../src/tools/search-words.ts';
import type { RegisteredTool } from '../../src/tools/types.ts';
import { checkArguments } from '../../src/tools/validate.ts';
import { aboutServers, type Query, readQueries, readTools, registered } from './real-tools.ts';

/** A fixed day: what the queries mean by `tomorrow` must not change the figures. */
const NOW = new Date('2026-01-15T12:00:00Z');
/** What a tool's own name says that it changes. Not the router's list: it must not judge itself. */
const DEEDS = new Set(
  `add append apply archive book buy cancel clear click clone close commit copy create delete deploy destroy disable drag
  drop edit enable end evaluate execute fill fork format generate goto insert kill launch lock merge move navigate open
  patch post press protect publish push put reboot register remove rename replace request reset restart revert run save
  scroll select sell send set start stop submit terminate transfer unprotect update upload write`
    .split(/\s+/)
    .map(stem),
);

interface Judged {
  readonly query: Query;
  readonly first: boolean;
  readonly five: boolean;
  /** The call shown first is right, ready to be copied. */
  readonly call: boolean;
  /** Called without asking, as the tools are. */
  readonly called: number;
  /** Called without asking where every tool claims to be read-only. */
  readonly claimed: 'none' | 'right' | 'wrong' | 'destructive';
  readonly shown: string;
}

function judge(
  query: Query,
  tools: readonly RegisteredTool[],
  claiming: readonly RegisteredTool[],
): Judged {
  const route = routePrompt(query.query, tools, NOW, rankTools);
  const best = callsOf(route);
  const isAccepted = ({ tool }: Shown) => query.accept.includes(pathOf(tool));
  const [top] = best;
  const first = top !== undefined && isAccepted(top);
  return {
    query,
    first,
    five: best.some(isAccepted),
    call: first && isRight(top),
    called: route.kind === 'call' ? 1 : 0,
    claimed: judgeClaimed(query, routePrompt(query.query, claiming, NOW, rankClaiming)),
    shown: best
      .map(
        ({ tool, args, missing }) =>
          `${pathOf(tool)} ${JSON.stringify(args)} -${missing.join(',')}`,
      )
      .join('\n    '),
  };
}

interface Shown {
  readonly tool: RegisteredTool;
  readonly args: Parameters<typeof checkArguments>[1];
  readonly missing: readonly string[];
}

function callsOf(route: Route): readonly Shown[] {
  if (route.kind === 'call') return [{ tool: route.tool, args: route.args, missing: [] }];
  return route.candidates.map(({ tool, filled }) => ({ tool, ...filled }));
}

function isRight({ tool, args, missing }: Shown): boolean {
  return missing.length === 0 && checkArguments(tool.definition.inputSchema, args).length === 0;
}

function judgeClaimed(query: Query, route: Route): Judged['claimed'] {
  if (route.kind === 'unclear') return 'none';
  const { tool } = route;
  if (query.accept.includes(pathOf(tool))) return 'right';
  return wordsOf(tool.name).some((word) => DEEDS.has(word)) ? 'destructive' : 'wrong';
}

function pathOf({ server, name }: RegisteredTool): string {
  return `${server}/${name}`;
}

const listed = await readTools();
const queries = await readQueries();
const about = aboutServers(listed);
const rankTools = createToolSearch(() => about).find;
const rankClaiming = createToolSearch(() => about).find;
const tools = listed.map((one) => registered(one));
const claiming = listed.map((one) => registered(one, true));
const judged = queries.map((query) => judge(query, tools, claiming));

const styles = [...new Set(queries.map(({ style }) => style)), 'all'];
const report = styles.map((style) => {
  const own = judged.filter(({ query }) => style === 'all' || query.style === style);
  const count = (isIt: (one: Judged) => boolean) => own.filter(isIt).length;
  return {
    style,
    n: own.length,
    toolFirst: count(({ first }) => first),
    toolInFive: count(({ five }) => five),
    callRight: count(({ call }) => call),
    called: count(({ called }) => called > 0),
    claimed: {
      right: count(({ claimed }) => claimed === 'right'),
      wrong: count(({ claimed }) => claimed === 'wrong'),
      destructive: count(({ claimed }) => claimed === 'destructive'),
    },
  };
});

if (process.argv.includes('--list')) {
  for (const { query, first, call, claimed, shown } of judged) {
    const marks = `${first ? 'tool' : '-'} ${call ? 'call' : '-'} ${claimed}`;
    process.stdout.write(`${query.id} [${marks}] ${query.query}\n    ${shown}\n`);
  }
}
if (process.argv.includes('--json')) {
  process.stdout.write(`${JSON.stringify(report)}\n`);
} else {
  const lines = report.map(
    (one) =>
      `${one.style.padEnd(10)} ${String(one.n).padStart(3)}  tool first ${one.toolFirst}, in five ${one.toolInFive}, call right ${one.callRight}; called ${one.called}; claimed: right ${one.claimed.right}, wrong ${one.claimed.wrong}, destructive ${one.claimed.destructive}`,
  );
  process.stdout.write(`${lines.join('\n')}\n`);
}
