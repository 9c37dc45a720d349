/**
 * What usher promises as an MCP host, by id, and the test files that prove each. MM: the decisions that the
 * product rests on. R: where hosts differ, and what was decided here. An id stands in the name of a test;
 * `requirements.test.ts` holds both sides together. Rows that are not built yet have no line.
 */

export interface Requirement {
  readonly summary: string;
  /** Below `tests/`; at least one test name in each holds the id. */
  readonly tests: readonly string[];
}

export const REQUIREMENTS: Readonly<Record<string, Requirement>> = {
  'MM-01': {
    summary: 'Servers are one YAML list of named entries, at the top level or below mcp.',
    tests: ['flow/run.test.ts', 'flow/start.test.ts'],
  },
  'MM-02': {
    summary: 'name, url, tools, auth and permissions are all that a remote server needs.',
    tests: ['flow/config.test.ts', 'flow/auth.test.ts'],
  },
  'MM-03': {
    summary: 'One permission mode holds for all servers; unless said otherwise it is ask.',
    tests: ['flow/permission.test.ts'],
  },
  'MM-04': {
    summary: 'A mode of a server replaces the common one for that server alone.',
    tests: ['flow/permission.test.ts'],
  },
  'MM-05': {
    summary: 'Streamable HTTP is the way to a url; here stdio and built-ins stand beside it.',
    tests: ['flow/run.test.ts'],
  },
  'MM-06': {
    summary: 'A server that speaks stdio needs no gateway: usher starts it itself.',
    tests: ['flow/run.test.ts'],
  },
  'MM-07': {
    summary: 'Tools whose schema asks for binary data are not offered.',
    tests: ['tools/filter.test.ts', 'flow/names.test.ts'],
  },
  'MM-08': {
    summary: 'Each tool left out for binary data is a warning that names the place in its schema.',
    tests: ['tools/registry.test.ts', 'flow/names.test.ts'],
  },
  'MM-09': {
    summary: 'Further spellings of binary count too, and binary blocks of results become a marker.',
    tests: ['tools/filter.test.ts', 'results/pipeline.test.ts'],
  },
  'MM-10': {
    summary: 'Tokens come from named variables; a literal one in the file is an error, not shown.',
    tests: ['flow/auth.test.ts'],
  },
  'MM-11': {
    summary: 'Bearer token, or a key in a header of choice. OAuth is no part of a run.',
    tests: ['flow/auth.test.ts'],
  },
  'MM-12': {
    summary: 'A token that is missing, empty or blank leaves its server out with a warning.',
    tests: ['flow/auth.test.ts'],
  },
  'MM-13': {
    summary: 'Results are never cached: the same call twice reaches the server twice.',
    tests: ['calls/execute.test.ts', 'flow/run.test.ts'],
  },
  'MM-14': {
    summary: 'All servers are asked for all their tools before the first model request.',
    tests: ['flow/start.test.ts'],
  },
  'MM-15': {
    summary: 'The banner names every tool that is offered.',
    tests: ['flow/start.test.ts'],
  },
  'MM-16': {
    summary: 'A server that was down at the start stays out until it is connected again by hand.',
    tests: ['flow/changes.test.ts'],
  },
  'MM-17': {
    summary: 'The public name of a tool is its server and its own name.',
    tests: ['tools/naming.test.ts', 'flow/names.test.ts'],
  },
  'MM-18': {
    summary: 'In public names each run of other characters is one underscore.',
    tests: ['tools/naming.test.ts', 'flow/names.test.ts'],
  },
  'MM-19': {
    summary: 'Names that clash or are too long carry a hash, at most 64 characters.',
    tests: ['tools/naming.test.ts', 'flow/names.test.ts'],
  },
  'MM-20': {
    summary: 'tools: is an allowlist of original names; an unknown one is told with the nearest.',
    tests: ['tools/filter.test.ts', 'flow/run.test.ts'],
  },
  'MM-21': {
    summary: 'ask: a person is asked before every call. auto: nobody is.',
    tests: ['permission/engine.test.ts', 'calls/execute.test.ts', 'flow/permission.test.ts'],
  },
  'MM-22': {
    summary: 'ask with nobody there is denied at once and has an exit code of its own.',
    tests: ['calls/execute.test.ts', 'flow/permission.test.ts'],
  },
  'MM-23': {
    summary: 'Config, connection, execution and time-out failures each have their own clear end.',
    tests: ['calls/execute.test.ts', 'flow/start.test.ts'],
  },
  'MM-24': {
    summary: 'A failing server never ends the run.',
    tests: ['flow/start.test.ts'],
  },
  'MM-25': {
    summary: 'Our own parser takes event streams whole, in pieces, broken and silent.',
    tests: ['flow/sse.test.ts'],
  },
  'MM-26': {
    summary:
      'Line ends, marks, comments, fields, cut characters, missing ends, bounds and silence.',
    tests: ['flow/sse.test.ts'],
  },
  'MM-27': {
    summary: 'usher is a library as well: a program needs only what the package exports.',
    tests: ['flow/config.test.ts'],
  },
  R1: {
    summary: 'HTTP first, stdio and built-ins beside it, side by side in one run.',
    tests: ['flow/run.test.ts'],
  },
  R2: {
    summary: 'server_tool names by default, mcp__server__tool on wish; people write server/tool.',
    tests: ['flow/names.test.ts'],
  },
  R3: {
    summary: 'Every member of a collision carries its hash, whatever connects first.',
    tests: ['flow/names.test.ts'],
  },
  R4: {
    summary: 'Server names that are one after cleaning are refused, both of them.',
    tests: ['flow/names.test.ts'],
  },
  R6: {
    summary: 'No cache of results.',
    tests: ['flow/run.test.ts'],
  },
  R7: {
    summary: 'Discovery is eager: all servers side by side, before the first request.',
    tests: ['flow/start.test.ts'],
  },
  R8: {
    summary: 'A dead server is a warning, and can be connected again.',
    tests: ['flow/start.test.ts', 'flow/changes.test.ts'],
  },
  R9: {
    summary: 'Binary is filtered twice: tools at discovery, blocks of results into files.',
    tests: ['flow/names.test.ts', 'flow/text.test.ts'],
  },
  R10: {
    summary: 'Rules of a tool go before modes, and deny before everything.',
    tests: ['flow/permission.test.ts'],
  },
  R11: {
    summary: 'Without a person: denied, the model is told, exit 5, the remedy is named.',
    tests: ['flow/permission.test.ts'],
  },
  R12: {
    summary:
      'A yes for good is kept in a state file, bound to server identity and tool definition; never in the YAML.',
    tests: ['flow/rules.test.ts', 'calls/grants.test.ts'],
  },
  R13: {
    summary:
      'Reading a resource or prompt follows the mode of its server; what comes is marked as untrusted.',
    tests: ['flow/offers.test.ts'],
  },
  R14: {
    summary:
      'Servers are exposed directly, on demand, to scripts or not at all; by themselves where they cost too much.',
    tests: ['flow/exposure.test.ts'],
  },
  R5: {
    summary: 'Tokens come from variables; a sign-in is asked for, never begun by a run.',
    tests: ['field/auth-15.test.ts'],
  },
  R16: {
    summary: 'A project file starts nothing by itself.',
    tests: ['flow/config.test.ts'],
  },
  R17: {
    summary:
      'References to variables expand in strings of an entry; a missing one costs that entry.',
    tests: ['flow/config.test.ts'],
  },
  R18: {
    summary:
      'https, except on this machine and where allowPrivate says so; redirects within the origin, or none.',
    tests: ['flow/config.test.ts', 'cli/network.test.ts', 'base/guard.test.ts'],
  },
  R19: {
    summary: 'No user name, password or fragment in a url; with strictUrl no query either.',
    tests: ['flow/config.test.ts', 'cli/network.test.ts'],
  },
  R20: {
    summary: 'A process gets an allowlist of our variables and what its entry gives.',
    tests: ['flow/config.test.ts'],
  },
  R21: {
    summary: 'Two clocks per call: silence and the whole.',
    tests: ['flow/sse.test.ts'],
  },
  R22: {
    summary: 'A call is sent again only where it is proven not to have run.',
    tests: ['flow/changes.test.ts'],
  },
  R23: {
    summary: 'A process that hangs after a time-out is ended and started anew by the next call.',
    tests: ['flow/changes.test.ts'],
  },
  R24: {
    summary: 'A changed list holds from the next turn on; a removed tool says that it is gone.',
    tests: ['flow/changes.test.ts'],
  },
  R25: {
    summary: 'Instructions of servers are quoted, marked as untrusted and bounded.',
    tests: ['flow/text.test.ts'],
  },
  R26: {
    summary:
      'Prompts take key=value or one JSON object; required arguments are checked before anything is sent.',
    tests: ['flow/offers.test.ts', 'cli/offers.test.ts', 'repl/offers.test.ts'],
  },
  R27: {
    summary: 'Skills are listed by name, read and verified at use, and never carry permissions.',
    tests: ['flow/offers.test.ts', 'cli/offers.test.ts'],
  },
  R30: {
    summary:
      'Forms and addresses are put to a person; without one the answer is cancel, or what --elicit says.',
    tests: ['flow/asks.test.ts'],
  },
  R31: {
    summary:
      'Roots are the working directory; sampling is opt-in and asked for each time; logs go to a file.',
    tests: ['flow/changes.test.ts', 'flow/asks.test.ts'],
  },
  R32: {
    summary: 'Text first; structured content where no text says the same.',
    tests: ['results/pipeline.test.ts', 'flow/text.test.ts'],
  },
  R33: {
    summary: 'Transports, protocol peer and stream parser are our own.',
    tests: ['flow/sse.test.ts'],
  },
};
