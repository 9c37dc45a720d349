/** One script from its text to what came of it: serves what it asks for, holds its clocks, keeps its output. */
import { type Limit, startLimit } from '../base/abort.ts';
import { LimitError, toAppError, UsageError } from '../base/errors.ts';
import { type JsonValue, tryParseJson } from '../base/json.ts';
import type { JobEnd } from './bridge.ts';
import { LIMITS } from './limits.ts';
import { answerAbout } from './lookup.ts';
import { type Answer, createNestedRun, type NestedRun } from './nested.ts';
import { readScriptOptions } from './options.ts';
import type { ScriptPorts } from './ports.ts';
import { scriptTools } from './reach.ts';
import type {
  ScriptInput,
  ScriptItem,
  ScriptOptions,
  ScriptOutcome,
  ScriptRequest,
} from './types.ts';

export interface Script {
  readonly code: string;
  /** Calls inside are `<id>/<n>`. */
  readonly id: string;
  readonly given: ScriptInput | undefined;
  /** Default: nothing is told before the end. */
  readonly onOutput?: (items: readonly ScriptItem[], lines: readonly string[]) => void;
  /** What came of it until it was aborted, told before the rejection. */
  readonly onAborted?: (outcome: ScriptOutcome) => void;
}

/**
 * Runs a script. What it threw, denied calls and limits are in the outcome. Rejects with UsageError for
 * options that cannot be read, LimitError when no worker was free, the signal's reason after an abort.
 */
export async function runScript(
  ports: ScriptPorts,
  script: Script,
  signal: AbortSignal,
): Promise<ScriptOutcome> {
  const options = readScriptOptions(script.code);
  if (script.code.length > LIMITS.codeCharacters) {
    throw new UsageError(`a script has at most ${LIMITS.codeCharacters} characters`);
  }
  const items: ScriptItem[] = [];
  const consoleLines: string[] = [];
  const nested = createNestedRun(ports, script.id, signal);
  const clock = startScriptClock(ports, options);
  let startedAt = ports.clock.now();
  const job = {
    start: startMessage(ports, script, options),
    deadline: clock.signal,
    onOutput(more: readonly ScriptItem[], lines: readonly string[]) {
      items.push(...more);
      consoleLines.push(...lines);
      script.onOutput?.(more, lines);
    },
    serve: (request: string) => serve(ports, nested, request, signal),
  };
  let unawaited: readonly string[] = [];
  const outcomeOf = (error: ScriptOutcome['error'], dropped: number): ScriptOutcome => ({
    error,
    items,
    console: consoleLines,
    dropped,
    nestedCalls: nested.record.nestedCalls(),
    denied: nested.record.denied(),
    unknownOutcome: nested.record.unknownOutcome(),
    unawaited: error === undefined ? unawaited : [],
    failedCalls: nested.record.failed(),
    wallMs: ports.clock.now() - startedAt,
  });
  let ended: JobEnd | undefined;
  try {
    ended = await ports.bridge.run(
      job,
      () => {
        startedAt = ports.clock.now();
        clock.start();
      },
      signal,
    );
  } finally {
    clock.stop();
    unawaited = await nested.end();
    if (ended === undefined && signal.aborted) {
      const { message } = toAppError(signal.reason);
      script.onAborted?.(outcomeOf({ kind: 'error', message }, 0));
    }
  }
  const error = ended.end.kind === 'failed' ? ended.end.error : commit(ports, ended);
  return outcomeOf(error, ended.dropped);
}

/** Why a script does not compile; `undefined` when it does. Rejects as `runScript`. */
export async function checkScript(
  { bridge }: Pick<ScriptPorts, 'bridge'>,
  code: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  readScriptOptions(code);
  const facts = { tools: [], servers: [], store: [], given: undefined } as const;
  const job = {
    start: { type: 'start', code, ...facts, cpuMs: LIMITS.cpuMs, isCheck: true } as const,
    deadline: new AbortController().signal,
    onOutput: () => undefined,
    serve: () => Promise.resolve('[0,0,{}]'),
  };
  const { end } = await bridge.run(job, () => undefined, signal);
  return end.kind === 'failed' ? end.error.message : undefined;
}

function startMessage(ports: ScriptPorts, { code, given }: Script, { wallMs }: ScriptOptions) {
  return {
    type: 'start',
    code,
    tools: scriptTools(ports.snapshot(), ports.clean),
    servers: ports.servers().map(({ name }) => name),
    store: [...ports.store],
    given,
    cpuMs: Math.min(LIMITS.cpuMs, wallMs),
    isCheck: false,
  } as const;
}

/** Kept only now: a script that failed has stored nothing. Another one may have filled the store meanwhile. */
function commit({ store }: ScriptPorts, { end }: JobEnd): ScriptOutcome['error'] {
  if (end.kind === 'failed') return end.error;
  const next = new Map(store);
  for (const [key, json] of end.store) {
    if (json === undefined) next.delete(key);
    else next.set(key, json);
  }
  let total = 0;
  for (const [key, json] of next) total += key.length + json.length;
  if (total > LIMITS.storeCharacters) {
    return { kind: 'error', message: 'store(): another script has filled the store meanwhile' };
  }
  store.clear();
  for (const [key, json] of next) store.set(key, json);
  return undefined;
}

/** The wall clock of a script; it rests while a person is asked. */
function startScriptClock(ports: ScriptPorts, { wallMs }: ScriptOptions) {
  const ran = new AbortController();
  let limit: Limit | undefined;
  const stopListening = ports.onAsking((isAsking) => {
    if (isAsking) limit?.pause();
    else limit?.resume();
  });
  return {
    signal: ran.signal,
    start() {
      const tooLong = () =>
        new LimitError(`the script was not done within ${wallMs} ms (timeout_ms)`);
      limit = startLimit(ports.clock, wallMs, tooLong);
      const { signal } = limit;
      signal.addEventListener('abort', () => ran.abort(signal.reason), { once: true });
    },
    stop() {
      stopListening();
      limit?.dispose();
    },
  };
}

/** Takes a request of the VM and gives its answer, both as JSON. */
async function serve(
  ports: ScriptPorts,
  nested: NestedRun,
  text: string,
  signal: AbortSignal,
): Promise<string> {
  const request = readRequest(text);
  const answer = await answerTo(ports, nested, request, signal);
  const json = JSON.stringify(answer.isOk ? answer.value : answer.failure) ?? 'null';
  if (json.length <= LIMITS.messageCharacters) {
    return `[${request.id},${answer.isOk ? 1 : 0},${json}]`;
  }
  const message = `the answer is larger than a script can take: ${json.length} characters`;
  return JSON.stringify([request.id, 0, { message, kind: 'limit' }]);
}

function readRequest(text: string): ScriptRequest {
  const parsed = tryParseJson(text);
  const [id, what, values] = Array.isArray(parsed) ? parsed : [];
  return {
    id: typeof id === 'number' ? id : 0,
    what: textOf(what),
    values: Array.isArray(values) ? values : [],
  };
}

async function answerTo(
  ports: ScriptPorts,
  nested: NestedRun,
  { what, values }: ScriptRequest,
  signal: AbortSignal,
): Promise<Answer> {
  const [first, second, third] = values;
  try {
    if (what === 'call') return await nested.call(textOf(first), textOf(second), third);
    return await answerAbout(ports, what, values, signal);
  } catch (error) {
    return { isOk: false, failure: { message: toAppError(error).message } };
  }
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
